import { FOLLOWER_SLIDERS } from '@x-automated/contract/leads/scrape-limits'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withMax, withMin } from './follower-range'

const onSlider = ({ from, to, step }: { from: number; to: number; step: number }) =>
  fc.integer({ min: from / step, max: to / step }).map((steps) => steps * step)
const min = onSlider(FOLLOWER_SLIDERS.min)
const max = onSlider(FOLLOWER_SLIDERS.max)
const bounds = fc.record({ minFollowers: min, maxFollowers: max }).filter((b) => b.minFollowers <= b.maxFollowers)

test('raises the upper bound with the lower one', () => {
  expect(withMin({ minFollowers: 100, maxFollowers: 10_000 }, 20_000)).toEqual({
    minFollowers: 20_000,
    maxFollowers: 20_000,
  })
  expect(withMin({ minFollowers: 100, maxFollowers: 10_000 }, 10_100)).toEqual({
    minFollowers: 10_100,
    maxFollowers: 11_000,
  })
})

test('lowers the lower bound with the upper one', () => {
  expect(withMax({ minFollowers: 5_000, maxFollowers: 10_000 }, 3_000)).toEqual({
    minFollowers: 3_000,
    maxFollowers: 3_000,
  })
})

test('keeps the bounds in order and on their steps for any slider movement', () => {
  fc.assert(
    fc.property(bounds, min, max, (before, nextMin, nextMax) => {
      for (const after of [withMin(before, nextMin), withMax(before, nextMax)]) {
        expect(after.minFollowers).toBeLessThanOrEqual(after.maxFollowers)
        expect(after.minFollowers % FOLLOWER_SLIDERS.min.step).toBe(0)
        expect(after.maxFollowers % FOLLOWER_SLIDERS.max.step).toBe(0)
        expect(after.maxFollowers).toBeLessThanOrEqual(FOLLOWER_SLIDERS.max.to)
      }
      expect(withMin(before, nextMin).minFollowers).toBe(nextMin)
      expect(withMax(before, nextMax).maxFollowers).toBe(nextMax)
    }),
  )
})

test('keeps the other bound while they do not cross', () => {
  fc.assert(
    fc.property(bounds, min, max, (before, nextMin, nextMax) => {
      if (nextMin <= before.maxFollowers) expect(withMin(before, nextMin).maxFollowers).toBe(before.maxFollowers)
      if (nextMax >= before.minFollowers) expect(withMax(before, nextMax).minFollowers).toBe(before.minFollowers)
    }),
  )
})
