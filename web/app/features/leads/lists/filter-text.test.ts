import { expect, it } from 'vitest'
import { filterTexts } from './filter-text'

it('names every criterion of a smart list, and a tag by its name', () => {
  const filter = { keyword: 'maker', minFollowers: 1_000, status: 'not_sent', tag: 'a', label: 'interested' } as const
  expect(filterTexts(filter, [{ id: 'a', name: 'Berlin' }])).toEqual([
    '“maker” in bio, name or handle',
    'At least 1,000 followers',
    'Status: Not sent',
    'Tag: Berlin',
    'Reply: Interested',
  ])
  expect(filterTexts({ maxFollowers: 0, tag: 'vip' }, [])).toEqual(['At most 0 followers', 'Tag: vip'])
  expect(filterTexts({}, [])).toEqual([])
})
