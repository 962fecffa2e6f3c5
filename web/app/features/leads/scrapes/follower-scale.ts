import { HISTOGRAM_BOUNDS } from '@x-automated/contract/leads/scrape-limits'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { FOLLOWERS_MAX } from '../leads/leads-url'

/** A range of follower counts, inclusive. Null means any. */
export interface FollowerFilter {
  min: number | null
  max: number | null
}

/** The bounds of a scrape's follower counts. */
export type ScrapeBounds = Pick<Scrape, 'minFollowers' | 'maxFollowers'>

/** The end of the scale. Each bin of the histogram is one step, four per power of ten. */
export const SCALE_END = HISTOGRAM_BOUNDS.length

/** The position of a follower count on the logarithmic scale. */
export function positionOf(followers: number): number {
  return followers < 1 ? 0 : Math.min(SCALE_END, 1 + 4 * Math.log10(followers))
}

/** The follower count at a position, rounded to two digits. */
export function followersAt(position: number): number {
  if (position < 1) return 0
  const followers = 10 ** ((position - 1) / 4)
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(followers)) - 1)
  return Math.round(followers / digit) * digit
}

/** The filter for a range of positions. An end of the scale means no bound. */
export function filterBetween(from: number, to: number): FollowerFilter {
  return { min: from <= 0 ? null : followersAt(from), max: to >= SCALE_END ? null : followersAt(to) }
}

/** Whether the filter includes follower counts outside the scrape's range. */
export function isWider({ min, max }: FollowerFilter, bounds: ScrapeBounds): boolean {
  return (min ?? 0) < bounds.minFollowers || (max ?? FOLLOWERS_MAX) > bounds.maxFollowers
}

/** The scrape's bounds, extended to include the filter's. */
export function widened({ min, max }: FollowerFilter, bounds: ScrapeBounds): ScrapeBounds {
  return {
    minFollowers: Math.min(min ?? 0, bounds.minFollowers),
    maxFollowers: Math.max(max ?? FOLLOWERS_MAX, bounds.maxFollowers),
  }
}
