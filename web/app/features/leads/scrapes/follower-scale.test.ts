import { expect, test } from 'vitest'
import { filterBetween, followersAt, isWider, positionOf, SCALE_END, widened } from './follower-scale'

test('places powers of ten four steps apart', () => {
  expect([0, 1, 10, 100, 1_000, 1_000_000].map(positionOf)).toEqual([0, 1, 5, 9, 13, 25])
  expect(positionOf(2_000_000_000)).toBe(SCALE_END)
})

test('rounds to two digits and finds the place again', () => {
  expect(followersAt(0)).toBe(0)
  expect(followersAt(10)).toBe(180)
  expect(followersAt(positionOf(25_000))).toBe(25_000)
})

test('has no bound at the ends of the scale', () => {
  expect(filterBetween(0, SCALE_END)).toEqual({ min: null, max: null })
  expect(filterBetween(9, SCALE_END)).toEqual({ min: 100, max: null })
})

const bounds = { minFollowers: 100, maxFollowers: 10_000 }

test('knows when the scrape did not keep what the filter asks for', () => {
  expect(isWider({ min: 100, max: 10_000 }, bounds)).toBe(false)
  expect(isWider({ min: 10, max: 10_000 }, bounds)).toBe(true)
  expect(isWider({ min: 100, max: null }, bounds)).toBe(true)
  expect(widened({ min: null, max: 5_000 }, bounds)).toEqual({ minFollowers: 0, maxFollowers: 10_000 })
})
