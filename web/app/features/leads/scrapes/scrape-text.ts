import { formatCount, formatDate, formatMoney, formatNumber } from '@x-automated/contract/format'
import { LOOK_PEOPLE_MAX, LOOKS_PER_DAY } from '@x-automated/contract/leads/scrape-limits'
import { lookCents } from '@x-automated/contract/leads/scrape-prices'
import type { Scrape, ScrapeStatus } from '@x-automated/contract/leads/scrapes'
import { HANDLE_PROBLEMS, handleFault, handleIn } from '@x-automated/contract/x-handle'
import type { client } from '../../../api'

/** What is wrong with the handle to scrape, or null. */
export function handleProblem(typed: string): string | null {
  const handle = handleIn(typed)
  if (handle === '') return 'Please enter a X handle to scrape'
  const fault = handleFault(handle)
  if (fault === 'page') return `“${handle}” ${HANDLE_PROBLEMS.page}.`
  return fault && 'A handle has 1 to 15 letters, digits or underscores.'
}

/** Whether a scrape is queued, running or waiting. */
export function isInProgress(status: ScrapeStatus): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting'
}

export const SESSION_EXPIRED = 'X session expired or invalid. Please enter your X credentials.'
export const CREDENTIALS_REQUIRED = 'Please enter your X credentials'

/** Whether a scrape waits until someone connects an X account. */
export function needsConnection({ status, resumesAt }: Pick<Scrape, 'status' | 'resumesAt'>): boolean {
  return status === 'waiting' && resumesAt === null
}

/** Time left as text; null while the scrape waits for an X account. */
export function scrapeTimeLeftText(scrape: Pick<Scrape, 'status' | 'resumesAt' | 'estimate'>): string | null {
  if (needsConnection(scrape)) return null
  if (scrape.status === 'queued') return 'Starting soon'
  const secondsLeft = scrape.estimate?.secondsLeft ?? null
  if (secondsLeft === null) return 'Estimating…'
  const text = roughDurationText(secondsLeft)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Whether this error means that X requires a new login. Ignores handles such as @session. */
export function isSessionError(failure: { status?: number; code?: string | null; message: string }): boolean {
  return (
    failure.status === 401 ||
    failure.code === 'X_SESSION_EXPIRED' ||
    /session/i.test(failure.message.replace(/@\w+/g, ''))
  )
}

/** 'Followers of @ada'. */
export function scrapeTitle({
  type,
  twitterHandle,
  postUrl,
  listUrl,
}: Pick<Scrape, 'type' | 'twitterHandle' | 'postUrl' | 'listUrl'>): string {
  switch (type) {
    case 'followers':
      return `Followers of @${twitterHandle}`
    case 'following':
      return `Followed by @${twitterHandle}`
    case 'likers':
      return `Likes of ${bareUrl(postUrl)}`
    case 'repliers':
      return `Replies to ${bareUrl(postUrl)}`
    case 'list_members':
      return `Members of ${bareUrl(listUrl)}`
    case 'handles':
      return 'Pasted handles'
  }
}

/** 'the followers of @ada', for sentences. */
export function sourceTitle({ type, twitterHandle, postUrl = '', listUrl = '' }: ScrapeSource): string {
  switch (type) {
    case 'followers':
      return `the followers of @${twitterHandle}`
    case 'following':
      return `accounts followed by @${twitterHandle}`
    case 'likers':
      return `the likes of ${bareUrl(postUrl)}`
    case 'repliers':
      return `the replies to ${bareUrl(postUrl)}`
    case 'list_members':
      return `the members of ${bareUrl(listUrl)}`
    case 'handles':
      return 'these handles'
  }
}

/** 'x.com/ana/status/1'. */
function bareUrl(url: string | null): string {
  return (url ?? '').replace(/^https?:\/\/(www\.)?|[?#].*$/g, '')
}

/** '100 to 10,000 followers · founder, saas'. */
export function scrapeFilter({
  minFollowers,
  maxFollowers,
  keywords,
}: Pick<Scrape, 'minFollowers' | 'maxFollowers' | 'keywords'>): string {
  const bounds = `${formatNumber(minFollowers)} to ${formatNumber(maxFollowers)} followers`
  return keywords.length > 0 ? `${bounds} · ${keywords.join(', ')}` : bounds
}

/** 'about 2 min': rounded so that it doesn't flicker. */
export function roughDurationText(seconds: number): string {
  if (seconds < 5) return 'a few seconds'
  if (seconds < 55) return `about ${Math.ceil(seconds / 5) * 5} seconds`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `about ${Math.max(1, minutes)} min`
  const rest = minutes % 60
  return rest === 0 ? `about ${minutes / 60} h` : `about ${Math.floor(minutes / 60)} h ${rest} min`
}

/** Time and cost of a scrape before it starts. */
export interface Estimate {
  profiles: number
  /** What is probably read before there are enough leads. `costCents` is null if X does not bill it. */
  likely: { profiles: number; seconds: number; costCents: number | null }
  /** The most that X charges; null if it is free. */
  costCents: number | null
}

const PROFILES: Record<Scrape['type'], readonly [one: string, many?: string]> = {
  followers: ['follower'],
  following: ['followed account'],
  likers: ['like'],
  repliers: ['reply', 'replies'],
  list_members: ['list member'],
  handles: ['handle'],
}

/** '12,000 followers · reads about 3,000 in about 2 min · X bills about $30.00, at most $120.00'. */
export function estimateText({ profiles, likely, costCents }: Estimate, type: Scrape['type']): string {
  const people = formatCount(profiles, ...PROFILES[type])
  const reads = likely.profiles < profiles ? `reads about ${formatNumber(likely.profiles)} in ` : ''
  const bill =
    costCents === null || likely.costCents === null
      ? ''
      : likely.costCents < costCents
        ? ` · X bills about ${formatMoney(likely.costCents)}, at most ${formatMoney(costCents)}`
        : ` · X bills up to ${formatMoney(costCents)}`
  return `${people} · ${reads}${roughDurationText(likely.seconds)}${bill}`
}

/** The choices for the maximum number of leads. */
export const LEAD_LIMITS = [100, 1_000, 10_000, 100_000, 1_000_000] as const
const LEAD_LIMIT_MAX = 200

/** The preselected maximum number of leads. @param left how many the plan still allows this month; null: unlimited */
export function defaultLeadLimit(left: number | null): number {
  return left ? Math.min(LEAD_LIMIT_MAX, left) : LEAD_LIMIT_MAX
}

/** 'All 100 leads of this month are saved. You can save more from Dec 1.' Months are UTC. */
export function usedUpText(limit: number, now: Date): string {
  const reset = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
  const day = formatDate(reset, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  return `All ${formatCount(limit, 'lead')} of this month are saved. You can save more from ${day}.`
}

/** 'A look reads up to 25 profiles and saves nobody. X bills up to $0.26. Your workspace can look 4 times a day.' */
export function lookText(type: Scrape['type'], x: { readPriceCents: number }, looksLeft: number | null): string {
  const cost = lookCents(type, LOOK_PEOPLE_MAX, x)
  const times =
    looksLeft === null
      ? `Your workspace can look ${LOOKS_PER_DAY} times a day.`
      : looksLeft === 0
        ? "Today's looks are used up."
        : `${formatCount(looksLeft, 'look')} left today.`
  return [
    `A look reads up to ${LOOK_PEOPLE_MAX} profiles and saves nobody.`,
    cost !== null && `X bills up to ${formatMoney(cost)}.`,
    times,
  ]
    .filter(Boolean)
    .join(' ')
}

/** The request that repeats a scrape. Pasted handles are not included. */
export function requestOf({
  twitterHandle,
  type,
  postUrl,
  listUrl,
  minFollowers,
  maxFollowers,
  keywords,
  maxResults,
}: Scrape): ScrapeRequest {
  return {
    ...sourceOf({ type, twitterHandle, postUrl, listUrl }),
    minFollowers,
    maxFollowers,
    keywords,
    maxResults,
  }
}

/** A scrape's source, in the form of a request. */
export function sourceOf({
  type,
  twitterHandle,
  postUrl,
  listUrl,
}: Pick<Scrape, 'type' | 'twitterHandle' | 'postUrl' | 'listUrl'>): ScrapeSource {
  return {
    type,
    ...(twitterHandle !== null && { twitterHandle }),
    ...(postUrl !== null && { postUrl }),
    ...(listUrl !== null && { listUrl }),
  }
}

export type ScrapeSource = Pick<ScrapeRequest, 'type' | 'twitterHandle' | 'postUrl' | 'listUrl' | 'handles'>
type ScrapeRequest = Parameters<typeof client.scrapes.create>[0]
