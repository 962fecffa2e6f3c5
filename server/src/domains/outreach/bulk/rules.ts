/** Number of leads in the first part. */
export const FIRST_PART = 100
const PART_MIN = 20
const PART_MAX = 1_000
/** Other calls wait this long for the locks of a part. */
const PART_MS = 100

/** The size of the next part, so that it takes a tenth of a second. @param ms how long the last part took */
export function nextPartSize(size: number, ms: number): number {
  const wanted = Math.min(size * 2, Math.round((size * PART_MS) / Math.max(1, ms)))
  return Math.max(PART_MIN, Math.min(PART_MAX, wanted))
}
