import { expect, test } from 'vitest'
import { changesOf, changesText, isChecked, noChanges, withChecked } from './membership'

const members = new Set(['ann', 'bob'])

test('checks exactly the members without changes', () => {
  expect(['ann', 'bob', 'cem'].map((id) => isChecked(id, members, noChanges))).toEqual([true, true, false])
})

test('lists what saving adds and removes', () => {
  const pending = withChecked(withChecked(noChanges, members, ['cem', 'dia'], true), members, ['ann'], false)
  expect(changesOf(pending)).toEqual({ added: ['cem', 'dia'], removed: ['ann'] })
  expect(changesText(changesOf(pending))).toBe('2 to add, 1 to remove')
  expect(isChecked('ann', members, pending)).toBe(false)
})

test('drops a change that is reverted', () => {
  const checked = withChecked(noChanges, members, ['cem'], true)
  expect(changesOf(withChecked(checked, members, ['cem'], false))).toEqual({ added: [], removed: [] })
})

test('adds only leads that are not in the list when a whole page is checked', () => {
  expect(changesOf(withChecked(noChanges, members, ['ann', 'bob', 'cem'], true))).toEqual({
    added: ['cem'],
    removed: [],
  })
})

test('returns no text if nothing changes', () => {
  expect(changesText({ added: [], removed: [] })).toBe('')
})
