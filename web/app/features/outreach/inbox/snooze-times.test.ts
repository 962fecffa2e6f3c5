import { expect, test } from 'vitest'
import { dayOf, morningOf, snoozeTimes, typedTime } from './snooze-times'

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

test.each([
  ['next tuesday', '2026-12-01', new Date(2026, 11, 1, 9, 0)],
  ['tomorrow 3pm', '2026-11-25', new Date(2026, 10, 25, 15, 0)],
  ['Dec 2 14:05', '2026-12-02', new Date(2026, 11, 2, 14, 5)],
  ['am 15. um 8 Uhr', '2026-12-15', new Date(2026, 11, 15, 8, 0)],
  ['12 am on friday', '2026-11-27', new Date(2026, 10, 27, 0, 0)],
  ['today at 5 pm', null, new Date(2026, 10, 24, 17, 0)],
  ['in 2 hours', null, new Date(2026, 10, 24, 16, 0)],
  ['13:00', null, null],
  ['someday 5pm', null, null],
  ['someday', null, null],
])('reads %j, which names the day %j, as %j', (typed, day, at) => {
  expect(typedTime(typed, day, new Date(2026, 10, 24, 14, 0))).toEqual(at)
})

test('writes a day with two digits for month and day', () => {
  expect(dayOf(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05')
})
