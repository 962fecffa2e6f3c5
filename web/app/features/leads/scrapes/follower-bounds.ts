/** The scraper's sliders: a copy of the contract's, which a test compares. */
export const followerSliders = {
  min: { from: 0, to: 100_000, step: 100, default: 100 },
  max: { from: 0, to: 1_000_000, step: 1_000, default: 10_000 },
} as const

/** A range of follower counts, inclusive. */
export interface FollowerBounds {
  minFollowers: number
  maxFollowers: number
}

/** Moves the lower bound and raises the upper one with it if needed, to a step of its slider. */
export function withMin({ maxFollowers }: FollowerBounds, minFollowers: number): FollowerBounds {
  const { step, to } = followerSliders.max
  const pulled = Math.min(to, Math.ceil(minFollowers / step) * step)
  return { minFollowers, maxFollowers: minFollowers > maxFollowers ? pulled : maxFollowers }
}

/** Moves the upper bound and lowers the lower one with it if needed. */
export function withMax({ minFollowers }: FollowerBounds, maxFollowers: number): FollowerBounds {
  return { minFollowers: Math.min(minFollowers, maxFollowers), maxFollowers }
}
