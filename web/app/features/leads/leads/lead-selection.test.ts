import { expect, test } from 'vitest'
import { pickedCount, recordOf, selectionsOf } from './lead-selection'

test('sends ids for chosen leads and filters for all that match', () => {
  expect(selectionsOf({ ids: [] })).toEqual([])
  expect(selectionsOf({ ids: ['a'] })).toEqual([{ leadIds: ['a'] }])
  const all = { matching: { keyword: 'saas' }, count: 12 }
  expect(selectionsOf(all)).toEqual([
    { filter: { keyword: 'saas', status: 'not_sent', suppressed: false } },
    { filter: { keyword: 'saas', status: 'failed', suppressed: false } },
  ])
  expect([pickedCount(all), pickedCount({ ids: ['a', 'b'] })]).toEqual([12, 2])
  expect(selectionsOf({ everyone: { keyword: 'saas' }, count: 3 })).toEqual([{ filter: { keyword: 'saas' } }])
})

test('names the same leads alike, and others differently', () => {
  expect(recordOf({ ids: ['ada'] })).toBe('ada')
  expect(recordOf({ ids: ['ada', 'bob'] })).toBe(recordOf({ ids: ['bob', 'ada'] }))
  expect(recordOf({ everyone: { keyword: 'a' }, count: 2 })).toBe(recordOf({ everyone: { keyword: 'a' }, count: 3 }))
  const picks = [
    { ids: ['ada', 'bob'] },
    { ids: ['ada', 'eve'] },
    { everyone: { keyword: 'a' }, count: 2 },
    { matching: { keyword: 'a' }, count: 2 },
  ]
  expect(new Set(picks.map(recordOf)).size).toBe(picks.length)
})
