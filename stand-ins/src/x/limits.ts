import { genericProblem } from './problems.ts'

const MINUTE = 60_000
const WINDOW = 15 * MINUTE
const DAY = 24 * 60 * MINUTE

/** X's published limits of each call, per user or per app and window. */
const LIMITS = {
  userByUsername: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  userById: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  me: [{ scope: 'user', most: 75, windowMs: WINDOW }],
  followers: [{ scope: 'user', most: 300, windowMs: WINDOW }],
  following: [{ scope: 'user', most: 300, windowMs: WINDOW }],
  // The last is the account's cap across all apps. X does not document its error; a 429 is the
  // mildest reading.
  sendDm: [
    { scope: 'user', most: 15, windowMs: WINDOW },
    { scope: 'user', most: 1440, windowMs: DAY },
    { scope: 'app', most: 1440, windowMs: DAY },
    { scope: 'user', most: 500, windowMs: DAY },
  ],
  readDms: [{ scope: 'user', most: 15, windowMs: WINDOW }],
  // X publishes no limit.
  subscribe: [{ scope: 'user', most: 500, windowMs: WINDOW }],
  readConversation: [{ scope: 'user', most: 15, windowMs: WINDOW }],
} as const satisfies Record<string, { scope: 'user' | 'app'; most: number; windowMs: number }[]>

export type LimitedCall = keyof typeof LIMITS

const UNLIMITED = 1_000_000

/** X's headers, in unix seconds. X sends no Retry-After. */
export type LimitHeaders = {
  'x-rate-limit-limit': string
  'x-rate-limit-remaining': string
  'x-rate-limit-reset': string
}

/**
 * Counts calls in fixed windows, in memory. If not `enforced`, every call passes and the headers
 * name a limit that is never reached.
 */
export function createLimits(enforced: boolean, now: () => number) {
  const windows = new Map<string, { used: number; resetAt: number }>()

  /** Counts a call. @returns the headers of the tightest window @throws the 429 of a full window */
  return function count(call: LimitedCall, userId: string, clientId: string): LimitHeaders {
    const time = now()
    if (!enforced) return headers(UNLIMITED, UNLIMITED - 1, time + WINDOW)

    let tightest: { most: number; left: number; resetAt: number } | undefined
    const counted = LIMITS[call].map(({ scope, most, windowMs }) => {
      const key = `${call} ${scope} ${scope === 'app' ? clientId : userId} ${most} ${windowMs}`
      let window = windows.get(key)
      if (!window || window.resetAt <= time) {
        window = { used: 0, resetAt: time + windowMs }
        windows.set(key, window)
      }
      const left = most - window.used
      if (left <= 0 && (!tightest || tightest.left > 0 || window.resetAt > tightest.resetAt)) {
        tightest = { most, left: 0, resetAt: window.resetAt }
      } else if (left > 0 && (!tightest || (tightest.left > 0 && left < tightest.left))) {
        tightest = { most, left, resetAt: window.resetAt }
      }
      return window
    })
    if (!tightest) throw new Error(`Unknown limit for ${call}`)
    const { most, left, resetAt } = tightest
    if (left <= 0) throw genericProblem(429, headers(most, 0, resetAt))
    for (const window of counted) window.used++
    return headers(most, left - 1, resetAt)
  }
}

export type CountCall = ReturnType<typeof createLimits>

function headers(most: number, left: number, resetAt: number): LimitHeaders {
  return {
    'x-rate-limit-limit': String(most),
    'x-rate-limit-remaining': String(left),
    'x-rate-limit-reset': String(Math.ceil(resetAt / 1000)),
  }
}
