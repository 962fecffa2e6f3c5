import { HISTOGRAM_BOUNDS } from '@x-automated/contract/leads/scrape-limits'
import type { ScrapeStatus } from '@x-automated/contract/leads/scrapes'
import type { XSource } from '@x-automated/contract/platform/x-account'
import { X_APP_PROBLEM_TEXT } from '@x-automated/contract/platform/x-apps'

interface Source {
  type: XSource
  twitterHandle: string | null
}

/** The progress of a scrape. */
interface Progress {
  type: XSource
  maxResults: number
  fetched: number
  /** `fetched`, plus the profiles that were read again: what X charges for. */
  billed: number
  matched: number
  /** The source's number of profiles, as X reports it; null until then. */
  expected: number | null
  /** Time spent reading, in milliseconds. */
  busyMs: number
  /** X's price per profile, in cents. */
  readPriceCents: number
}

/** X's maximum page size, and its rate limit in pages per window. */
const PAGES: Record<XSource, { most: number; perWindow: number }> = {
  followers: { most: 1_000, perWindow: 300 },
  following: { most: 1_000, perWindow: 300 },
  likers: { most: 100, perWindow: 75 },
  repliers: { most: 100, perWindow: 300 },
  list_members: { most: 100, perWindow: 900 },
  handles: { most: 100, perWindow: 900 },
}
/** The smallest page to request. */
const PAGE_MIN = 100

/** The next page size. X charges for each profile, so no more are requested than are probably needed. */
export function pageSize({
  type,
  maxResults,
  fetched,
  matched,
}: Pick<Progress, 'type' | 'maxResults' | 'fetched' | 'matched'>): number {
  return Math.min(PAGES[type].most, Math.max(PAGE_MIN, readsFor(maxResults - matched, { fetched, matched })))
}

/** How many profiles must be read for this many leads. Without data, one in three is assumed to match. */
export function readsFor(missing: number, { fetched, matched }: Pick<Progress, 'fetched' | 'matched'>): number {
  const hitRate = fetched === 0 ? 1 / 3 : Math.max(matched, 0.5) / fetched
  return Math.ceil(missing / hitRate)
}

/** Adds profiles to their bins of HISTOGRAM_BOUNDS, by follower count. */
export function addToBins(counted: readonly number[], followerCounts: readonly number[]): number[] {
  const bins = HISTOGRAM_BOUNDS.map((_, index) => counted[index] ?? 0)
  for (const followers of followerCounts) {
    const above = HISTOGRAM_BOUNDS.findIndex((bound) => bound > followers)
    const index = above === -1 ? bins.length - 1 : Math.max(0, above - 1)
    bins[index] = (bins[index] ?? 0) + 1
  }
  return bins
}

interface Estimate {
  profiles: number
  secondsLeft: number | null
  costCents: number | null
}

/** The profiles, the remaining seconds and X's cost; null before X has returned a count. */
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
  return readPriceCents > 0 ? Math.ceil(profiles * readPriceCents) : null
}

/** The assumed time per profile if there is no earlier data. */
const MS_EACH = 1
const WINDOW_SECONDS = 15 * 60

/** The expected seconds of a scrape. @param msEach time per profile in earlier scrapes, or null */
export function secondsFor(
  profiles: number,
  msEach: number | null,
  progress: Pick<Progress, 'type' | 'readPriceCents'>,
): number {
  const reading = (profiles * (msEach ?? MS_EACH)) / 1000
  return Math.ceil(reading + windowsUsed(progress, profiles - 1) * WINDOW_SECONDS)
}

/**
 * The number of rate limit windows that reading `profiles` uses up; 0 if X does not bill, because
 * only an X that bills has limits.
 */
function windowsUsed({ type, readPriceCents }: Pick<Progress, 'type' | 'readPriceCents'>, profiles: number): number {
  const { most, perWindow } = PAGES[type]
  return readPriceCents > 0 ? Math.floor(Math.max(0, profiles) / (most * perWindow)) : 0
}

/** Why a call to X failed, as the X client reports it. */
export interface Failure {
  kind: string
  message: string
  retryAt: Date | null
  /** Whether the person is suspended. */
  isSuspended?: boolean
}

/** A scrape's state after a failed call. */
export type Verdict =
  /** The scrape continues at `resumesAt` or, if that is null, once an X account is connected. */
  | { status: 'waiting'; resumesAt: Date | null; failures: number; error: string }
  /** `failures` is 0 if X's response was final. */
  | { status: 'failed'; failures: number; error: string }

/** After this many failed calls in a row, a scrape gives up. */
export const FAILURES_MAX = 8

/** X's windows last 15 minutes. A wait longer than this means that a clock is wrong. */
const WAIT_MAX_MS = 24 * 60 * 60_000

/** Decides what happens to a scrape after a failed call. @param failures failed calls in a row before this one */
export function verdict(failure: Failure, { failures, ...source }: { failures: number } & Source, now: Date): Verdict {
  const failed =
    source.type === 'handles' ? 'Failed to read these handles' : `Failed to scrape X ${PEOPLE[source.type]}`
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
    // No maximum wait: a spending limit can last until the next month. If the end is unknown, the
    // scrape tries again in an hour.
    case 'funds':
      return {
        status: 'waiting',
        resumesAt: failure.retryAt ?? inMs(3_600_000),
        failures: 0,
        error: `${failure.message} The scrape continues automatically.`,
      }
    case 'unauthorized':
    case 'credentials':
    case 'account':
      return { status: 'waiting', resumesAt: null, failures: 0, error: failure.message }
    case 'app':
      return { status: 'waiting', resumesAt: inMs(60 * 60_000), failures: 0, error: X_APP_PROBLEM_TEXT.client }
    case 'not-found':
      return { status: 'failed', failures: 0, error: noSuchSource(source, failure.isSuspended) }
    case 'forbidden':
    case 'recipient':
      return {
        status: 'failed',
        failures: 0,
        error: `X doesn't show the ${peopleOf(source)}: ${failure.message}`,
      }
    case 'invalid':
      return { status: 'failed', failures: 0, error: `${failed}: ${failure.message}` }
    default: {
      const inARow = failures + 1
      if (inARow >= FAILURES_MAX)
        return {
          status: 'failed',
          failures: inARow,
          error: `${failed}. ${failure.message} We kept the leads found so far. Resume the scrape later.`,
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

const PEOPLE: Record<Exclude<XSource, 'handles'>, string> = {
  followers: 'followers',
  following: 'following',
  likers: 'likers',
  repliers: 'repliers',
  list_members: 'list members',
}

function peopleOf({ type, twitterHandle }: Source): string {
  if (type === 'likers') return 'likers of this post'
  if (type === 'repliers') return 'replies to this post'
  if (type === 'list_members') return 'members of this list'
  return type === 'handles' ? 'profiles of these handles' : `${type} of @${twitterHandle}`
}

/** Explains why a source does not exist. @param isSuspended X says that the person is suspended */
export function noSuchSource({ type, twitterHandle }: Source, isSuspended = false): string {
  if (type === 'likers' || type === 'repliers') return "This post doesn't exist on X."
  if (type === 'list_members') return "This list doesn't exist on X, or it is private."
  if (isSuspended) return `@${twitterHandle} is suspended on X.`
  return type === 'handles' ? 'None of these handles exist on X.' : `@${twitterHandle} doesn't exist on X.`
}

/** Whether X is known to hide this user's lists: the user is protected, and `account` does not follow them. */
export function isHidden(
  user: { id: string; protected: boolean; isFollowed: boolean | null },
  account: { xUserId: string },
): boolean {
  return user.protected && user.id !== account.xUserId && user.isFollowed === false
}

export function protectedAccount(handle: string, type: XSource): string {
  const list = type === 'followers' ? 'who follows it' : 'who it follows'
  return `@${handle} is protected. Only approved followers can see ${list}.`
}

/** Whether resuming can help: the scrape was canceled, cut by the plan, or failed without a final response from X. */
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

/** Whether a scrape has ended, so that nothing more happens unless it is resumed. */
export function isOver(status: ScrapeStatus): boolean {
  return status === 'completed' || status === 'canceled' || status === 'failed'
}

/** A count that fits PostgreSQL's integer; null if X gave no number. */
export function wholeCount(count: number): number | null {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.trunc(count)), 2_147_483_647) : null
}
