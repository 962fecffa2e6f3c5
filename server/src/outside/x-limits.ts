import { XError } from './x-errors.ts'

/** Shortest wait, because X's `reset` may be in the past. */
const MIN_WAIT_MS = 5_000
const WINDOW_MS = 15 * 60_000
const DAY_MS = 24 * 60 * 60_000

/** Whose limit is used up, and until when. */
interface XLimit {
  retryAt: Date
  limitOf: 'account' | 'app'
}

/**
 * Returns the limit that is used up: a 24-hour limit with nothing left, otherwise the 15-minute
 * window (https://docs.x.com/x-api/fundamentals/rate-limits). @param caller whose window it is
 */
export function limitOf(headers: Headers, caller: XLimit['limitOf'], now = Date.now()): XLimit {
  const days = dayLimitsOf(headers, now)
  const [day] = (['account', 'app'] as const)
    .flatMap((whose) => (days[whose]?.remaining === 0 ? [{ whose, resetAt: days[whose].resetAt }] : []))
    .toSorted((a, b) => b.resetAt.getTime() - a.resetAt.getTime())
  return { retryAt: day?.resetAt ?? resetOf(headers, 'x-rate-limit', now), limitOf: day?.whose ?? caller }
}

/** A limit of messages in 24 hours. */
interface XDayLimit {
  /** Null: X did not name it. */
  limit: number | null
  remaining: number
  resetAt: Date
}

export type XDayLimits = Record<'account' | 'app', XDayLimit | null>

/** Reads the 24-hour limits of the account and of the app from X's headers; null: not named. */
export function dayLimitsOf(headers: Headers, now = Date.now()): XDayLimits {
  const dayOf = (name: string): XDayLimit | null => {
    const remaining = numberOf(headers, `${name}-remaining`)
    if (remaining === null) return null
    return { limit: numberOf(headers, `${name}-limit`), remaining, resetAt: resetOf(headers, name, now) }
  }
  return { account: dayOf('x-user-limit-24hour'), app: dayOf('x-app-limit-24hour') }
}

function resetOf(headers: Headers, name: string, now: number): Date {
  const seconds = numberOf(headers, `${name}-reset`)
  const reset = seconds === null ? now + WINDOW_MS : seconds * 1_000
  return new Date(Math.min(Math.max(reset, now + MIN_WAIT_MS), now + DAY_MS))
}

function numberOf(headers: Headers, name: string): number | null {
  const text = headers.get(name)
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null
}

/** Calls per window that we allow if X does not publish their limit. */
const UNPUBLISHED_CALLS = 10

/** Counts calls whose limit X does not publish, per token, until a response shows X's own limit. */
export function createUnpublishedLimits() {
  const published = new Set<string>()
  const windows = new Map<string, { calls: number; endsAt: number }>()

  return {
    /** Counts a call. @throws XError rate-limit */
    use(name: string, accessToken: string, now = Date.now()): void {
      if (published.has(name)) return
      for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key)
      const key = `${name} ${accessToken}`
      const window = windows.get(key) ?? { calls: 0, endsAt: now + WINDOW_MS }
      if (window.calls >= UNPUBLISHED_CALLS)
        throw new XError('rate-limit', "X's rate limit is reached.", new Date(window.endsAt))
      windows.set(key, { ...window, calls: window.calls + 1 })
    },
    /** Stops counting once X's headers show its own limit. */
    learn(name: string, headers: Headers): void {
      if (headers.has('x-rate-limit-limit')) published.add(name)
    },
  }
}
