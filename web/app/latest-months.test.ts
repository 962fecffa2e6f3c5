import { expect, it } from 'vitest'
import { latestMonths } from './latest-months'

it('lists months, newest first, across years', () => {
  expect(latestMonths(new Date('2026-02-28T23:00:00Z'), 4)).toEqual(['2026-02', '2026-01', '2025-12', '2025-11'])
})

it('leaves out the months before the first one', () => {
  const now = new Date('2026-02-28T23:00:00Z')
  expect(latestMonths(now, 24, '2025-12-31T23:59:59Z')).toEqual(['2026-02', '2026-01', '2025-12'])
  expect(latestMonths(now, 24, '2026-03-01T00:00:00Z')).toEqual(['2026-02'])
})
