import { FOLLOWER_SLIDERS } from '@x-automated/contract/leads/scrape-limits'

/** A range of follower counts, inclusive. */
interface FollowerBounds {
  minFollowers: number
  maxFollowers: number
}

/** Moves the lower bound to a step of its slider, and raises the upper bound with it if needed. */
export function withMin({ maxFollowers }: FollowerBounds, minFollowers: number): FollowerBounds {
  const { step, to } = FOLLOWER_SLIDERS.max
  const pulled = Math.min(to, Math.ceil(minFollowers / step) * step)
  return { minFollowers, maxFollowers: minFollowers > maxFollowers ? pulled : maxFollowers }
}

/** Moves the upper bound, and lowers the lower bound with it if needed. */
export function withMax({ minFollowers }: FollowerBounds, maxFollowers: number): FollowerBounds {
  return { minFollowers: Math.min(minFollowers, maxFollowers), maxFollowers }
}
