import { expect, test } from 'vitest'
import { morningOf, snoozeTimes } from './snooze-times'

const names = (now: Date) => snoozeTimes(now).map(({ name }) => name)

test('offers this evening, tomorrow and Monday', () => {
  const tuesday = new Date(2026, 10, 24, 14, 0)
  expect(snoozeTimes(tuesday)).toEqual([
    { name: 'Later today', at: new Date(2026, 10, 24, 17, 0) },
    { name: 'Tomorrow', at: new Date(2026, 10, 25, 9, 0) },
    { name: 'Next week', at: new Date(2026, 10, 30, 9, 0) },
  ])
})

test('offers no evening that is over or about to begin', () => {
  expect(names(new Date(2026, 10, 24, 16, 5))).toEqual(['Tomorrow', 'Next week'])
})

test('offers Monday once on a Sunday, and the next one on a Monday', () => {
  expect(names(new Date(2026, 10, 29, 10, 0))).toEqual(['Later today', 'Tomorrow'])
  expect(snoozeTimes(new Date(2026, 10, 30, 10, 0)).at(-1)?.at).toEqual(new Date(2026, 11, 7, 9, 0))
})

test('takes the morning of a named day, unless it has passed', () => {
  const now = new Date(2026, 10, 24, 14, 0)
  expect(morningOf('2026-12-16', now)).toEqual(new Date(2026, 11, 16, 9, 0))
  expect(morningOf('2026-11-24', now)).toBeNull()
})
