import { daysBetween, isDay } from '@x-automated/contract/overview/analytics'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dayAfter, daysShown, everyDay, rateOf, totalOf } from './rules.ts'

it('rateOf returns a percentage with one decimal, at most 100, and null for 0', () => {
  expect([rateOf(1, 3), rateOf(0, 9), rateOf(5, 4), rateOf(0, 0)]).toEqual([33.3, 0, 100, null])
})

it('daysShown returns the requested days, or the last seven', () => {
  const today = '2026-11-20'
  expect(daysShown({}, today)).toEqual({ from: '2026-11-14', to: '2026-11-20' })
  expect(daysShown({ from: '2026-11-01', to: '2026-11-03' }, today)).toEqual({ from: '2026-11-01', to: '2026-11-03' })
  expect(daysShown({ from: '2026-11-18' }, today)).toEqual({ from: '2026-11-18', to: today })
  expect(daysShown({ to: '2026-03-03' }, today)).toEqual({ from: '2026-02-25', to: '2026-03-03' })
  expect(daysShown({ from: '2027-01-01' }, today)).toEqual({ from: '2027-01-01', to: '2027-01-01' })
  expect(daysBetween('2020-01-01', daysShown({ from: '2020-01-01' }, today).to)).toBe(365)
})

it('isDay accepts only existing days', () => {
  expect(['2026-02-29', '2026-13-01', '26-01-01', '1969-12-31', '2026-1-1', ''].filter(isDay)).toEqual([])
  expect(['2024-02-29', '1970-01-01', '2099-12-31', '2199-01-01'].filter(isDay)).toHaveLength(4)
})

it('everyDay returns each day once, in order, and keeps the totals', () => {
  const day = fc.integer({ min: 0, max: 400 }).map((n) => dayAfter('2025-12-25', n))
  const count = fc.nat(50)
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ day, sent: count, delivered: count, replied: count }), { selector: (row) => row.day }),
      (rows) => {
        const days = everyDay({ from: '2025-12-25', to: dayAfter('2025-12-25', 400) }, rows, {
          sent: 0,
          delivered: 0,
          replied: 0,
        })
        expect(days).toHaveLength(401)
        expect(days.map((row) => row.day)).toEqual(days.map((row) => row.day).sort())
        expect(totalOf(days)).toEqual(totalOf(rows))
      },
    ),
    { numRuns: 30 },
  )
})
