/** How to draw a face: an index into each list of faces.ts. */
export interface Look {
  skin: number
  hair: number
  cut: number
  shirt: number
}

export interface Person {
  name: string
  /** The follower count as a power of ten. */
  exponent: number
  words: readonly string[]
  /** The part of the bio for each word. */
  bio: readonly string[]
  look: Look
}

/** Powers of ten: from 10 to a million followers. */
export const SCALE = { from: 1, to: 6 }
export const HANDLES = ['indiehackers', 'figma', 'ycombinator']

const PEOPLE = 240
/** Each handle's people have follower counts around this power of ten. */
const CENTERS = [3.2, 3.5, 3.8]
const NAMES =
  'Maya Jonas Priya Tomás Ines Noah Aiko Lena Omar Sofia Kwame Elif Mateo Hana Luca Zuri Emil Nadia Ravi Chloé'.split(
    ' ',
  )
const LAST = 'Okafor Lindqvist Raman Vidal Moreau Berg Tanaka Hofer Haddad Rossi Mensah Demir Silva Kim'.split(' ')
/** For each word: what bios say, and how frequent that is for each handle. */
const BIOS: Record<string, { says: string; shares: readonly number[] }> = {
  founder: { says: 'founder of a small studio', shares: [0.5, 0.2, 0.7] },
  building: { says: 'building in public', shares: [0.45, 0.25, 0.4] },
  design: { says: 'design first', shares: [0.2, 0.75, 0.15] },
  saas: { says: 'two SaaS products', shares: [0.35, 0.15, 0.4] },
  ai: { says: 'AI all day', shares: [0.25, 0.3, 0.45] },
  writer: { says: 'writer at night', shares: [0.2, 0.2, 0.1] },
  crypto: { says: 'crypto since 2017', shares: [0.1, 0.06, 0.12] },
}
export const WORDS = Object.keys(BIOS)

/** The sample people for a handle. They never change. */
export function peopleOf(handle: number): Person[] {
  const draw = dice(handle + 1)
  return Array.from({ length: PEOPLE }, (): Person => {
    const pick = (count: number) => Math.floor(draw() * count)
    const bell = (draw() + draw() + draw() + draw()) / 2 - 1
    const exponent = Math.min(SCALE.to, Math.max(SCALE.from, (CENTERS[handle] ?? 3) + bell * 2))
    const drawn = WORDS.filter((word) => draw() < (BIOS[word]?.shares[handle] ?? 0)).slice(0, 3)
    const words = drawn.length > 0 ? drawn : ['writer']
    return {
      name: `${NAMES[pick(NAMES.length)]} ${LAST[pick(LAST.length)]}`,
      exponent,
      words,
      bio: words.map((word) => BIOS[word]?.says ?? ''),
      look: { skin: pick(4), hair: pick(4), cut: pick(5), shirt: pick(6) },
    }
  })
}

/** The number of people in each bar of a histogram, and the highest count. */
export function highestCount(people: readonly Person[], bars: number): { counts: number[]; most: number } {
  const counts = Array.from({ length: bars }, () => 0)
  for (const { exponent } of people) {
    const bar = Math.min(bars - 1, Math.floor(((exponent - SCALE.from) / (SCALE.to - SCALE.from)) * bars))
    counts[bar] = (counts[bar] ?? 0) + 1
  }
  return { counts, most: Math.max(...counts) }
}

/** A seeded random generator from 0 to 1 (mulberry32). */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
