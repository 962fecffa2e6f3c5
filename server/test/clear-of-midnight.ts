const LONG_ENOUGH_MS = 45_000
const DAY_MS = 86_400_000

/** Lets a test that speaks of today begin on a day, in UTC, that lasts longer than it: shortly before midnight it waits for the next. */
export async function clearOfMidnight(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS)
  if (leftMs < LONG_ENOUGH_MS) await new Promise((resolve) => setTimeout(resolve, leftMs + 1))
}
