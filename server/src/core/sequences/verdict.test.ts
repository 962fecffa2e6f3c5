import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { falseWinners, simulateWinner } from '../../../test/verdict-simulation.ts'
import type { PairEvidence } from '../tables/sequences.ts'
import { seededRandom } from './variants.ts'
import {
  addBlocks,
  type Block,
  evidenceNeeded,
  NO_EVIDENCE,
  nextBlocks,
  type Outcome,
  type Pair,
  verdictOf,
} from './verdict.ts'

const outcome = fc.constantFrom<Outcome>(0, 1)
const block = fc.tuple(outcome, outcome)
const blocks = fc.array(block, { maxLength: 60 })

/** Evidence of a given size, with one variant ahead. */
const evidence = (e: number, ahead: 'a' | 'b' | null): PairEvidence => ({
  ...NO_EVIDENCE,
  logE: Math.log(e),
  maxLogE: Math.log(e),
  ahead,
})
const pair = (a: string, b: string, more: Partial<Pair> = {}): Pair => ({
  a,
  b,
  positive: NO_EVIDENCE,
  optOuts: NO_EVIDENCE,
  blocksPerDay: 10,
  blocksLeft: 1_000,
  ...more,
})

describe('addBlocks', () => {
  it('multiplies E as the formula says', () => {
    // The first factor is 1; the second compares q = 1.18/1.36 and 0.18/1.36 with their mean.
    const once = addBlocks(NO_EVIDENCE, [[1, 0]], 20)
    expect(once).toEqual({ blocks: 1, successesA: 1, successesB: 0, logE: 0, maxLogE: 0, ahead: null })
    const twice = addBlocks(once, [[1, 0]], 20)
    expect(Math.exp(twice.logE)).toBeCloseTo((1.18 / 1.36) ** 2 / 0.25, 10)
    expect(twice).toMatchObject({ blocks: 2, successesA: 2, ahead: 'a' })
  })

  it('gives the same result for blocks that are added one by one', () => {
    fc.assert(
      fc.property(blocks, (all) => {
        const oneByOne = all.reduce<PairEvidence>((pair, block) => addBlocks(pair, [block], 20), NO_EVIDENCE)
        expect(oneByOne).toEqual(addBlocks(NO_EVIDENCE, all, 20))
      }),
    )
  })

  it('treats both variants alike', () => {
    fc.assert(
      fc.property(blocks, (all) => {
        const straight = addBlocks(NO_EVIDENCE, all, 20)
        const swapped = addBlocks(
          NO_EVIDENCE,
          all.map(([a, b]): Block => [b, a]),
          20,
        )
        expect(swapped.logE).toBeCloseTo(straight.logE, 10)
        expect(swapped.ahead).toBe(straight.ahead && (straight.ahead === 'a' ? 'b' : 'a'))
      }),
    )
  })

  it('is a fair bet without a difference: on average, a block does not raise E', () => {
    const rate = fc.double({ min: 0.001, max: 0.999, noNaN: true })
    fc.assert(
      fc.property(blocks, rate, (before, p) => {
        const pair = addBlocks(NO_EVIDENCE, before, 20)
        const chance = (outcome: Outcome) => (outcome === 1 ? p : 1 - p)
        let mean = 0
        for (const a of [0, 1] as const) {
          for (const b of [0, 1] as const) {
            mean += chance(a) * chance(b) * Math.exp(addBlocks(pair, [[a, b]], 20).logE - pair.logE)
          }
        }
        expect(mean).toBeLessThanOrEqual(1 + 1e-9)
      }),
      { numRuns: 300 },
    )
  })

  it('fixes who is ahead once E has decided', () => {
    const forA = Array.from({ length: 40 }, (): Block => [1, 0])
    const forB = Array.from({ length: 400 }, (): Block => [0, 1])
    const decided = addBlocks(NO_EVIDENCE, forA, 20)
    expect(decided.maxLogE).toBeGreaterThan(Math.log(20))
    const after = addBlocks(decided, forB, 20)
    expect(after.maxLogE).toBeGreaterThan(decided.maxLogE)
    expect(after.ahead).toBe('a')
  })
})

describe('nextBlocks', () => {
  it.each([
    [
      [1, 0, 1],
      [0, 0, 1],
      [
        [1, 0],
        [0, 0],
        [1, 1],
      ],
    ],
    [[1, null, 1], [0, 0, 1], [[1, 0]]],
    [[1, 1, 1], [0], [[1, 0]]],
    [[], [1], []],
  ] as [(Outcome | null)[], (Outcome | null)[], Block[]][])('of %j and %j are %j', (a, b, expected) => {
    expect(nextBlocks(a, b)).toEqual(expected)
  })
})

describe('verdictOf', () => {
  const two = (more: Partial<Pair>, isOver = false) =>
    verdictOf({ variantIds: ['A', 'B'], pairs: [pair('A', 'B', more)], isOver })

  it('collects until E is 20', () => {
    expect(two({ positive: evidence(19.9, 'b') })).toMatchObject({ status: 'collecting', variantId: null })
    expect(two({ positive: evidence(20.1, 'b') })).toEqual({
      status: 'winner',
      variantId: 'B',
      evidence: expect.closeTo(20.1, 6),
      evidenceNeeded: 20,
      estimatedDays: null,
    })
  })

  it('says that there is no difference only when nobody can still decide it', () => {
    expect(two({ positive: evidence(8, 'b') }, true)).toMatchObject({ status: 'no_difference', variantId: null })
    expect(two({ positive: evidence(30, 'a') }, true)).toMatchObject({ status: 'winner', variantId: 'A' })
  })

  it('is mixed if the winner has more opt-outs', () => {
    const positive = evidence(50, 'b')
    expect(two({ positive, optOuts: evidence(25, 'b') })).toMatchObject({ status: 'mixed', variantId: 'B' })
    expect(two({ positive, optOuts: evidence(25, 'a') })).toMatchObject({ status: 'winner' })
    expect(two({ positive, optOuts: evidence(15, 'b') })).toMatchObject({ status: 'winner' })
  })

  it('needs a variant to beat each of the others', () => {
    const three = (ab: PairEvidence, ac: PairEvidence, bc: PairEvidence) =>
      verdictOf({
        variantIds: ['A', 'B', 'C'],
        pairs: [pair('A', 'B', { positive: ab }), pair('A', 'C', { positive: ac }), pair('B', 'C', { positive: bc })],
        isOver: false,
      })
    const won = evidence(41, 'a')
    expect(three(won, won, NO_EVIDENCE)).toMatchObject({ status: 'winner', variantId: 'A', evidenceNeeded: 40 })
    expect(three(won, evidence(39, 'a'), NO_EVIDENCE)).toMatchObject({ status: 'collecting' })
    expect(three(won, evidence(60, 'b'), NO_EVIDENCE)).toMatchObject({ status: 'collecting', evidence: 1 })
    expect(three(evidence(41, 'b'), won, won)).toMatchObject({ status: 'winner', variantId: 'B' })
  })

  it('gives no verdict on fewer than two variants', () => {
    expect(verdictOf({ variantIds: ['A'], pairs: [], isOver: true })).toBeNull()
    expect(verdictOf({ variantIds: [], pairs: [], isOver: true })).toBeNull()
  })

  it('estimates the days that are left from the present rates and pace', () => {
    const seen = (successesA: number, successesB: number): Partial<Pair> => ({
      positive: { ...NO_EVIDENCE, blocks: 200, successesA, successesB, ahead: 'b' },
    })
    const days = (more: Partial<Pair>) => two(more)?.estimatedDays
    const present = days(seen(10, 20))
    expect(present).toBeGreaterThan(1)
    // Twice the pace takes half as long.
    expect(days({ ...seen(10, 20), blocksPerDay: 20 })).toBe(Math.ceil(present! / 2))
    expect(days(seen(10, 30))).toBeLessThan(present!)
    expect(days({ ...seen(10, 20), blocksLeft: 50 })).toBeNull()
    expect(days(seen(10, 10))).toBeNull()
    expect(days({})).toBeNull()
  })

  it('estimates about as many blocks as tests take', () => {
    const random = seededRandom('estimate')
    const [a, b] = [0.1, 0.25]
    const draw = (rate: number): Outcome => (random() < rate ? 1 : 0)
    const blockCounts: number[] = []
    for (let run = 0; run < 200; run += 1) {
      let evidence = NO_EVIDENCE
      while (evidence.maxLogE < Math.log(20)) evidence = addBlocks(evidence, [[draw(a), draw(b)]], 20)
      blockCounts.push(evidence.blocks)
    }
    const median = blockCounts.sort((x, y) => x - y)[100]!
    const positive = { ...NO_EVIDENCE, blocks: 1_000, successesA: 100, successesB: 250 }
    const estimate = two({ positive, blocksPerDay: 1 })!.estimatedDays!
    expect(estimate / median).toBeGreaterThan(0.5)
    expect(estimate / median).toBeLessThan(1.5)
  })
})

describe('false winners', () => {
  it.each([2, 3, 5])('stay within one in twenty with %i variants and a look after every block', (variants) => {
    for (const rate of [0.05, 0.3]) {
      const equal = Array.from({ length: variants }, () => rate)
      for (const rates of [equal, [rate / 2, ...equal.slice(1)]]) {
        expect(falseWinners({ rates, blocks: 300, tests: 600, seed: `unit ${rates}` })).toBeLessThanOrEqual(0.05)
      }
    }
  })

  it('are not avoided by never finding a winner', () => {
    const winners = Array.from({ length: 100 }, (_, i) => simulateWinner([0.03, 0.12], 600, seededRandom(`power ${i}`)))
    expect(winners.filter((winner) => winner?.variant === 1).length).toBeGreaterThan(80)
  })

  it('are never revised, because a verdict stays with more blocks', () => {
    const random = seededRandom('looks')
    for (let run = 0; run < 20; run += 1) {
      const winnerIds: (string | null)[] = []
      let positive = NO_EVIDENCE
      for (let n = 0; n < 300; n += 1) {
        positive = addBlocks(positive, [[random() < 0.1 ? 1 : 0, random() < 0.3 ? 1 : 0]], evidenceNeeded(2))
        const verdict = verdictOf({ variantIds: ['A', 'B'], pairs: [pair('A', 'B', { positive })], isOver: false })
        winnerIds.push(verdict!.variantId)
      }
      const first = winnerIds.find((id) => id !== null)
      if (first) expect(winnerIds.slice(winnerIds.indexOf(first)).every((id) => id === first)).toBe(true)
    }
  })
})
