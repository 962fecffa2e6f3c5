import { HISTOGRAM_BOUNDS } from '@x-automated/contract/leads/scrape-limits'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { FOLLOWERS_MAX } from '../leads/leads-url'

/** A range of follower counts, inclusive; null: any. */
export interface FollowerFilter {
  min: number | null
  max: number | null
}

/** The range of followers that a scrape kept. */
export type Kept = Pick<Scrape, 'minFollowers' | 'maxFollowers'>

/** The end of the scale: one step per bin of the histogram, four per power of ten. */
export const SCALE_END = HISTOGRAM_BOUNDS.length

/** The place of a follower count on the logarithmic scale. */
export function placeOf(followers: number): number {
  return followers < 1 ? 0 : Math.min(SCALE_END, 1 + 4 * Math.log10(followers))
}

/** The follower count at a place, rounded to two digits. */
export function followersAt(place: number): number {
  if (place < 1) return 0
  const followers = 10 ** ((place - 1) / 4)
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(followers)) - 1)
  return Math.round(followers / digit) * digit
}

/** The filter between two places; the ends of the scale mean any. */
export function filterBetween(from: number, to: number): FollowerFilter {
  return { min: from <= 0 ? null : followersAt(from), max: to >= SCALE_END ? null : followersAt(to) }
}

/** Whether the filter reaches beyond what the scrape kept. */
export function isWider({ min, max }: FollowerFilter, kept: Kept): boolean {
  return (min ?? 0) < kept.minFollowers || (max ?? FOLLOWERS_MAX) > kept.maxFollowers
}

/** The scrape's bounds, extended to the filter. */
export function widened({ min, max }: FollowerFilter, kept: Kept): Kept {
  return {
    minFollowers: Math.min(min ?? 0, kept.minFollowers),
    maxFollowers: Math.max(max ?? FOLLOWERS_MAX, kept.maxFollowers),
  }
}
