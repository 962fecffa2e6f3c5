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

type Window = { scope: 'user' | 'app'; windowMs: number; most: number; left: number; resetAt: number }

/**
 * Counts calls in fixed windows, in memory. If not `enforced`, every call passes and the headers
 * name a limit that is never reached. @param messagesPerDay of an app; undefined: X's
 */
export function createLimits(
  enforced: boolean,
  now: () => number,
  messagesPerDay: (clientId: string) => number | undefined = () => undefined,
) {
  const windows = new Map<string, Window>()

  /** Counts a call. @returns the headers of the tightest window @throws the 429 of a full window */
  return function count(call: LimitedCall, userId: string, clientId: string) {
    const time = now()
    const ownDay = call === 'sendDm' ? messagesPerDay(clientId) : undefined
    if (!enforced && ownDay === undefined) return limitHeaders(UNLIMITED, UNLIMITED - 1, time + WINDOW)

    const limits = LIMITS[call].map(({ scope, most, windowMs }) => {
      const isOwn = scope === 'app' && ownDay !== undefined
      return { scope, most: isOwn ? ownDay : most, windowMs, isChecked: enforced || isOwn }
    })
    const counted = limits
      .filter(({ isChecked }) => isChecked)
      .map(({ scope, most, windowMs }) => {
        const key = `${call} ${scope} ${scope === 'app' ? clientId : userId} ${most}`
        const last = windows.get(key)
        const window: Window =
          last && last.resetAt > time ? last : { scope, windowMs, most, left: most, resetAt: time + windowMs }
        windows.set(key, window)
        return window
      })
    const [tightest] = counted.toSorted((a, b) => a.left - b.left || b.resetAt - a.resetAt)
    if (!tightest) throw new Error(`Unknown limit for ${call}`)
    const { most, left, resetAt } = tightest
    const isFull = left <= 0
    if (!isFull) for (const window of counted) window.left--
    const days = counted.filter(({ windowMs }) => windowMs === DAY)
    const headers = { ...limitHeaders(most, isFull ? 0 : left - 1, resetAt), ...dayHeaders(days) }
    if (isFull) throw genericProblem(429, headers)
    return headers
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

/** X's headers about 24 hours: those of the tightest window per scope. */
function dayHeaders(days: readonly Window[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { scope, most, left, resetAt } of days.toSorted((a, b) => b.left - a.left)) {
    headers[`x-${scope}-limit-24hour-limit`] = String(most)
    headers[`x-${scope}-limit-24hour-remaining`] = String(left)
    headers[`x-${scope}-limit-24hour-reset`] = String(Math.ceil(resetAt / 1000))
  }
  return headers
}
