import { expect, test } from 'vitest'
import { changesOf, changesText, noChanges, selectionOf, withSelection } from './membership'

const members = new Set(['ann', 'bob'])

const page = ['ann', 'bob', 'cem', 'dia']
const select = (ids: string[], pending = noChanges) =>
  withSelection(pending, page, members, Object.fromEntries(ids.map((id) => [id, true])))

test('selects exactly the members without changes', () => {
  expect(selectionOf(page, members, noChanges)).toEqual({ ann: true, bob: true })
})

test('lists what saving adds and removes', () => {
  const pending = select(['bob', 'cem', 'dia'])
  expect(changesOf(pending)).toEqual({ add: ['cem', 'dia'], remove: ['ann'] })
  expect(changesText(changesOf(pending))).toBe('2 to add, 1 to remove')
  expect(selectionOf(page, members, pending)).toEqual({ bob: true, cem: true, dia: true })
})

test('drops a change that is reverted, and keeps those of other pages', () => {
  const elsewhere = new Map([['eve', true]])
  expect(changesOf(select(['ann', 'bob'], select(['ann'], elsewhere)))).toEqual({ add: ['eve'], remove: [] })
})

test('returns no text if nothing changes', () => {
  expect(changesText({ add: [], remove: [] })).toBe('')
})
