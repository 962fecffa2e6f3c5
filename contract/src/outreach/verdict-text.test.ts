import { expect, it } from 'vitest'
import { type TestResult, type VariantFigures, verdictText } from './verdict-text.ts'

const figures = (id: string, positive: number, optedOut: number): VariantFigures => ({
  id,
  name: id.toUpperCase(),
  sent: 1_000,
  positive,
  optedOut,
})
const two = [figures('a', 31, 9), figures('b', 79, 40)]
const result = (more: Partial<TestResult>): TestResult => ({
  status: 'collecting',
  variantId: null,
  estimatedDays: null,
  ...more,
})

it.each([
  [
    result({ status: 'winner', variantId: 'b' }),
    'B gets more positive replies (7.9% against 3.1%). You can trust this.',
  ],
  [
    result({ status: 'mixed', variantId: 'b' }),
    'B gets more positive replies (7.9% against 3.1%), and more people opt out (4.0% against 0.9%). Your decision.',
  ],
  [result({ status: 'no_difference' }), 'No difference you could notice among 2,000 people.'],
  [result({ estimatedDays: 9 }), 'Not enough data yet. At this pace about 9 more days.'],
  [result({ estimatedDays: 1 }), 'Not enough data yet. At this pace about 1 more day.'],
  [result({}), 'Not enough people in this campaign to tell them apart unless one is about twice as good.'],
])('says %o as a sentence', (verdict, text) => {
  expect(verdictText(verdict, two)).toBe(text)
})

it('compares a winner with the best of the others, and its opt-outs with the lowest', () => {
  const three = [...two, figures('c', 50, 20)]
  expect(verdictText(result({ status: 'mixed', variantId: 'b' }), three)).toBe(
    'B gets more positive replies (7.9% against 5.0%), and more people opt out (4.0% against 0.9%). Your decision.',
  )
})
