import { expect, test } from 'vitest'
import { draftOf, filterOf, rangeProblem } from './filter-fields'

test('restores a filter from its fields and keeps criteria without a field', () => {
  const filter = {
    keyword: 'maker',
    minFollowers: 100,
    maxFollowers: 5000,
    status: 'not_sent' as const,
    tag: 'vip',
    basis: 'asked' as const,
    label: 'later' as const,
    tags: ['a', 'b'],
    fields: [{ name: 'Company', op: 'is' as const, value: 'Acme' }],
    contactedAfter: '2026-01-31T00:00:00.000Z',
    contactedBefore: '2026-02-28T00:00:00.000Z',
    rules: { match: 'any' as const, rules: [{ field: 'keyword', op: 'contains' as const, value: 'x' }] },
    listId: 'a',
  }
  expect(filterOf(draftOf(filter), filter)).toEqual(filter)
  expect(filterOf({ ...draftOf({}), keyword: ' ', min: 1000 }, filter)).toEqual({ minFollowers: 1000, listId: 'a' })
})

test('finds a maximum below the minimum', () => {
  expect(rangeProblem({ min: 10, max: 9 })).toBe('Less than the minimum')
  expect(rangeProblem({ min: 9, max: 9 })).toBeUndefined()
  expect(rangeProblem({ min: 9, max: null })).toBeUndefined()
})
