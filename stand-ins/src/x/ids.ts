import { hash } from './hash.ts'

/** A valid handle on X. */
export const HANDLE = /^[A-Za-z0-9_]{1,15}$/

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789_'
const BASE = ALPHABET.length
const DIGIT = new Map([...ALPHABET].map((character, index) => [character, index + 1]))
const HALF_LENGTH = 6
const HALF = BigInt(BASE ** HALF_LENGTH)

/** There are fewer than 2^63 handles of up to 12 characters, so their ids can be decoded. */
const REVERSIBLE_LENGTH = 12
const REVERSIBLE = (BigInt(BASE) ** BigInt(REVERSIBLE_LENGTH + 1) - BigInt(BASE)) / BigInt(BASE - 1)
const LARGEST_ID = 2n ** 63n - 1n

// An affine permutation, so that similar handles get distant ids.
const FACTOR = 4_611_686_018_427_387_847n
const SHIFT = 1_288_834_974_657n
const FACTOR_BACK = inverse(FACTOR, REVERSIBLE)

/** Returns the id of a handle, ignoring case: a decimal string of at most 19 digits. */
export function idOfHandle(handle: string): string {
  const name = handle.toLowerCase()
  if (name.length > REVERSIBLE_LENGTH) {
    const wide = (BigInt(hash(name, 1)) << 32n) | BigInt(hash(name, 2))
    return String(REVERSIBLE + 1n + (wide % (LARGEST_ID - REVERSIBLE)))
  }
  return String(((numberOf(name) * FACTOR + SHIFT) % REVERSIBLE) + 1n)
}

/** Returns the handle of an id; undefined for unknown ids, and those of handles of 13 to 15 characters. */
export function handleOfId(id: string): string | undefined {
  const position = BigInt(id) - 1n
  if (position < 0n || position >= REVERSIBLE) return undefined
  let number = (((position - SHIFT) % REVERSIBLE) + REVERSIBLE) % REVERSIBLE
  number = (number * FACTOR_BACK) % REVERSIBLE
  let handle = ''
  for (let rest = number + 1n; rest > 0n; rest = (rest - 1n) / BigInt(BASE)) {
    handle = ALPHABET.charAt(Number((rest - 1n) % BigInt(BASE))) + handle
  }
  return handle
}

/** Returns the index of a handle of up to 12 characters. Computed in two halves, because BigInt is slow. */
function numberOf(name: string): bigint {
  const split = Math.max(0, name.length - HALF_LENGTH)
  return BigInt(bijective(name, 0, split)) * HALF + BigInt(bijective(name, split, name.length)) - 1n
}

function bijective(name: string, from: number, to: number): number {
  let number = 0
  for (let i = from; i < to; i++) number = number * BASE + (DIGIT.get(name.charAt(i)) as number)
  return number
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n]
  while (b !== 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y]
  if (a !== 1n) throw new Error('The factor is not coprime to the number of handles')
  return ((x % modulus) + modulus) % modulus
}

/** X's ids are snowflakes: milliseconds since this time, above 22 bits of sequence. */
const EPOCH = 1_288_834_974_657

/** Returns a generator of increasing ids. After `see(id)`, new ids are larger than that id. */
export function snowflakes(now: () => number) {
  let last = 0n
  return {
    next(): string {
      const fromTime = BigInt(now() - EPOCH) << 22n
      last = fromTime > last ? fromTime : last + 1n
      return String(last)
    },
    see(id: string) {
      if (BigInt(id) > last) last = BigInt(id)
    },
  }
}
