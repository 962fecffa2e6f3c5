/** X's `reset` may lie in the past. */
const MIN_WAIT_MS = 5_000
const WINDOW_MS = 15 * 60_000
const DAY_MS = 24 * 60 * 60_000

/**
 * Whose limit is used up, and until when: a 24-hour limit without anything left decides, otherwise
 * the 15-minute window (https://docs.x.com/x-api/fundamentals/rate-limits).
 * @param caller whose limit the window is
 */
export function limitOf(
  headers: Headers,
  caller: 'account' | 'app',
  now = Date.now(),
): { retryAt: Date; limitOf: 'account' | 'app' } {
  const resetOf = (name: string) => {
    const text = headers.get(`${name}-reset`)
    return text !== null && /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : null
  }
  const usedUp = (['account', 'app'] as const)
    .filter((whose) => headers.get(`x-${whose === 'app' ? 'app' : 'user'}-limit-24hour-remaining`) === '0')
    .map((whose) => ({
      whose,
      reset: resetOf(`x-${whose === 'app' ? 'app' : 'user'}-limit-24hour`) ?? now + WINDOW_MS,
    }))
    .toSorted((a, b) => b.reset - a.reset)
  const [day] = usedUp
  const reset = day?.reset ?? resetOf('x-rate-limit') ?? now + WINDOW_MS
  const bounded = Math.min(Math.max(reset, now + MIN_WAIT_MS), now + DAY_MS)
  return { retryAt: new Date(bounded), limitOf: day?.whose ?? caller }
}
