import { createHash } from 'node:crypto'
import { z } from 'zod'
import { invalidRequest } from './problems.ts'

/**
 * Reads the query of a path that X's OpenAPI file lacks.
 * @throws a 400 for an unknown, repeated or invalid parameter
 */
export function readStrictQuery<Shape extends z.ZodRawShape>(query: unknown, parameters: Shape) {
  return read(query, z.strictObject(parameters))
}

/** Reads a route's parameters from a query that has passed `checkRequest`. @throws a 400 if one is invalid */
export function readQuery<Shape extends z.ZodRawShape>(query: unknown, parameters: Shape) {
  return read(query, z.object(parameters))
}

function read<Schema extends z.ZodType>(query: unknown, schema: Schema): z.output<Schema> {
  const result = schema.safeParse(query)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const name = String(issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path[0])
  const value = (query as Record<string, unknown>)[name]
  throw invalidRequest(name, value, `The \`${name}\` query parameter value [${value}] is not valid: ${issue?.message}`)
}

/** Returns a schema for an integer from 1 to `most`, by default `usual`. */
export const count = (most: number, usual = 100) => z.coerce.number().int().min(1).max(most).default(usual)

/** Returns a schema for words, separated by commas. @param allowed if present, the only words that are allowed */
export const words = (allowed?: readonly string[]) =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((word) => word !== ''))
    .pipe(allowed ? z.array(z.enum(allowed)) : z.array(z.string()))
    .transform((list): ReadonlySet<string> => new Set(list))

/** A list of at most 100 ids, separated by commas. */
export const idList = z
  .string()
  .transform((text) => text.split(','))
  .pipe(
    z
      .array(z.string().regex(/^\d{1,19}$/))
      .min(1)
      .max(100),
  )

/** Reads a numeric id in a path. @throws a 400 for any other text */
export function readId(name: string, value: string): string {
  if (/^[0-9]{1,19}$/.test(value)) return value
  throw invalidRequest(name, value, `The \`${name}\` query parameter value [${value}] is not valid`)
}

/** Returns a cursor that only works for its list. Like X's, it has 45 characters of base32hex. */
export function longToken(list: string, position: number | bigint): string {
  const bytes = Buffer.alloc(28)
  bytes.writeBigUInt64BE(BigInt(position))
  createHash('sha1').update(`${list}.${position}`).digest().copy(bytes, 8)
  return BigInt(`0x${bytes.toString('hex')}`)
    .toString(32)
    .padStart(45, '0')
}

/** Returns the position that a cursor encodes, or 0 without a cursor. @throws a 400 for any other text */
export function positionIn(list: string, token: string | undefined): bigint {
  if (token === undefined) return 0n
  if (!/^[0-9a-v]{45}$/.test(token)) throw invalidToken(token)
  const number = [...token].reduce((sum, digit) => sum * 32n + BigInt(Number.parseInt(digit, 32)), 0n)
  const position = number >> 160n
  if (position < 2n ** 64n && longToken(list, position) === token) return position
  throw invalidToken(token)
}

function invalidToken(token: string) {
  return invalidRequest('pagination_token', token, `The \`pagination_token\` value [${token}] is not valid`)
}
