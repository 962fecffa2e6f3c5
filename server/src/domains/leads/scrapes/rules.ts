import type { ScrapeStatus } from '@x-automated/contract/leads/scrapes'

/** The filter that profiles must match to become leads. */
export interface Wanted {
  minFollowers: number
  maxFollowers: number
  keywords: readonly string[]
}

/** Bounds are inclusive. Any keyword in the bio, ignoring case, is enough; none: all match. */
export function isWanted(
  profile: { bio: string; followerCount: number },
  { minFollowers, maxFollowers, keywords }: Wanted,
): boolean {
  if (profile.followerCount < minFollowers || profile.followerCount > maxFollowers) return false
  if (keywords.length === 0) return true
  const bio = profile.bio.toLowerCase()
  return keywords.some((keyword) => bio.includes(keyword.toLowerCase()))
}

/** The progress of a scrape. */
export interface Progress {
  maxResults: number
  fetched: number
  /** `fetched` plus profiles read again: what X bills. */
  billed: number
  matched: number
  /** The number of profiles by X; null before it is known. */
  expected: number | null
  /** Time spent reading, in milliseconds. */
  busyMs: number
  /** X's price per profile, in cents. */
  readPriceCents: number
}

/** X's bounds of `max_results`, and the smallest useful page. */
const PAGE_MAX = 1_000
const PAGE_MIN = 100

/** The next page size. X bills each profile, so it requests no more than are likely needed. */
export function pageSize({
  maxResults,
  fetched,
  matched,
}: Pick<Progress, 'maxResults' | 'fetched' | 'matched'>): number {
  const missing = maxResults - matched
  // Without data, assume that one in three matches.
  const hitRate = fetched === 0 ? 1 / 3 : Math.max(matched, 0.5) / fetched
  return Math.min(PAGE_MAX, Math.max(PAGE_MIN, Math.ceil(missing / hitRate)))
}

export interface Estimate {
  profiles: number
  secondsLeft: number | null
  costCents: number | null
}

/** Profiles, remaining seconds and X's cost; null before X has returned a count. */
export function estimate(progress: Progress, status: ScrapeStatus, waitSeconds: number): Estimate | null {
  const { expected, fetched, billed, matched, maxResults, busyMs } = progress
  if (expected === null) return null
  const isUnderWay = status === 'queued' || status === 'running' || status === 'waiting'
  if (!isUnderWay) return { profiles: expected, secondsLeft: null, costCents: cents(progress, billed) }
  const unread = Math.max(0, expected - fetched)
  const needed = matched === 0 ? unread : ((maxResults - matched) * fetched) / matched
  const rest = Math.min(unread, needed)
  const costCents = cents(progress, Math.ceil(billed + rest))
  if (fetched === 0) return { profiles: expected, secondsLeft: null, costCents }
  const reading = (rest * busyMs) / fetched / 1000
  const windows = windowsUsed(progress, billed + rest - 1) - windowsUsed(progress, billed)
  return {
    profiles: expected,
    secondsLeft: Math.ceil(reading + waitSeconds + Math.max(0, windows) * WINDOW_SECONDS),
    costCents,
  }
}

/** X's price of some profiles, in cents; null if free. */
export function cents({ readPriceCents }: Pick<Progress, 'readPriceCents'>, profiles: number): number | null {
  return readPriceCents > 0 ? profiles * readPriceCents : null
}

/** The assumed time per profile without earlier data. */
const MS_EACH = 1
/** X's rate limit for reading followers: pages per window. */
const WINDOW_PAGES = 300
const WINDOW_SECONDS = 15 * 60

/** The expected seconds of a scrape. @param msEach time per profile in earlier ones, or null */
export function secondsFor(
  profiles: number,
  msEach: number | null,
  { readPriceCents }: Pick<Progress, 'readPriceCents'>,
): number {
  const reading = (profiles * (msEach ?? MS_EACH)) / 1000
  return Math.ceil(reading + windowsUsed({ readPriceCents }, profiles - 1) * WINDOW_SECONDS)
}

/** The number of rate limit windows that some profiles need. An X that bills also has limits. */
function windowsUsed({ readPriceCents }: Pick<Progress, 'readPriceCents'>, profiles: number): number {
  return readPriceCents > 0 ? Math.floor(Math.max(0, profiles) / (PAGE_MAX * WINDOW_PAGES)) : 0
}

/** Why a call to X failed, as the X client reports it. */
export interface Failure {
  kind: string
  message: string
  retryAt: Date | null
}

/** What happens to a scrape after a failed call. */
export type Verdict =
  /** Continues at `resumesAt`, or if null, once an X account is connected. */
  | { status: 'waiting'; resumesAt: Date | null; failures: number; error: string }
  /** `failures` 0: the answer was final. */
  | { status: 'failed'; failures: number; error: string }

/** Failed calls in a row before a scrape gives up. */
export const FAILURES_MAX = 8

/** X's windows last 15 minutes; a longer wait than this means a wrong clock. */
const WAIT_MAX_MS = 24 * 60 * 60_000

/** @param failures unanswered calls in a row before this one */
export function verdict(
  failure: Failure,
  { failures, twitterHandle, type }: { failures: number; twitterHandle: string; type: 'followers' | 'following' },
  now: Date,
): Verdict {
  const inMs = (ms: number) => new Date(now.getTime() + ms)
  switch (failure.kind) {
    case 'rate-limit': {
      const wait = (failure.retryAt?.getTime() ?? now.getTime() + 15 * 60_000) - now.getTime()
      const resumesAt = inMs(Math.min(Math.max(wait, 1_000), WAIT_MAX_MS))
      return {
        status: 'waiting',
        resumesAt,
        failures: 0,
        error: "X's rate limit is reached. The scrape continues automatically.",
      }
    }
    case 'unauthorized':
    case 'credentials':
    case 'account':
      return { status: 'waiting', resumesAt: null, failures: 0, error: failure.message }
    case 'not-found':
      return { status: 'failed', failures: 0, error: noSuchAccount(twitterHandle) }
    case 'forbidden':
    case 'recipient':
      return {
        status: 'failed',
        failures: 0,
        error: `X doesn't show the ${type} of @${twitterHandle}: ${failure.message}`,
      }
    case 'invalid':
      return { status: 'failed', failures: 0, error: `Failed to scrape X ${type}: ${failure.message}` }
    default: {
      const inARow = failures + 1
      if (inARow >= FAILURES_MAX)
        return {
          status: 'failed',
          failures: inARow,
          error: `Failed to scrape X ${type}. ${failure.message} We kept the leads found so far. Resume the scrape later.`,
        }
      return {
        status: 'waiting',
        resumesAt: inMs(Math.min(60_000, 500 * 2 ** inARow)),
        failures: inARow,
        error: `${failure.message} Trying again.`,
      }
    }
  }
}

export function noSuchAccount(handle: string): string {
  return `@${handle} doesn't exist on X.`
}

/** Whether X is known to hide this account's lists: protected, and not followed by the reader. */
export function isHidden(
  user: { id: string; protected: boolean; isFollowed: boolean | null },
  account: { xUserId: string },
): boolean {
  return user.protected && user.id !== account.xUserId && user.isFollowed === false
}

export function protectedAccount(handle: string, type: 'followers' | 'following'): string {
  const list = type === 'followers' ? 'who follows it' : 'who it follows'
  return `@${handle} is protected. Only approved followers can see ${list}.`
}

/** Whether resuming can help: no final answer from X, and if it completed, the plan stopped it. */
export function isResumable({
  status,
  stoppedBy,
  failures,
}: {
  status: ScrapeStatus
  stoppedBy: string | null
  failures: number
}): boolean {
  return (
    status === 'canceled' || (status === 'failed' && failures > 0) || (status === 'completed' && stoppedBy !== null)
  )
}

/** Nothing more happens unless it is resumed. */
export function isOver(status: ScrapeStatus): boolean {
  return status === 'completed' || status === 'canceled' || status === 'failed'
}

/** A count that fits PostgreSQL's integer; null if X gave no number. */
export function wholeCount(count: number): number | null {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.trunc(count)), 2_147_483_647) : null
}
