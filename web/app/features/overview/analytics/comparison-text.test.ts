import type { BreakdownRow } from '@x-automated/contract/overview/analytics'
import { expect, it } from 'vitest'
import { bestHour, comparable, durationText, measured, nextOrder, sorted, weekdayName } from './comparison-text'

const row = (name: string, more: Partial<BreakdownRow> = {}): BreakdownRow => ({
  id: name,
  name,
  peopleMessaged: 1,
  peopleReplied: 0,
  peoplePositive: 0,
  optedOut: 0,
  replyRate: 0,
  positiveRate: 0,
  medianReplySeconds: null,
  medianAnswerSeconds: null,
  ...more,
})

it('sorts by a column, names by their numbers, and rows without a value last', () => {
  const rows = [row('Step 10'), row('Step 2', { medianReplySeconds: 9 }), row('Step 1', { medianReplySeconds: 60 })]
  const names = (order: Parameters<typeof sorted>[1]) => sorted(rows, order).map(({ name }) => name)
  expect(names(null)).toEqual(['Step 10', 'Step 2', 'Step 1'])
  expect(names({ key: 'name', isDescending: false })).toEqual(['Step 1', 'Step 2', 'Step 10'])
  expect(names({ key: 'medianReplySeconds', isDescending: false })).toEqual(['Step 2', 'Step 1', 'Step 10'])
  expect(names({ key: 'medianReplySeconds', isDescending: true })).toEqual(['Step 1', 'Step 2', 'Step 10'])
})

it('turns the order around with the second press and ends it with the third', () => {
  const once = nextOrder(null, 'replyRate')
  expect(once).toEqual({ key: 'replyRate', isDescending: true })
  const twice = nextOrder(once, 'replyRate')
  expect(twice).toEqual({ key: 'replyRate', isDescending: false })
  expect(nextOrder(twice, 'replyRate')).toBeNull()
  expect(nextOrder(twice, 'name')).toEqual({ key: 'name', isDescending: false })
})

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
