import { z } from 'zod'
import { invalidRequest } from './problems.ts'

/** Reads a query like X. @throws the 400 for an unknown, repeated or invalid parameter */
export function readQuery<Shape extends z.ZodRawShape>(query: unknown, parameters: Shape) {
  const read = z.strictObject(parameters).safeParse(query)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const name = String(issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path[0])
  const value = (query as Record<string, unknown>)[name]
  throw invalidRequest(name, value, `The \`${name}\` query parameter value [${value}] is not valid: ${issue?.message}`)
}

/** An integer from 1 to `most`. */
export const count = (most: number) => z.coerce.number().int().min(1).max(most).default(100)

/** A list of known words, separated by commas. */
export const words = <Word extends string>(known: readonly Word[]) =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((word) => word !== ''))
    .pipe(z.array(z.enum(known)))
    .transform((list): ReadonlySet<string> => new Set(list))

/** A numeric id in a path. */
export function readId(name: string, value: string): string {
  if (/^[0-9]{1,19}$/.test(value)) return value
  throw invalidRequest(name, value, `The \`${name}\` query parameter value [${value}] is not valid`)
}

export function invalidToken(token: string) {
  return invalidRequest('pagination_token', token, `The \`pagination_token\` value [${token}] is not valid`)
}
