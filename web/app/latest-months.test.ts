import { expect, it } from 'vitest'
import { latestMonths } from './latest-months'

it('lists months, newest first, across years', () => {
  expect(latestMonths(new Date('2026-02-28T23:00:00Z'), 4)).toEqual(['2026-02', '2026-01', '2025-12', '2025-11'])
})
