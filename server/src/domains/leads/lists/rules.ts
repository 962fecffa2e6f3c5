import { isId, isMoment } from '@x-automated/contract/fields'

/** The end of a page, newest first: a time, and an id that breaks ties. */
export interface Place {
  at: Date
  id: string
}

export function writeCursor({ at, id }: Place): string {
  return Buffer.from(`${at.toISOString()} ${id}`).toString('base64url')
}

/** The inverse of `writeCursor`; null for a malformed cursor. */
export function readCursor(cursor: string): Place | null {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  return isMoment(at) && isId(id) ? { at: new Date(at), id } : null
}

/** A count that took up to this many milliseconds is repeated on every read. */
const CHEAP_MS = 50
/** A slower count stays valid for this many times its duration. */
const SHARE = 20

/** Whether a smart list must be counted again. @param countMs duration of its last count */
export function isStale({ countedAt, countMs }: { countedAt: Date | null; countMs: number }, now: Date): boolean {
  if (countedAt === null || countMs <= CHEAP_MS) return true
  return now.getTime() - countedAt.getTime() > SHARE * countMs
}

/** The name of a list's copy, cut to `max` characters. */
export function nameOfCopy(name: string, max: number): string {
  const suffix = ' (copy)'
  return `${name.slice(0, max - suffix.length)}${suffix}`
}
