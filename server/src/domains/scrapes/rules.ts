import type { ScrapeStatus } from '@x-automated/contract/scrapes'

/** What a profile must be to become a lead. */
export interface Wanted {
  minFollowers: number
  maxFollowers: number
  keywords: readonly string[]
}

/** Bounds are inclusive; of the keywords any, anywhere in the bio, whatever its case; none are all (domain rules, Leads and scraping). */
export function isWanted(
  profile: { bio: string; followerCount: number },
  { minFollowers, maxFollowers, keywords }: Wanted,
): boolean {
  if (profile.followerCount < minFollowers || profile.followerCount > maxFollowers) return false
  if (keywords.length === 0) return true
  const bio = profile.bio.toLowerCase()
  return keywords.some((keyword) => bio.includes(keyword.toLowerCase()))
}

/** How far a scrape is. */
export interface Progress {
  maxResults: number
  fetched: number
  /** As `fetched`, and those that had to be read twice: what X bills. */
  billed: number
  matched: number
  /** How many profiles there are, as X says; null before it said so. */
  expected: number | null
  /** Time spent reading so far. */
  busyMs: number
  /** What X bills for each profile. */
  readPriceCents: number
}

/** X's bounds of `max_results`, and the least that is worth a call. */
const PAGE_MAX = 1_000
const PAGE_MIN = 100

/** How many profiles to ask for next: each one read costs, so no more than are likely to be needed. */
export function pageSize({
  maxResults,
  fetched,
  matched,
}: Pick<Progress, 'maxResults' | 'fetched' | 'matched'>): number {
  const missing = maxResults - matched
  // Before anything is known one in three is taken to match.
  const hitRate = fetched === 0 ? 1 / 3 : Math.max(matched, 0.5) / fetched
  return Math.min(PAGE_MAX, Math.max(PAGE_MIN, Math.ceil(missing / hitRate)))
}

export interface Estimate {
  profiles: number
  secondsLeft: number | null
  costCents: number | null
}

/** How many profiles there are, in how many seconds the rest will be read, and what X will have billed then. Null before X has said how many there are. */
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

/** What X bills for so many profiles; null where it bills nothing. */
export function cents({ readPriceCents }: Pick<Progress, 'readPriceCents'>, profiles: number): number | null {
  return readPriceCents > 0 ? profiles * readPriceCents : null
}

/** Reading one profile takes about this long, where nothing has been read yet. */
const MS_EACH = 1
/** X's window for reading followers: so many pages in so many seconds (x-network.md). */
const WINDOW_PAGES = 300
const WINDOW_SECONDS = 15 * 60

/**
 * How long reading so many profiles will take, before it starts.
 * @param msEach what one took in scrapes before; null: there were none
 */
export function secondsFor(
  profiles: number,
  msEach: number | null,
  { readPriceCents }: Pick<Progress, 'readPriceCents'>,
): number {
  const reading = (profiles * (msEach ?? MS_EACH)) / 1000
  return Math.ceil(reading + windowsUsed({ readPriceCents }, profiles - 1) * WINDOW_SECONDS)
}

/** How many of X's windows so many profiles fill. Whoever bills limits, too. */
function windowsUsed({ readPriceCents }: Pick<Progress, 'readPriceCents'>, profiles: number): number {
  return readPriceCents > 0 ? Math.floor(Math.max(0, profiles) / (PAGE_MAX * WINDOW_PAGES)) : 0
}

/** Why a call to X failed, as the client of X says it. */
export interface Failure {
  kind: string
  message: string
  retryAt: Date | null
}

/** What becomes of a scrape whose call failed. */
export type Verdict =
  /** Goes on by itself at `resumesAt`, or, where that is null, once an X account is connected. */
  | { status: 'waiting'; resumesAt: Date | null; failures: number; error: string }
  /** `failures` 0: it was X's answer, and would be again. */
  | { status: 'failed'; failures: number; error: string }

/** Calls in a row without an answer before a scrape gives up. */
export const FAILURES_MAX = 8

/** X never asks to wait longer than its 15-minute windows; a day is a clock gone wrong. */
const WAIT_MAX_MS = 24 * 60 * 60_000

/** @param failures calls in a row that X had not answered before this one */
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
        error: 'X allows no more reading for now. The scrape goes on by itself.',
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
        error: `X does not show the ${type} of @${twitterHandle}: ${failure.message}`,
      }
    case 'invalid':
      return { status: 'failed', failures: 0, error: `Failed to scrape X ${type}: ${failure.message}` }
    default: {
      const inARow = failures + 1
      if (inARow >= FAILURES_MAX)
        return {
          status: 'failed',
          failures: inARow,
          error: `Failed to scrape X ${type}. ${failure.message} What was found is kept; resume the scrape later.`,
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
  return `There is no X account @${handle}.`
}

/** Is it known that X does not show this account whom they know? Whoever follows a protected one was approved by it; where X does not say, its lists will. */
export function isHidden(
  user: { id: string; protected: boolean; isFollowed: boolean | null },
  account: { xUserId: string },
): boolean {
  return user.protected && user.id !== account.xUserId && user.isFollowed === false
}

export function protectedAccount(handle: string, type: 'followers' | 'following'): string {
  return `@${handle} is protected: X shows its ${type} only to people whom it has approved.`
}

/**
 * Would it get further if somebody resumed it? One that X's own answer ended would not: there is nobody of that handle, or X does not show whom they know.
 * Of those that are complete only one that the plan stopped early.
 */
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

/** No more will happen unless somebody resumes it. */
export function isOver(status: ScrapeStatus): boolean {
  return status === 'completed' || status === 'canceled' || status === 'failed'
}

/** What fits PostgreSQL's integer; null where X gave no number. */
export function wholeCount(count: number): number | null {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.trunc(count)), 2_147_483_647) : null
}
