import { dice, hash, mix, shuffle } from './hash.ts'
import { FIRST_NAMES, HANDLE_ENDS } from './vocabulary.ts'

// Followers are drawn from a population. Each of its members has a number, which corresponds to a
// handle made of a first name, an ending and a number below NUMBERS, such as `lena_dev42`.
const NUMBERS = 1000
/** The size of the population. */
export const POPULATION = FIRST_NAMES.length * HANDLE_ENDS.length * NUMBERS

/** Followers of test handles come from smaller populations, with the trait in their handles: `open_00a7`. */
const TRAIT_DIGITS = 4
/** The size of each population with a trait. */
export const TRAIT_POPULATION = 36 ** TRAIT_DIGITS

const NAME_PLACE = new Map(FIRST_NAMES.map((name, index) => [name, index]))
const END_PLACE = new Map(HANDLE_ENDS.map((end, index) => [end, index]))

/** Returns the handle of a member of the population. @param person the member's number, from 0 */
export function handleOf(person: number): string {
  const name = person % FIRST_NAMES.length
  const end = Math.floor(person / FIRST_NAMES.length) % HANDLE_ENDS.length
  const number = Math.floor(person / (FIRST_NAMES.length * HANDLE_ENDS.length))
  const joint = number % 2 === 0 ? '_' : ''
  return `${FIRST_NAMES[name]}${joint}${HANDLE_ENDS[end]}${number === 0 ? '' : number}`
}

/** Returns the number and first name of the member with a handle; undefined for handles outside the population. */
export function memberOf(handle: string): { person: number; firstName: string } | undefined {
  const parts = /^([a-z_]+?)([1-9]\d{0,2})?$/.exec(handle.toLowerCase())
  if (!parts?.[1]) return undefined
  const number = Number(parts[2] ?? 0)
  const letters = parts[1]
  const joint = number % 2 === 0 ? '_' : ''
  for (let length = 2; length <= 5; length++) {
    const name = NAME_PLACE.get(letters.slice(0, length))
    const end = END_PLACE.get(letters.slice(length + joint.length))
    if (name === undefined || end === undefined || letters.slice(length, length + joint.length) !== joint) continue
    return {
      person: name + FIRST_NAMES.length * (end + HANDLE_ENDS.length * number),
      firstName: letters.slice(0, length),
    }
  }
  return undefined
}

/** Capitalizes some people's handles. X ignores case in handles. */
export function withCapitals(handle: string): string {
  const style = mix(hash(handle)) % 10
  if (style < 7) return handle
  const capital = handle.charAt(0).toUpperCase() + handle.slice(1)
  return style < 9 ? capital : capital.replace(/_./, (joint) => joint.toUpperCase())
}

/** Followers or followed people: `count` people in a fixed order, computed by index. */
export type People = { count: number; handleAt(index: number): string; includes(handle: string): boolean }

/** Returns the people in a list, such as `followers:bigfounder`. @param trait the trait of a test handle's followers */
export function peopleOf(list: string, count: number, trait?: string): People {
  const { size, handleOf, numberOf } = trait === undefined ? EVERYONE : peopleWith(trait)
  const order = shuffle(size, hash(list))
  const length = Math.min(count, size)
  return {
    count: length,
    handleAt: (index) => handleOf(order.at(index)),
    includes(handle) {
      const number = numberOf(handle)
      return number !== undefined && order.indexOf(number) < length
    },
  }
}

const EVERYONE = {
  size: POPULATION,
  handleOf: (person: number) => withCapitals(handleOf(person)),
  numberOf: (handle: string) => memberOf(handle)?.person,
}

function peopleWith(trait: string): typeof EVERYONE {
  const pattern = new RegExp(`^${trait}_([0-9a-z]{${TRAIT_DIGITS}})$`, 'i')
  return {
    size: TRAIT_POPULATION,
    handleOf: (person) => `${trait}_${person.toString(36).padStart(TRAIT_DIGITS, '0')}`,
    numberOf(handle) {
      const digits = pattern.exec(handle)?.[1]
      return digits === undefined ? undefined : Number.parseInt(digits, 36)
    },
  }
}

/** Returns a realistic follower count: usually hundreds, sometimes zero, rarely millions. */
export function followerCountFrom(seed: number): number {
  const draw = dice(seed)
  if (draw.chance(0.02)) return 0
  if (draw.chance(0.0008)) return Math.round(1_000_000 * (1 + draw.next() * 4))
  const bell = draw.next() + draw.next() + draw.next() - 1.5
  return Math.round(10 ** (2.7 + bell * 1.9))
}
