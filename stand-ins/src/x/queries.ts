import { invalidRequest } from './problems.ts'

type Query = Record<string, string | string[] | undefined>

/** Parses a query string like X. @throws the 400 for an unknown, repeated or invalid parameter */
export function readQuery(query: unknown, known: string[]): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(query as Query)) {
    if (!known.includes(name)) {
      throw invalidRequest(name, value, `The query parameter [${name}] is not one of [${known.join(',')}]`)
    }
    if (Array.isArray(value)) {
      throw invalidRequest(name, value, `Duplicate parameters are not allowed: the \`${name}\` query parameter`)
    }
    values[name] = value
  }
  return values
}

/** An integer from 1 to `most`. */
export function readCount(name: string, value: string | undefined, most: number, otherwise: number): number {
  if (value === undefined) return otherwise
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
  if (number >= 1 && number <= most) return number
  throw invalidRequest(name, value, `The \`${name}\` query parameter value [${value}] is not between 1 and ${most}`)
}

/** A list of known values. */
export function readWords(name: string, value: string | undefined, known: readonly string[]): Set<string> {
  const values = new Set<string>(value ? value.split(',') : [])
  for (const word of values) {
    if (known.includes(word)) continue
    throw invalidRequest(
      name,
      word,
      `The \`${name}\` query parameter value [${word}] is not one of [${known.join(',')}]`,
    )
  }
  return values
}

/** A numeric id in a path. */
export function readId(name: string, value: string | undefined): string {
  if (value !== undefined && /^[0-9]{1,19}$/.test(value)) return value
  throw invalidRequest(name, value, `The \`${name}\` query parameter value [${value}] is not valid`)
}
