import { expect, test } from 'vitest'
import { NOTHING_SELECTED, toggled } from './selection'

const loaded = ['a', 'b', 'c', 'd', 'e']
const ids = (selection: { ids: ReadonlySet<string> }) => [...selection.ids].sort().join('')

test('selects and deselects one row, and ends with the last one', () => {
  const selected = toggled(NOTHING_SELECTED, 'b', loaded)
  expect([selected.isOn, ids(selected)]).toEqual([true, 'b'])
  const none = toggled(selected, 'b', loaded)
  expect([none.isOn, ids(none)]).toEqual([false, ''])
})

test('selects a range in both directions, and keeps what was selected', () => {
  const two = toggled(toggled(NOTHING_SELECTED, 'e', loaded), 'c', loaded)
  expect(ids(toggled(two, 'a', loaded, true))).toBe('abce')
  expect(ids(toggled(two, 'd', loaded, true))).toBe('cde')
})

test('selects one row if the start of the range has left the list', () => {
  const selected = { ...toggled(NOTHING_SELECTED, 'b', loaded), anchor: 'gone' }
  expect(ids(toggled(selected, 'd', loaded, true))).toBe('bd')
})

test('deselecting one of all that match leaves the other loaded rows', () => {
  const all = { ...NOTHING_SELECTED, isOn: true, hasAll: true }
  const rest = toggled(all, 'c', loaded)
  expect([rest.hasAll, ids(rest)]).toEqual([false, 'abde'])
})
