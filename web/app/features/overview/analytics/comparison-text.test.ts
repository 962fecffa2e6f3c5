import { expect, it } from 'vitest'
import { bestHour, comparable, durationText, measured, weekdayName } from './comparison-text'

it('writes the time to reply in one unit', () => {
  expect([null, 45, 700, 18_000, 260_000].map(durationText)).toEqual(['–', '45 s', '12 min', '5 h', '3 days'])
})

it('offers steps and variants for one campaign only', () => {
  expect(comparable(undefined)).toEqual(['campaign', 'account', 'member'])
  expect(comparable('id')).toEqual(['step', 'variant', 'account', 'member'])
})

it('shows no rate of a few messages, and finds the best hour among the others', () => {
  const few = { weekday: 1, hour: 3, sent: 2, replied: 2, positive: 0 }
  const many = { weekday: 2, hour: 9, sent: 10, replied: 4, positive: 0 }
  const busy = { weekday: 3, hour: 10, sent: 90, replied: 9, positive: 0 }
  expect([measured(few, 'replied'), measured(many, 'replied'), measured(few, 'sent')]).toEqual([null, 0.4, 2])
  expect(bestHour([few, many, busy], 'replied')).toBe(many)
  expect(bestHour([few, many, busy], 'sent')).toBe(busy)
  expect(bestHour([few, many, busy], 'positive')).toBeNull()
})

it('names Monday as the first weekday', () => {
  expect([weekdayName(1), weekdayName(7, 'long')]).toEqual(['Mon', 'Sunday'])
})
