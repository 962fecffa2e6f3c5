import { expect, it } from 'vitest'
import { nextPartSize } from './engine.ts'

it('makes parts smaller or larger, so that each takes a tenth of a second', () => {
  expect(nextPartSize(500, 250)).toBe(200)
  expect(nextPartSize(500, 80)).toBe(625)
})

it('doubles a part at most, within bounds', () => {
  expect(nextPartSize(100, 0)).toBe(200)
  expect(nextPartSize(800, 10)).toBe(1_000)
  expect(nextPartSize(100, 20_000)).toBe(20)
})
