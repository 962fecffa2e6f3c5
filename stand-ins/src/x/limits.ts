import { genericProblem } from './problems.ts'

const MINUTE = 60_000
const WINDOW = 15 * MINUTE
const DAY = 24 * 60 * MINUTE

/** X's published limits of each call, per user or per app and window. */
const LIMITS = {
  userByUsername: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  userById: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  usersByUsernames: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  postById: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  likers: [{ scope: 'user', most: 75, windowMs: WINDOW }],
  searchRecent: [{ scope: 'user', most: 300, windowMs: WINDOW }],
  listById: [{ scope: 'user', most: 75, windowMs: WINDOW }],
  listMembers: [{ scope: 'user', most: 900, windowMs: WINDOW }],
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

/**
 * Counts calls in fixed windows, in memory. If not `enforced`, every call passes and the headers
 * name a limit that is never reached.
 */
export function createLimits(enforced: boolean, now: () => number) {
  const windows = new Map<string, { most: number; left: number; resetAt: number }>()

  /** Counts a call. @returns the headers of the tightest window @throws the 429 of a full window */
  return function count(call: LimitedCall, userId: string, clientId: string) {
    const time = now()
    if (!enforced) return limitHeaders(UNLIMITED, UNLIMITED - 1, time + WINDOW)

    const counted = LIMITS[call].map(({ scope, most, windowMs }) => {
      const key = `${call} ${scope} ${scope === 'app' ? clientId : userId} ${most}`
      const last = windows.get(key)
      const window = last && last.resetAt > time ? last : { most, left: most as number, resetAt: time + windowMs }
      windows.set(key, window)
      return window
    })
    const [tightest] = counted.sort((a, b) => a.left - b.left || b.resetAt - a.resetAt)
    if (!tightest) throw new Error(`Unknown limit for ${call}`)
    const { most, left, resetAt } = tightest
    if (left <= 0) throw genericProblem(429, limitHeaders(most, 0, resetAt))
    for (const window of counted) window.left--
    return limitHeaders(most, left - 1, resetAt)
  }
}

export type CountCall = ReturnType<typeof createLimits>

/** X's headers, in unix seconds. X sends no Retry-After. */
export function limitHeaders(most: number, left: number, resetAt: number) {
  return {
    'x-rate-limit-limit': String(most),
    'x-rate-limit-remaining': String(left),
    'x-rate-limit-reset': String(Math.ceil(resetAt / 1000)),
  }
}
