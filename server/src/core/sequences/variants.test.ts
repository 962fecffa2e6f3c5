import { describe, expect, it } from 'vitest'
import { adaptiveShares, chooseVariant, isSplitOff, seededRandom } from './variants.ts'

const lead = (number: number, stepId = 'step') => ({ campaignId: 'campaign', stepId, leadId: `lead-${number}` })
const even = [
  { id: 'a', share: 1 },
  { id: 'b', share: 1 },
]

describe('chooseVariant', () => {
  it('chooses the same variant for the same person, also by other shares in the same proportion', () => {
    const doubled = even.map(({ id, share }) => ({ id, share: share * 2 }))
    for (let i = 0; i < 100; i += 1) expect(chooseVariant(lead(i), even)).toBe(chooseVariant(lead(i), doubled))
  })

  it.each([
    ['even', [1, 1]],
    ['uneven', [90, 10]],
    ['five', [1, 2, 3, 4, 5]],
  ])('splits people by the shares: %s', (_, weights) => {
    const shares = weights.map((share, i) => ({ id: `${i}`, share }))
    const people = shares.map(() => 0)
    for (let i = 0; i < 20_000; i += 1) people[Number(chooseVariant(lead(i), shares))]! += 1
    expect(isSplitOff(people.map((count, i) => ({ people: count, weight: weights[i]! })))).toBe(false)
    for (const [i, count] of people.entries()) {
      expect(count / 20_000).toBeCloseTo(weights[i]! / weights.reduce((a, b) => a + b), 1)
    }
  })

  it('chooses independently at each step', () => {
    let same = 0
    for (let i = 0; i < 4_000; i += 1) {
      if (chooseVariant(lead(i, 'first'), even) === chooseVariant(lead(i, 'second'), even)) same += 1
    }
    expect(same / 4_000).toBeCloseTo(0.5, 1)
  })

  it('never chooses a variant without a share', () => {
    const shares = [{ id: 'off', share: 0 }, ...even]
    for (let i = 0; i < 500; i += 1) expect(chooseVariant(lead(i), shares)).not.toBe('off')
    expect(() => chooseVariant(lead(1), [])).toThrow('active variant')
  })
})

describe('isSplitOff', () => {
  it.each([
    ['an even split', [500, 500], [1, 1], false],
    // Chi-squared is 10.8 at 552 to 448.
    ['a split that chance explains', [552, 448], [1, 1], false],
    ['a split that it does not', [553, 447], [1, 1], true],
    ['a split by uneven weights', [900, 100], [9, 1], false],
    ['an even split of uneven weights', [500, 500], [9, 1], true],
    ['five variants', [200, 210, 190, 205, 195], [1, 1, 1, 1, 1], false],
    ['five variants, one of them missing', [250, 250, 250, 250, 0], [1, 1, 1, 1, 1], true],
    ['too few people', [8, 0], [1, 1], false],
    ['nobody', [0, 0], [1, 1], false],
    ['one variant', [10], [1], false],
  ])('judges %s', (_, people, weights, off) => {
    expect(isSplitOff(people.map((count, i) => ({ people: count, weight: weights[i]! })))).toBe(off)
  })
})

describe('adaptiveShares', () => {
  const shares = (...records: [people: number, positive: number][]) =>
    adaptiveShares(
      records.map(([people, positive], i) => ({ id: `${i}`, people, positive })),
      seededRandom('hour 1'),
    ).map(({ share }) => share)

  it('gives the better variant nearly everything but the minimum', () => {
    const [worse, better] = shares([400, 8], [400, 60])
    expect(worse).toBe(0.25)
    expect(better).toBe(0.75)
  })

  it.each([
    [
      [
        [0, 0],
        [0, 0],
      ],
    ],
    [
      [
        [100, 10],
        [100, 10],
      ],
    ],
    [
      [
        [2_000, 100],
        [2_000, 100],
        [2_000, 100],
        [2_000, 100],
      ],
    ],
  ] as [[number, number][]][])('stays near an even split without a difference: %j', (records) => {
    for (const share of shares(...records)) expect(share).toBeCloseTo(1 / records.length, 1)
  })

  it('adds up to 1, keeps at least 1/(2k) for each, and repeats with the same seed', () => {
    const records: [number, number][] = [
      [30, 0],
      [80, 9],
      [300, 20],
      [5, 5],
      [0, 0],
    ]
    const first = shares(...records)
    expect(first.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10)
    for (const share of first) expect(share).toBeGreaterThanOrEqual(0.1)
    expect(shares(...records)).toEqual(first)
  })
})
