import { HISTOGRAM_BOUNDS } from '@x-automated/contract/leads/scrape-limits'

/** A range of follower counts, inclusive; null: no bound. */
export interface FollowerFilter {
  min: number | null
  max: number | null
}

export const NO_FILTER: FollowerFilter = { min: null, max: null }

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

/** The filter between two places; the ends of the scale mean no bound. */
export function filterBetween(from: number, to: number): FollowerFilter {
  return { min: from <= 0 ? null : followersAt(from), max: to >= SCALE_END ? null : followersAt(to) }
}

export function isInFilter(followers: number | null, { min, max }: FollowerFilter): boolean {
  if (min === null && max === null) return true
  return followers !== null && followers >= (min ?? 0) && followers <= (max ?? Number.POSITIVE_INFINITY)
}

/** The part of a lead query that a filter stands for. */
export function queryOf({ min, max }: FollowerFilter): { minFollowers?: number; maxFollowers?: number } {
  return { ...(min !== null && { minFollowers: min }), ...(max !== null && { maxFollowers: max }) }
}

/** Whether the filter reaches beyond what the scrape kept. */
export function isWider({ min, max }: FollowerFilter, kept: { minFollowers: number; maxFollowers: number }): boolean {
  return (min !== null && min < kept.minFollowers) || (max !== null && max > kept.maxFollowers)
}
