import { useTable } from '@tanstack/react-table'
import type { BreakdownRow } from '@x-automated/contract/overview/analytics'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { columns, features } from './comparison-columns'

const row = (name: string, medianReplySeconds: number | null = null): BreakdownRow => ({
  id: name,
  name,
  peopleMessaged: 1,
  peopleReplied: 0,
  peoplePositive: 0,
  optedOut: 0,
  replyRate: 0,
  positiveRate: 0,
  medianReplySeconds,
  medianAnswerSeconds: null,
})
const DATA = [row('Step 10'), row('Step 2', 9), row('Step 1', 60)]

/** Sorts by a column. @returns the names in that order, and the order after pressing the column's header */
function namesSortedBy(id: string, order: 'asc' | 'desc' | false) {
  let names: string[] = []
  let next: string | false | undefined
  function Probe() {
    const sorting = order ? [{ id, desc: order === 'desc' }] : []
    const table = useTable({ features, columns, data: DATA, state: { sorting } })
    names = table.getRowModel().rows.map(({ original }) => original.name)
    next = table.getColumn(id)?.getNextSortingOrder()
    return null
  }
  renderToString(<Probe />)
  return { names, next }
}

it('sorts names by their numbers, and rows without a value last', () => {
  expect(namesSortedBy('name', false).names).toEqual(['Step 10', 'Step 2', 'Step 1'])
  expect(namesSortedBy('name', 'asc').names).toEqual(['Step 1', 'Step 2', 'Step 10'])
  expect(namesSortedBy('medianReplySeconds', 'asc').names).toEqual(['Step 2', 'Step 1', 'Step 10'])
  expect(namesSortedBy('medianReplySeconds', 'desc').names).toEqual(['Step 1', 'Step 2', 'Step 10'])
})

it('starts with the highest number or the first name, and ends the order with the third press', () => {
  const presses = (id: string) => ([false, 'desc', 'asc'] as const).map((order) => namesSortedBy(id, order).next)
  expect(presses('replyRate')).toEqual(['desc', 'asc', false])
  expect(presses('name')).toEqual(['asc', false, 'desc'])
})
