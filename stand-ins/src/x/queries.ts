import { createHash } from 'node:crypto'
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

/** An integer from 1 to `most`, by default 100 or `usual`. */
export const count = (most: number, usual = 100) => z.coerce.number().int().min(1).max(most).default(usual)

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

/** A cursor that is valid only for its list. Like X's, it is 45 characters of base32hex. */
export function longToken(list: string, place: number | bigint): string {
  const bytes = Buffer.alloc(28)
  bytes.writeBigUInt64BE(BigInt(place))
  createHash('sha1').update(`${list}.${place}`).digest().copy(bytes, 8)
  return BigInt(`0x${bytes.toString('hex')}`)
    .toString(32)
    .padStart(45, '0')
}

/** The place that a cursor names, or 0 without one. @throws the 400 of any other text */
export function placeIn(list: string, token: string | undefined): bigint {
  if (token === undefined) return 0n
  if (!/^[0-9a-v]{45}$/.test(token)) throw invalidToken(token)
  const number = [...token].reduce((sum, digit) => sum * 32n + BigInt(Number.parseInt(digit, 32)), 0n)
  const place = number >> 160n
  if (place < 2n ** 64n && longToken(list, place) === token) return place
  throw invalidToken(token)
}

export function invalidToken(token: string) {
  return invalidRequest('pagination_token', token, `The \`pagination_token\` value [${token}] is not valid`)
}
