import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { VariantRecord, VariantShare } from '../tables/sequences.ts'

/** The step and the lead for which a variant is chosen. */
interface Assigned {
  campaignId: SQL
  stepId: SQL
  leadId: SQL
}

/** A double holds at most 13 hexadecimal digits exactly. */
const DIGITS = 13
const POINTS = 16 ** DIGITS

/** SQL: the variant of a step that a lead gets. The same ids and shares always give the same one. */
export function variantOf(to: Assigned, shares: readonly VariantShare[]): SQL {
  const ends = upperEnds(shares)
  const last = ends.pop()
  if (!last) throw new Error('A step needs an active variant.')
  if (ends.length === 0) return sql`${last.id}::text`
  const text = sql`concat_ws(' ', ${to.campaignId}, ${to.stepId}, ${to.leadId})`
  const digits = sql`left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), ${DIGITS}::int)`
  const point = sql`('x' || lpad(${digits}, 16, '0'))::bit(64)::bigint`
  const cases = ends.map(({ id, end }) => sql`when ${point} < ${end}::double precision then ${id}::text`)
  return sql`case ${sql.join(cases, sql` `)} else ${last.id}::text end`
}

/** The upper end of each variant's range of points. Variants without a share have no range. */
function upperEnds(shares: readonly VariantShare[]): { id: string; end: number }[] {
  const positive = shares.filter(({ share }) => share > 0)
  const total = positive.reduce((sum, { share }) => sum + share, 0)
  let before = 0
  return positive.map(({ id, share }, index) => {
    before += share
    return { id, end: index === positive.length - 1 ? POINTS : Math.round((before / total) * POINTS) }
  })
}

/** Chi-squared at p = 0.001 for 1 to 4 degrees of freedom. */
const CHI_SQUARED_LIMITS = [10.828, 13.816, 16.266, 18.467]
/** With fewer expected people, chi-squared says little. */
const EXPECTED_MIN = 5

/** Whether the split of people over the active variants differs from the plan (p < 0.001). */
export function isSplitOff(variants: readonly { people: number; weight: number }[]): boolean {
  const people = variants.reduce((sum, variant) => sum + variant.people, 0)
  const weights = variants.reduce((sum, { weight }) => sum + weight, 0)
  const expected = variants.map(({ weight }) => (people * weight) / weights)
  if (Math.min(...expected) < EXPECTED_MIN) return false
  const distance = variants.reduce((sum, variant, i) => {
    const planned = expected[i] ?? 0
    return sum + (variant.people - planned) ** 2 / planned
  }, 0)
  return distance > (CHI_SQUARED_LIMITS[variants.length - 2] ?? Number.POSITIVE_INFINITY)
}

/** Number of draws that estimate how likely each variant is the best, to about one percentage point. */
const THOMPSON_DRAWS = 2_000

/**
 * Thompson sampling: each variant's share is how likely it is the best one, mixed with an even
 * split so that every variant keeps at least 1/(2k). The shares add up to 1.
 * @param random from 0 to 1, such as `seededRandom`
 */
export function adaptiveShares(variants: readonly VariantRecord[], random: () => number): VariantShare[] {
  const wins = variants.map(() => 0)
  for (let draw = 0; draw < THOMPSON_DRAWS; draw += 1) {
    const rates = variants.map(({ people, positive }) => randomBeta(1 + positive, 1 + people - positive, random))
    const best = rates.indexOf(Math.max(...rates))
    wins[best] = (wins[best] ?? 0) + 1
  }
  return variants.map(({ id }, i) => ({
    id,
    share: 1 / (2 * variants.length) + (wins[i] ?? 0) / THOMPSON_DRAWS / 2,
  }))
}

function randomBeta(a: number, b: number, random: () => number): number {
  const [x, y] = [randomGamma(a, random), randomGamma(b, random)]
  return x / (x + y)
}

/**
 * Draws from a gamma distribution, for a shape of at least 1. Marsaglia and Tsang,
 * https://doi.org/10.1145/358407.358414
 */
function randomGamma(shape: number, random: () => number): number {
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const v = (1 + c * normal) ** 3
    if (v > 0 && Math.log(1 - random()) < normal ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v
  }
}

/** A source of numbers from 0 to 1 that the seed determines. */
export function seededRandom(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE()
  // Mulberry32, https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
