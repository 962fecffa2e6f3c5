import { expect, test } from 'vitest'
import { windowText } from './health-text'

test.each([
  [[1, 2, 3, 4, 5], { start: '09:00', end: '18:00' }, { hours: '09:00–18:00', days: 'Mon–Fri, Europe/Berlin' }],
  [[1, 3, 6], null, { hours: 'All day', days: 'Mon, Wed, Sat, Europe/Berlin' }],
  [[6, 7], null, { hours: 'All day', days: 'Sat, Sun, Europe/Berlin' }],
  [[1, 2, 3, 4, 5, 6, 7], null, { hours: 'All day', days: 'Every day, Europe/Berlin' }],
])('says when an account sends: %j %j', (workDays, hours, text) => {
  expect(windowText({ hours, workDays, timeZone: 'Europe/Berlin' })).toEqual(text)
})
