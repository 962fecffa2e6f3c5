import { describe, expect, it } from 'vitest'
import { adaptiveShares, isSplitOff, seededRandom } from './variants.ts'

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
