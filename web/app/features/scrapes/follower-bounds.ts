/** The sliders of the scraper (specification §9). The contract names the same; a test holds them together. */
export const followerSliders = {
  min: { from: 0, to: 100_000, step: 100, default: 100 },
  max: { from: 0, to: 1_000_000, step: 1_000, default: 10_000 },
} as const

/** How many followers someone may have, both ends included. */
export interface FollowerBounds {
  minFollowers: number
  maxFollowers: number
}

/** Moves the lower bound. Above the upper one it pulls that up with it, to the next step of its slider. */
export function withMin({ maxFollowers }: FollowerBounds, minFollowers: number): FollowerBounds {
  const { step, to } = followerSliders.max
  const pulled = Math.min(to, Math.ceil(minFollowers / step) * step)
  return { minFollowers, maxFollowers: minFollowers > maxFollowers ? pulled : maxFollowers }
}

/** Moves the upper bound. Below the lower one it pulls that down with it. */
export function withMax({ minFollowers }: FollowerBounds, maxFollowers: number): FollowerBounds {
  return { minFollowers: Math.min(minFollowers, maxFollowers), maxFollowers }
}
