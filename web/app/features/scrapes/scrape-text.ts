import type { Scrape, ScrapeStatus } from '@x-automated/contract/scrapes'
import { HANDLE_PROBLEMS, handleFault, handleIn } from '@x-automated/contract/x-handle'

/** What is wrong with the handle to scrape, or null. */
export function handleProblem(typed: string): string | null {
  const handle = handleIn(typed)
  if (handle === '') return 'Please enter a X handle to scrape'
  const fault = handleFault(handle)
  if (fault === 'page') return `“${handle}” ${HANDLE_PROBLEMS.page}.`
  return fault && 'A handle has 1 to 15 letters, digits or underscores.'
}

/** Still at work, or about to be. */
export function isInProgress(status: ScrapeStatus): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting'
}

/** Said where X wants to be signed in to again (specification §8), and where a field for that is empty (§5). */
export const SESSION_EXPIRED = 'X session expired or invalid. Please enter your X credentials.'
export const CREDENTIALS_REQUIRED = 'Please enter your X credentials'

/** Does it stand still until somebody connects an X account? */
export function needsConnection({ status, resumesAt }: Pick<Scrape, 'status' | 'resumesAt'>): boolean {
  return status === 'waiting' && resumesAt === null
}

/** How long a scrape under way will still take, in words; null where that depends on somebody connecting X. */
export function timeLeftOf(scrape: Pick<Scrape, 'status' | 'resumesAt' | 'estimate'>): string | null {
  if (needsConnection(scrape)) return null
  if (scrape.status === 'queued') return 'Starting soon'
  const secondsLeft = scrape.estimate?.secondsLeft ?? null
  if (secondsLeft === null) return 'Working it out'
  const words = timeLeftText(secondsLeft)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Does this failure mean that X wants to be signed in to again (specification §8)? */
export function isSessionError(failure: { status?: number; code?: string | null; words: string }): boolean {
  return failure.status === 401 || failure.code === 'X_SESSION_EXPIRED' || /session/i.test(failure.words)
}

/** 'Followers of @ada'. */
export function scrapeTitle({ type, twitterHandle }: Pick<Scrape, 'type' | 'twitterHandle'>): string {
  return type === 'followers' ? `Followers of @${twitterHandle}` : `Followed by @${twitterHandle}`
}

/** Who was looked for: '100 to 10,000 followers · founder, saas'. */
export function scrapeFilter({
  minFollowers,
  maxFollowers,
  keywords,
}: Pick<Scrape, 'minFollowers' | 'maxFollowers' | 'keywords'>): string {
  const bounds = `${minFollowers.toLocaleString('en-US')} to ${maxFollowers.toLocaleString('en-US')} followers`
  return keywords.length > 0 ? `${bounds} · ${keywords.join(', ')}` : bounds
}

/** How long something will still take, rounded so that it does not flicker: 'about 2 min'. */
export function timeLeftText(seconds: number): string {
  if (seconds < 5) return 'a few seconds'
  if (seconds < 55) return `about ${Math.ceil(seconds / 5) * 5} sec`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `about ${Math.max(1, minutes)} min`
  const rest = minutes % 60
  return rest === 0 ? `about ${minutes / 60} h` : `about ${Math.floor(minutes / 60)} h ${rest} min`
}

/** What a scrape would take, before it starts. */
export interface Estimate {
  profiles: number
  seconds: number
  /** Null where X bills nothing. */
  costCents: number | null
}

/** '12,000 followers: reading all takes about 2 min, and X bills up to $120.00.' */
export function estimateText({ profiles, seconds, costCents }: Estimate, type: Scrape['type']): string {
  const people = type === 'followers' ? 'followers' : 'people followed'
  const bill = costCents === null ? '' : `, and X bills up to ${moneyWords(costCents)}`
  return `${profiles.toLocaleString('en-US')} ${people}: reading all takes ${timeLeftText(seconds)}${bill}.`
}

/** '$1,234.50'. */
export function moneyWords(cents: number): string {
  return (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' })
}

/** How many leads a scrape looks for at most. The first is what POST /scrapes takes where none is named. */
export const LEAD_LIMITS = [1_000, 100, 10_000, 100_000, 1_000_000] as const

/** What a scrape asks for, to ask for it once more. */
export function requestOf({
  twitterHandle,
  type,
  minFollowers,
  maxFollowers,
  keywords,
  maxResults,
}: Scrape): Pick<Scrape, 'twitterHandle' | 'type' | 'minFollowers' | 'maxFollowers' | 'keywords' | 'maxResults'> {
  return { twitterHandle, type, minFollowers, maxFollowers, keywords, maxResults }
}
