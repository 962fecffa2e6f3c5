/**
 * A sequential A/B test. It may be checked after every person, and still names a false winner in at
 * most 5% of tests. After Turner, Ly and Grünwald, "Generic E-variables for exact sequential
 * k-sample tests", https://arxiv.org/abs/2106.02693.
 */

import type { PairEvidence } from '../tables/sequences.ts'

/** The value of E that decides between two variants: 1 / 5%. */
const DECISIVE = 20
/** Successes and failures that the estimates start with; the paper's optimum for two groups. */
const PRIOR = 0.18

/** 1 for a success, 0 otherwise. */
export type Outcome = 0 | 1

/** Two people: the n-th of each variant of a pair. */
export type Block = readonly [a: Outcome, b: Outcome]

export const NO_EVIDENCE: PairEvidence = {
  blocks: 0,
  successesA: 0,
  successesB: 0,
  logE: 0,
  maxLogE: 0,
  ahead: null,
}

/**
 * The value of E at which the test of a pair ends, so that at most 5% of tests with this number of
 * variants name a false winner.
 */
export function evidenceNeeded(variants: number): number {
  return DECISIVE * (variants - 1)
}

/** Adds blocks in their order. @param needed the value of E at which the test of this pair ends */
export function addBlocks(pair: PairEvidence, blocks: Iterable<Block>, needed: number): PairEvidence {
  let { blocks: count, successesA, successesB, logE, maxLogE, ahead } = pair
  const decisive = Math.log(needed)
  for (const [a, b] of blocks) {
    logE += logFactor(a, b, count, successesA, successesB)
    count += 1
    successesA += a
    successesB += b
    if (logE <= maxLogE) continue
    if (maxLogE < decisive) ahead = successesA > successesB ? 'a' : 'b'
    maxLogE = logE
  }
  return { blocks: count, successesA, successesB, logE, maxLogE, ahead }
}

/** ln of the factor by which a block multiplies E, given the successes of earlier blocks. */
function logFactor(a: Outcome, b: Outcome, blocks: number, successesA: number, successesB: number): number {
  const [qa, qb] = [estimate(successesA, blocks), estimate(successesB, blocks)]
  const q0 = (qa + qb) / 2
  return Math.log((likelihood(qa, a) * likelihood(qb, b)) / (likelihood(q0, a) * likelihood(q0, b)))
}

function estimate(successes: number, blocks: number): number {
  return (successes + PRIOR) / (blocks + 2 * PRIOR)
}

function likelihood(rate: number, outcome: Outcome): number {
  return outcome === 1 ? rate : 1 - rate
}

/**
 * The next blocks of a pair: the n-th person of each variant, in order, while both have an outcome.
 * @param a outcomes not yet in blocks, ordered by (sent at, id); null: the window is still open
 */
export function nextBlocks(a: readonly (Outcome | null)[], b: readonly (Outcome | null)[]): Block[] {
  const blocks: Block[] = []
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [ofA, ofB] = [a[index] ?? null, b[index] ?? null]
    if (ofA === null || ofB === null) break
    blocks.push([ofA, ofB])
  }
  return blocks
}

/** The evidence about a pair of variants, `a` and `b` (ids). */
export interface Pair {
  a: string
  b: string
  /** Positive replies. */
  positive: PairEvidence
  /** Opt-outs. */
  optOuts: PairEvidence
  /** Blocks added per day. */
  blocksPerDay: number
  /** Blocks that the campaign's people can still form. */
  blocksLeft: number
}

/** The state of a step's test. */
interface StepTest {
  /** The active variants. */
  variantIds: readonly string[]
  /** Every pair of active variants. */
  pairs: readonly Pair[]
  /** All windows are closed, so nobody in the campaign can still decide the test. */
  isOver: boolean
}

interface Verdict {
  status: 'collecting' | 'winner' | 'mixed' | 'no_difference'
  /** The winner; null if there is none. */
  variantId: string | null
  /** The smallest max E of the leading variant against each other one. */
  evidence: number
  evidenceNeeded: number
  /** Days until one variant wins, at the current rates; null: never, or the test has a verdict. */
  estimatedDays: number | null
}

/** The verdict on a step's variants; null with fewer than two. */
export function verdictOf({ variantIds, pairs, isOver }: StepTest): Verdict | null {
  const needed = evidenceNeeded(variantIds.length)
  const ranked = variantIds.map((id) => ({ id, evidence: evidenceFor(id, pairs) }))
  const leading = ranked.reduce(
    (best, candidate) => (candidate.evidence > best.evidence ? candidate : best),
    ranked[0] ?? NOBODY,
  )
  if (variantIds.length < 2) return null
  const base = { evidence: leading.evidence, evidenceNeeded: needed, estimatedDays: null }
  if (leading.evidence >= needed) {
    return { ...base, status: hasMoreOptOuts(leading.id, pairs) ? 'mixed' : 'winner', variantId: leading.id }
  }
  if (isOver) return { ...base, status: 'no_difference', variantId: null }
  return { ...base, status: 'collecting', variantId: null, estimatedDays: daysLeft(variantIds, pairs, needed) }
}

const NOBODY = { id: '', evidence: 1 }

/** Days until one variant beats all others, at the current rates; null: never. */
function daysLeft(variantIds: readonly string[], pairs: readonly Pair[], needed: number): number | null {
  const candidates = variantIds.map((id) => {
    const own = pairs.filter(({ a, b }) => a === id || b === id)
    return Math.max(...own.map((pair) => pairDaysLeft(pair, id, needed)))
  })
  const days = Math.min(...candidates)
  return Number.isFinite(days) ? Math.max(1, Math.ceil(days)) : null
}

function pairDaysLeft(pair: Pair, id: string, needed: number): number {
  if (evidenceIn(pair, 'positive', id) >= needed) return 0
  const { blocks, successesA, successesB, logE } = pair.positive
  const isAhead = pair.a === id ? successesA > successesB : successesB > successesA
  if (!isAhead) return Number.POSITIVE_INFINITY
  const blocksNeeded = (Math.log(needed) - logE) / growthPerBlock(blocks, successesA, successesB)
  return blocksNeeded > pair.blocksLeft ? Number.POSITIVE_INFINITY : blocksNeeded / pair.blocksPerDay
}

/** The average by which the next block raises ln E, if the estimated rates are true. */
function growthPerBlock(blocks: number, successesA: number, successesB: number): number {
  const chance = (successes: number, outcome: Outcome) => likelihood(estimate(successes, blocks), outcome)
  return OUTCOMES.reduce(
    (sum, [a, b]) =>
      sum + chance(successesA, a) * chance(successesB, b) * logFactor(a, b, blocks, successesA, successesB),
    0,
  )
}

const OUTCOMES: readonly Block[] = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
]

/** The smallest max E of a variant against each other one; 1 if it is not ahead of all others. */
function evidenceFor(id: string, pairs: readonly Pair[]): number {
  const own = pairs.filter(({ a, b }) => a === id || b === id)
  return Math.min(...own.map((pair) => evidenceIn(pair, 'positive', id)))
}

/** Max E for the claim that a variant has the higher rate of its pair. */
function evidenceIn(pair: Pair, outcome: 'positive' | 'optOuts', id: string): number {
  const { ahead, maxLogE } = pair[outcome]
  const isAhead = ahead !== null && pair[ahead] === id
  return isAhead ? Math.exp(maxLogE) : 1
}

function hasMoreOptOuts(id: string, pairs: readonly Pair[]): boolean {
  return pairs.some((pair) => evidenceIn(pair, 'optOuts', id) >= DECISIVE)
}
