import { FOLLOWER_SLIDERS } from '@x-automated/contract/scrapes'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { followerSliders, withMax, withMin } from './follower-bounds'

const onSlider = ({ from, to, step }: { from: number; to: number; step: number }) =>
  fc.integer({ min: from / step, max: to / step }).map((steps) => steps * step)
const min = onSlider(followerSliders.min)
const max = onSlider(followerSliders.max)
const bounds = fc.record({ minFollowers: min, maxFollowers: max }).filter((b) => b.minFollowers <= b.maxFollowers)

test('the sliders are those of the contract', () => {
  expect(followerSliders).toEqual(FOLLOWER_SLIDERS)
})

test('raising the lower bound above the upper one pulls that up', () => {
  expect(withMin({ minFollowers: 100, maxFollowers: 10_000 }, 20_000)).toEqual({
    minFollowers: 20_000,
    maxFollowers: 20_000,
  })
  expect(withMin({ minFollowers: 100, maxFollowers: 10_000 }, 10_100)).toEqual({
    minFollowers: 10_100,
    maxFollowers: 11_000,
  })
})

test('lowering the upper bound below the lower one pulls that down', () => {
  expect(withMax({ minFollowers: 5_000, maxFollowers: 10_000 }, 3_000)).toEqual({
    minFollowers: 3_000,
    maxFollowers: 3_000,
  })
})

test('wherever a slider goes, the bounds stay in order, the moved one stays where it was put and both stay on their steps', () => {
  fc.assert(
    fc.property(bounds, min, max, (before, nextMin, nextMax) => {
      for (const after of [withMin(before, nextMin), withMax(before, nextMax)]) {
        expect(after.minFollowers).toBeLessThanOrEqual(after.maxFollowers)
        expect(after.minFollowers % followerSliders.min.step).toBe(0)
        expect(after.maxFollowers % followerSliders.max.step).toBe(0)
        expect(after.maxFollowers).toBeLessThanOrEqual(followerSliders.max.to)
      }
      expect(withMin(before, nextMin).minFollowers).toBe(nextMin)
      expect(withMax(before, nextMax).maxFollowers).toBe(nextMax)
    }),
  )
})

test('a bound that moves freely leaves the other alone', () => {
  fc.assert(
    fc.property(bounds, min, max, (before, nextMin, nextMax) => {
      if (nextMin <= before.maxFollowers) expect(withMin(before, nextMin).maxFollowers).toBe(before.maxFollowers)
      if (nextMax >= before.minFollowers) expect(withMax(before, nextMax).minFollowers).toBe(before.minFollowers)
    }),
  )
})
