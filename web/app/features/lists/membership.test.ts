import { expect, test } from 'vitest'
import { changesOf, changesText, isTicked, noChanges, withTicks } from './membership'

const members = new Set(['ann', 'bob'])

test('without wishes, exactly the members are ticked', () => {
  expect(['ann', 'bob', 'cem'].map((id) => isTicked(id, members, noChanges))).toEqual([true, true, false])
})

test('ticking and unticking say what saving adds and removes', () => {
  const wishes = withTicks(withTicks(noChanges, members, ['cem', 'dia'], true), members, ['ann'], false)
  expect(changesOf(wishes)).toEqual({ added: ['cem', 'dia'], removed: ['ann'] })
  expect(changesText(changesOf(wishes))).toBe('2 to add, 1 to remove')
  expect(isTicked('ann', members, wishes)).toBe(false)
})

test('a tick taken back is no change', () => {
  const ticked = withTicks(noChanges, members, ['cem'], true)
  expect(changesOf(withTicks(ticked, members, ['cem'], false))).toEqual({ added: [], removed: [] })
})

test('ticking a whole page touches only those who are not in the list', () => {
  expect(changesOf(withTicks(noChanges, members, ['ann', 'bob', 'cem'], true))).toEqual({ added: ['cem'], removed: [] })
})

test('nothing to do has no words', () => {
  expect(changesText({ added: [], removed: [] })).toBe('')
})
