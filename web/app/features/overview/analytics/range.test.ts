import { formatDay } from '@x-automated/contract/format'
import { expect, test } from 'vitest'
import { daysOf, daysProblem } from './range'

test('ends ranges today in the time zone of the numbers', () => {
  const late = new Date('2026-11-20T23:30:00Z')
  expect([formatDay(late, 'UTC'), formatDay(late, 'Asia/Kathmandu')]).toEqual(['2026-11-20', '2026-11-21'])
  const custom = { from: '2026-01-01', to: '2026-01-02' }
  expect(daysOf('all', '2026-11-20', custom)).toEqual({})
  expect(daysOf('7', '2026-03-03', custom)).toEqual({ from: '2026-02-25', to: '2026-03-03' })
  expect(daysOf('custom', '2026-11-20', custom)).toBe(custom)
})

test('rejects incomplete, reversed and overlong ranges', () => {
  expect(daysProblem({ from: '', to: '2026-01-01' })).toBe('Choose the first and last day.')
  expect(daysProblem({ from: '2026-01-02', to: '2026-01-01' })).toBe('The last day must not be before the first.')
  expect(daysProblem({ from: '2025-01-01', to: '2026-01-02' })).toBe('Choose at most 366 days.')
  expect(daysProblem({ from: '2025-01-01', to: '2026-01-01' })).toBeNull()
})
