import { expect, it } from 'vitest'
import { monthsUntil, monthText, periodText } from './report-text'

it('names a period by its days', () => {
  expect(periodText({ from: '2026-11-01', to: '2026-11-27' })).toBe('November 1, 2026 to November 27, 2026')
  expect(periodText({ from: '2026-11-01', to: '2026-11-01' })).toBe('November 1, 2026')
})

it('lists months, the latest first, over the turn of a year', () => {
  const months = monthsUntil('2026-02-28', 4)
  expect(months).toEqual(['2026-02', '2026-01', '2025-12', '2025-11'])
  expect(months.map(monthText).at(-1)).toBe('November 2025')
})
