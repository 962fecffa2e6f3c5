import { expect, test } from 'vitest'
import { DIED, secondsLeft, stateOf } from './rules.ts'

test('secondsLeft estimates from the progress over both stages', () => {
  expect(secondsLeft('reading', 0, 1_000, 1)).toBeNull()
  expect(secondsLeft('reading', 500, 1_000, 2)).toBe(13)
  expect(secondsLeft('saving', 0, 10, 4)).toBe(6)
  expect(secondsLeft('saving', 10, 10, 10)).toBe(0)
  // The file is longer or shorter than announced.
  expect(secondsLeft('saving', 12, 10, 10)).toBe(0)
  expect(secondsLeft('reading', 0, 0, 10)).toBeNull()
})

test('stateOf reports silent imports as failed and keeps ended ones', () => {
  const running = { status: 'running' as const, error: null }
  expect(stateOf(running, 59)).toEqual(running)
  expect(stateOf(running, 61)).toEqual({ status: 'failed', error: DIED })
  expect(stateOf({ status: 'completed', error: null }, 1_000)).toEqual({ status: 'completed', error: null })
})
