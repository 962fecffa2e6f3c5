import { expect, test } from 'vitest'
import { between, pickedCount, selectionsOf } from './lead-selection'

test('a range goes either way, and is one lead where it has no beginning in sight', () => {
  const shown = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
  expect(between(shown, 'b', 'd')).toEqual(['b', 'c', 'd'])
  expect(between(shown, 'd', 'b')).toEqual(['b', 'c', 'd'])
  expect(between(shown, null, 'c')).toEqual(['c'])
  expect(between(shown, 'of another page', 'c')).toEqual(['c'])
})

test('what is picked names leads by their ids, or all that match by the parts of the filter', () => {
  expect(selectionsOf({ ids: [] })).toEqual([])
  expect(selectionsOf({ ids: ['a'] })).toEqual([{ leadIds: ['a'] }])
  const all = { matching: { keyword: 'saas' }, count: 12 }
  expect(selectionsOf(all)).toEqual([
    { filter: { keyword: 'saas', status: 'not_sent' } },
    { filter: { keyword: 'saas', status: 'failed' } },
  ])
  expect([pickedCount(all), pickedCount({ ids: ['a', 'b'] })]).toEqual([12, 2])
})
