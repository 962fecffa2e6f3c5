import { genericProblem } from './problems.ts'

const MINUTE = 60_000
const WINDOW = 15 * MINUTE
const DAY = 24 * 60 * MINUTE

/** X's published limits for each call, per user or per app and window. */
const LIMITS = {
  userByUsername: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  userById: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  usersByIds: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  usersByUsernames: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  postById: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  likers: [{ scope: 'user', most: 75, windowMs: WINDOW }],
  searchRecent: [{ scope: 'user', most: 300, windowMs: WINDOW }],
  listById: [{ scope: 'user', most: 75, windowMs: WINDOW }],
  listMembers: [{ scope: 'user', most: 900, windowMs: WINDOW }],
  me: [{ scope: 'user', most: 75, windowMs: WINDOW }],
  followers: [{ scope: 'user', most: 300, windowMs: WINDOW }],
  following: [{ scope: 'user', most: 300, windowMs: WINDOW }],
  // The last limit is the account's cap over all apps. X does not document its error, so we assume a
  // 429. The headers show the tighter of the user's two daily limits.
  sendDm: [
    { scope: 'user', most: 15, windowMs: WINDOW },
    { scope: 'user', most: 1440, windowMs: DAY },
    { scope: 'app', most: 1440, windowMs: DAY },
    { scope: 'user', most: 500, windowMs: DAY },
  ],
  readDms: [{ scope: 'user', most: 15, windowMs: WINDOW }],
  subscribe: [{ scope: 'user', most: 500, windowMs: WINDOW }],
  // X publishes no limits for X Chat.
  readChats: [{ scope: 'user', most: 15, windowMs: WINDOW }],
  readChatEvents: [{ scope: 'user', most: 60, windowMs: WINDOW }],
  publicKeys: [{ scope: 'user', most: 60, windowMs: WINDOW }],
  readConversation: [{ scope: 'user', most: 15, windowMs: WINDOW }],
} as const satisfies Record<string, { scope: 'user' | 'app'; most: number; windowMs: number }[]>

export type LimitedCall = keyof typeof LIMITS

const UNLIMITED = 1_000_000

type Window = { scope: 'user' | 'app'; isDay: boolean; most: number; left: number; resetAt: number }

/**
 * Counts calls in fixed windows, in memory. If limits are not `enforced`, only an app's own limit
 * applies, and the headers name a 15-minute limit that is never reached.
 * @param messagesPerDay returns an app's own limit; undefined for X's
 */
export function createLimits(
  enforced: boolean,
  now: () => number,
  messagesPerDay: (clientId: string) => number | undefined = () => undefined,
) {
  const windows = new Map<string, Window>()

  /** Counts a call. @returns X's headers for its windows @throws a 429 if a window is full */
  return function count(call: LimitedCall, userId: string, clientId: string) {
    const time = now()
    const ownDay = call === 'sendDm' ? messagesPerDay(clientId) : undefined
    const counted = LIMITS[call].map(({ scope, most, windowMs }): Window => {
      const isOwn = scope === 'app' && ownDay !== undefined
      const isDay = windowMs === DAY
      if (!enforced && !isOwn) return { scope, isDay, most: UNLIMITED, left: UNLIMITED, resetAt: time + windowMs }
      const limit = isOwn ? ownDay : most
      const key = `${call} ${scope} ${scope === 'app' ? clientId : userId} ${limit}`
      const last = windows.get(key)
      const fresh = { scope, isDay, most: limit, left: limit, resetAt: time + windowMs }
      const window = last && last.resetAt > time ? last : fresh
      windows.set(key, window)
      return window
    })
    if (counted.some(({ left }) => left <= 0)) throw genericProblem(429, headersOf(counted))
    for (const window of counted) window.left--
    return headersOf(counted)
  }
}

export type CountCall = ReturnType<typeof createLimits>

/** Returns headers for the 15-minute window, and for the tightest 24-hour windows. */
function headersOf(windows: readonly Window[]): Record<string, string> {
  const tightest = (fits: (window: Window) => boolean) =>
    windows.filter(fits).sort((a, b) => a.left - b.left || b.resetAt - a.resetAt)[0]
  const short = tightest(({ isDay }) => !isDay)
  const headers = short ? limitHeaders(short.most, short.left, short.resetAt) : {}
  for (const scope of ['user', 'app'] as const) {
    const day = tightest((window) => window.isDay && window.scope === scope && window.most < UNLIMITED)
    if (day) Object.assign(headers, dayLimitHeaders(scope, day.most, day.left, day.resetAt))
  }
  return headers
}

/** Returns X's headers for a 15-minute limit. Times are in Unix seconds. X sends no Retry-After. */
export function limitHeaders(most: number, left: number, resetAt: number): Record<string, string> {
  return namedHeaders('x-rate-limit', most, left, resetAt)
}

/** Returns X's headers for a 24-hour limit, which X only sends for messages. */
export function dayLimitHeaders(scope: 'user' | 'app', most: number, left: number, resetAt: number) {
  return namedHeaders(`x-${scope}-limit-24hour`, most, left, resetAt)
}

function namedHeaders(name: string, most: number, left: number, resetAt: number): Record<string, string> {
  return {
    [`${name}-limit`]: String(most),
    [`${name}-remaining`]: String(left),
    [`${name}-reset`]: String(Math.ceil(resetAt / 1000)),
  }
}
