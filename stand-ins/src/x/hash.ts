/** Returns a stable 32-bit hash of a text (FNV-1a with a final mix). */
export function hash(text: string, seed = 0): number {
  let h = 0x811c9dc5 ^ seed
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return mix(h)
}

/** Mixes the bits of a 32-bit number reversibly. */
export function mix(value: number): number {
  let h = value
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** A seeded random generator (mulberry32). */
export type Dice = {
  /** At least 0 and less than 1. */
  next(): number
  chance(share: number): boolean
  below(count: number): number
  pick<Item>(items: readonly Item[]): Item
}

export function dice(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (count: number) => Math.floor(next() * count)
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item,
  }
}

/**
 * Returns a permutation of 0 … size-1 that needs no storage: a Feistel network with cycle walking.
 * `indexOf` is the inverse of `at`.
 */
export function shuffle(size: number, key: number) {
  const halfBits = Math.max(1, Math.ceil(Math.log2(Math.max(2, size)) / 2))
  const half = (1 << halfBits) - 1
  const round = (right: number, n: number) => mix(right + Math.imul(key + n, 0x9e3779b1)) & half

  const forth = (value: number) => {
    let left = value >>> halfBits
    let right = value & half
    for (let n = 0; n < 4; n++) [left, right] = [right, left ^ round(right, n)]
    return (left << halfBits) | right
  }
  const back = (value: number) => {
    let left = value >>> halfBits
    let right = value & half
    for (let n = 3; n >= 0; n--) [left, right] = [right ^ round(left, n), left]
    return (left << halfBits) | right
  }
  const walk = (step: (value: number) => number, from: number) => {
    let value = step(from)
    while (value >= size) value = step(value)
    return value
  }
  return { at: (index: number) => walk(forth, index), indexOf: (value: number) => walk(back, value) }
}
