import { expect, it } from 'vitest'
import { guessPeopleMapping, peopleProblem, peopleQuery, peopleWarning, samplesOf } from './people-columns'

const preview = (...rows: string[][]) => ({ headers: rows[0] ?? [], rows: rows.slice(1) })

it.each([
  [[['Handle', 'Reason', 'Email']], ['twitter_handle', 'reason', ''], true],
  [[['User ID'], ['4242']], ['x_user_id'], true],
  [
    [
      ['handle', 'username'],
      ['a', 'b'],
    ],
    ['twitter_handle', ''],
    true,
  ],
  [
    [
      ['Person', 'Why'],
      ['ana', 'x'],
    ],
    ['', ''],
    true,
  ],
  [[['@ana', 'asked by phone']], ['twitter_handle', ''], false],
  [[['1588631281067221234']], ['twitter_handle'], false],
  [[['Handles'], ['ana']], ['twitter_handle'], true],
  [[['ana'], ['bob']], ['twitter_handle'], false],
])('guesses the columns of %j', (rows, columns, hasHeader) => {
  expect(guessPeopleMapping(preview(...rows))).toEqual({ columns, hasHeader })
})

it('shows the first row as a sample if it is a person', () => {
  const file = preview(['@ana'], ['bob'])
  expect(samplesOf(file, { columns: ['twitter_handle'], hasHeader: false })).toEqual([['@ana'], ['bob']])
  expect(samplesOf(file, { columns: ['twitter_handle'], hasHeader: true })).toEqual([['bob']])
})

it('requires handles or ids, and each field once', () => {
  const problem = (...columns: string[]) => peopleProblem({ columns, hasHeader: true })
  expect(problem('reason', '')).toBe('Choose the column with the handles or the X user IDs.')
  expect(problem('note', 'note', 'x_user_id')).toBe('Two columns map to “Note”. Skip one of them.')
  expect(problem('', '', 'x_user_id')).toBeNull()
})

it('warns of rows that name no one', () => {
  const warning = (cell: string, columns = ['twitter_handle', 'note']) =>
    peopleWarning(preview(['Person', 'Why'], [cell, 'x']), { columns, hasHeader: true })
  expect(warning('Ana Lee')).toBe("“Ana Lee” isn't a valid X handle. Rows without a valid handle are skipped.")
  expect(warning('1588631281067221234')).toBeNull()
  expect(warning('Ana Lee', ['twitter_handle', 'x_user_id'])).toBeNull()
})

it('lets the server read a single column, unless its header says something else', () => {
  const query = (header: string, column: string, hasHeader: boolean) =>
    Object.fromEntries(peopleQuery(preview([header], ['4242']), { columns: [column], hasHeader }))
  expect(query('ana', 'twitter_handle', false)).toEqual({ header: 'false' })
  expect(query('People', 'twitter_handle', true)).toEqual({ header: 'true' })
  expect(query('People', 'x_user_id', true)).toEqual({ header: 'true', columns: '["x_user_id"]' })
  expect(query('user_id', 'twitter_handle', true)).toEqual({ header: 'true', columns: '["twitter_handle"]' })
})
