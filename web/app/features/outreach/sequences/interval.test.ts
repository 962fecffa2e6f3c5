import { expect, it } from 'vitest'
import { evidenceShare, rateInterval } from './results-section'

it('contains the rate, and is narrower with more people', () => {
  const few = rateInterval(2, 20)
  const many = rateInterval(200, 2_000)
  for (const { from, to } of [few, many]) {
    expect(from).toBeLessThan(0.1)
    expect(to).toBeGreaterThan(0.1)
  }
  expect(many.to - many.from).toBeLessThan(few.to - few.from)
  // Newcombe (1998), table I: 81 of 263.
  const published = rateInterval(81, 263)
  expect([published.from, published.to].map((share) => share.toFixed(4))).toEqual(['0.2553', '0.3662'])
})

it('knows nothing without people, and stays within 0 and 1', () => {
  expect(rateInterval(0, 0)).toEqual({ from: 0, to: 1 })
  expect(rateInterval(0, 10).from).toBe(0)
  expect(rateInterval(10, 10).to).toBe(1)
})

it('fills the meter on a log scale', () => {
  expect(evidenceShare(1, 20)).toBe(0)
  expect(evidenceShare(Math.sqrt(20), 20)).toBeCloseTo(0.5)
  expect(evidenceShare(500, 20)).toBe(1)
})
