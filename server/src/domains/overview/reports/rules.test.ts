import { REPORT_DAYS_SHOWN } from '@x-automated/contract/overview/report-limits'
import { expect, it } from 'vitest'
import { daysOf, daysOfMonth, totalsOf } from './rules.ts'

it.each([
  ['2026-11', '2026-11-27', '2026-11-01', '2026-11-27'],
  ['2026-11', '2026-12-24', '2026-11-01', '2026-11-30'],
  ['2024-02', '2026-11-27', '2024-02-01', '2024-02-29'],
  ['2026-12', '2027-01-01', '2026-12-01', '2026-12-31'],
  // The workspace's time zone has moved west since.
  ['2026-12', '2026-11-30', '2026-12-01', '2026-12-01'],
])('%s, on %s, is from %s to %s', (month, today, from, to) => {
  expect(daysOfMonth(month, today)).toEqual({ from, to })
})

const row = {
  sent: 5,
  delivered: 4,
  answered: 3,
  positive: 2,
  peopleMessaged: 5,
  peopleReplied: 2,
  peoplePositive: 1,
  optedOut: 1,
}

it('adds up campaigns and days, and shows every day once', () => {
  const rows = [
    { ...row, day: '2026-11-01' },
    { ...row, day: '2026-11-03' },
    { ...row, day: '2026-11-03' },
  ]
  expect(daysOf({ from: '2026-11-01', to: '2026-11-03' }, rows)).toEqual([
    { day: '2026-11-01', sent: 5, replied: 3, positive: 2 },
    { day: '2026-11-02', sent: 0, replied: 0, positive: 0 },
    { day: '2026-11-03', sent: 10, replied: 6, positive: 4 },
  ])
  expect(totalsOf(rows)).toEqual({
    peopleMessaged: 15,
    messagesSent: 15,
    read: 12,
    peopleReplied: 6,
    peoplePositive: 3,
    optedOut: 3,
  })
})

it('shows the latest days of a long campaign', () => {
  const days = daysOf({ from: '2020-01-01', to: '2026-11-27' }, [{ ...row, day: '2020-01-01' }])
  expect([days.length, days.at(-1)?.day]).toEqual([REPORT_DAYS_SHOWN, '2026-11-27'])
})
