import { expect, it } from 'vitest'
import { monthsUntil, periodText } from './report-text'

it('names a period by its days', () => {
  expect(periodText({ from: '2026-11-01', to: '2026-11-27' })).toBe('November 1, 2026 to November 27, 2026')
  expect(periodText({ from: '2026-11-01', to: '2026-11-01' })).toBe('November 1, 2026')
})

it('lists months, newest first, across years', () => {
  expect(monthsUntil('2026-02-28', 4)).toEqual(['2026-02', '2026-01', '2025-12', '2025-11'])
})
