import { expect, test } from 'vitest'
import { filterBetween, followersAt, isInFilter, isWider, NO_FILTER, placeOf, SCALE_END } from './follower-scale'

test('places powers of ten four steps apart', () => {
  expect([0, 1, 10, 100, 1_000, 1_000_000].map(placeOf)).toEqual([0, 1, 5, 9, 13, 25])
  expect(placeOf(2_000_000_000)).toBe(SCALE_END)
})

test('rounds to two digits and finds the place again', () => {
  expect(followersAt(0)).toBe(0)
  expect(followersAt(10)).toBe(180)
  expect(followersAt(placeOf(25_000))).toBe(25_000)
})

test('has no bound at the ends of the scale', () => {
  expect(filterBetween(0, SCALE_END)).toEqual(NO_FILTER)
  expect(filterBetween(9, SCALE_END)).toEqual({ min: 100, max: null })
})

test('leaves out people whose follower count is unknown', () => {
  expect(isInFilter(null, { min: 5, max: null })).toBe(false)
  expect(isInFilter(null, NO_FILTER)).toBe(true)
  expect([4, 5, 9, 10].map((count) => isInFilter(count, { min: 5, max: 9 }))).toEqual([false, true, true, false])
})

test('knows when the scrape did not keep what the filter asks for', () => {
  const kept = { minFollowers: 100, maxFollowers: 10_000 }
  expect(isWider({ min: 100, max: 10_000 }, kept)).toBe(false)
  expect(isWider({ min: 10, max: null }, kept)).toBe(true)
  expect(isWider({ min: null, max: 10_001 }, kept)).toBe(true)
})
