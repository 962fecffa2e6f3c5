import { expect, test } from 'vitest'
import { changeInBatches, pickedCount, selectionsOf } from './lead-selection'

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

test('follows the cursor to the last batch, and reports each batch even if a later one fails', async () => {
  const calls: unknown[] = []
  const seen: number[] = []
  const all = { matching: { status: 'not_sent' as const }, count: 3 }
  const cursors = ['next', null]
  const call = async (selection: object) => {
    calls.push(selection)
    return { changed: calls.length, cursor: cursors[calls.length - 1] ?? null }
  }
  await changeInBatches(selectionsOf(all), call, ({ changed }) => seen.push(changed))
  expect(calls).toEqual([
    { filter: { status: 'not_sent', suppressed: false } },
    { filter: { status: 'not_sent', suppressed: false }, cursor: 'next' },
  ])
  expect(seen).toEqual([1, 2])
  calls.length = 0
  const failing = async (selection: object) => {
    if (calls.length > 0) throw new Error('gone')
    return call(selection)
  }
  await expect(changeInBatches(selectionsOf(all), failing, ({ changed }) => seen.push(changed))).rejects.toThrow('gone')
  expect(seen).toEqual([1, 2, 1])
})
