import type { XSource } from '../platform/x-account.ts'

/** An X, with its price per profile read, in cents; 0 if free. */
interface PricedX {
  readPriceCents: number
}

/** What finding a source costs, in profiles. Given handles need no source. */
const SOURCE_PRICES: Record<XSource, number> = {
  followers: 1,
  following: 1,
  likers: 0.5,
  repliers: 0.5,
  list_members: 0.5,
  handles: 0,
}

/** X's price per profile, in cents. A replier costs their profile and, at half the price, the reply. */
export function priceOf(type: XSource, { readPriceCents }: PricedX): number {
  return type === 'repliers' ? readPriceCents * 1.5 : readPriceCents
}

/** The most that X charges for a look at a number of people, in cents; null if it is free. */
export function lookCents(type: XSource, people: number, x: PricedX): number | null {
  const total = people * priceOf(type, x) + SOURCE_PRICES[type] * x.readPriceCents
  return x.readPriceCents > 0 ? Math.ceil(total) : null
}
