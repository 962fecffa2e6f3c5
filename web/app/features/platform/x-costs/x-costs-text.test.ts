import { SPENDING_LIMIT_MAX_CENTS } from '@x-automated/contract/platform/x-costs'
import { expect, test } from 'vitest'
import { centsOf } from '../../../dollars'
import { costText, limitProblem, totalText } from './x-costs-text'

test('costText shows amounts below a cent, and prices that X does not publish', () => {
  expect([0, 0.5, 1.5, 450, null].map(costText)).toEqual([
    '$0.00',
    'less than $0.01',
    '$0.02',
    '$4.50',
    'Price not published',
  ])
})

test('totalText names the limit if there is one', () => {
  expect(totalText({ totalCents: 810, limitCents: null })).toBe('$8.10')
  expect(totalText({ totalCents: 810, limitCents: 2_000 })).toBe('$8.10 of $20.00')
})

test.each([
  ['', undefined],
  ['20', undefined],
  ['20,50', undefined],
  ['0', undefined],
  ['20.505', 'Enter an amount like 20 or 20.50, or leave it empty.'],
  ['twenty', 'Enter an amount like 20 or 20.50, or leave it empty.'],
  ['-5', 'Enter an amount like 20 or 20.50, or leave it empty.'],
])('limitProblem of %j is %j', (typed, problem) =>
  expect(limitProblem(centsOf(typed), SPENDING_LIMIT_MAX_CENTS)).toBe(problem),
)

test('limitProblem rejects amounts above the maximum', () => {
  expect(limitProblem(SPENDING_LIMIT_MAX_CENTS + 1, SPENDING_LIMIT_MAX_CENTS)).toBe('Enter at most $1,000,000.00.')
})
