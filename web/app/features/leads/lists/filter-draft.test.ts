import { expect, test } from 'vitest'
import { draftOf, filterOf, problemsOf } from './filter-draft'

test('restores a filter from its fields and keeps criteria without a field', () => {
  const filter = {
    keyword: 'maker',
    minFollowers: 100,
    maxFollowers: 5000,
    status: 'not_sent' as const,
    tag: 'vip',
    basis: 'asked' as const,
    listId: 'a',
  }
  expect(filterOf(draftOf(filter), filter)).toEqual(filter)
  expect(filterOf({ keyword: ' ', min: '1,000', max: '', status: '', tag: '', basis: '' }, filter)).toEqual({
    minFollowers: 1000,
    listId: 'a',
  })
})

test.each([
  [{ min: 'many', max: '' }, { min: 'Enter a number' }],
  [{ min: '', max: 'x' }, { max: 'Enter a number' }],
  [{ min: '10', max: '9' }, { max: 'Less than the minimum' }],
  [{ min: '9', max: '9' }, {}],
])('checks the follower range %j', (bounds, problems) => {
  expect(problemsOf(bounds)).toEqual(problems)
})
