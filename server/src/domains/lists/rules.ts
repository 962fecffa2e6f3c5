import { isId, isMoment } from '@x-automated/contract/fields'

/** Where a page ends, newest first: a moment, and the id that orders what has the same one. */
export interface Place {
  at: Date
  id: string
}

export function writeCursor({ at, id }: Place): string {
  return Buffer.from(`${at.toISOString()} ${id}`).toString('base64url')
}

/** Null: none that `writeCursor` wrote. */
export function readCursor(cursor: string): Place | null {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  return isMoment(at) && isId(id) ? { at: new Date(at), id } : null
}

/** Counting that took up to this long is done at each look, in milliseconds. */
const CHEAP_MS = 50
/** Counting that took longer may take this share of the time. */
const SHARE = 20

/** Is the count of a smart list, which took `countMs`, too old at `now`? */
export function isStale({ countedAt, countMs }: { countedAt: Date | null; countMs: number }, now: Date): boolean {
  if (countedAt === null || countMs <= CHEAP_MS) return true
  return now.getTime() - countedAt.getTime() > SHARE * countMs
}

/** What a copy of a list is called, within the length of a name. */
export function nameOfCopy(name: string, max: number): string {
  const suffix = ' (copy)'
  return `${name.slice(0, max - suffix.length)}${suffix}`
}
