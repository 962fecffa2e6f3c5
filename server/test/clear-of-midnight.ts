import { DAY_MS } from '@x-automated/contract/time'

const LONG_ENOUGH_MS = 45_000

/** Waits for the next UTC day if midnight is near, for tests that must run within one day. */
export async function clearOfMidnight(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS)
  if (leftMs < LONG_ENOUGH_MS) await new Promise((resolve) => setTimeout(resolve, leftMs + 1))
}
