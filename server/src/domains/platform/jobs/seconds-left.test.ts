import { expect, it } from 'vitest'
import { secondsLeft } from './jobs.ts'

it('estimates the rest by the pace so far', () => {
  expect(secondsLeft(25, 100, 10)).toBe(30)
  expect(secondsLeft(120, 100, 10)).toBe(0)
})

it('estimates nothing before the first part', () => {
  expect(secondsLeft(0, 100, 10)).toBeNull()
  expect(secondsLeft(5, 100, null)).toBeNull()
})
