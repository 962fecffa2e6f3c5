/** A count that took at most this many milliseconds is repeated on every read. */
const CHEAP_MS = 50
/** A slower count stays valid for this many times its duration. */
const SHARE = 20

/** Whether a smart list must be counted again. @param countMs how long its last count took */
export function isStale({ countedAt, countMs }: { countedAt: Date | null; countMs: number }, now: Date): boolean {
  if (countedAt === null || countMs <= CHEAP_MS) return true
  return now.getTime() - countedAt.getTime() > SHARE * countMs
}
