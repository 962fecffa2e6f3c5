import { expect, it } from 'vitest'
import { periodText } from './report-view'

it('names a period by its days', () => {
  expect(periodText({ from: '2026-11-01', to: '2026-11-27' })).toBe('November 1, 2026 to November 27, 2026')
  expect(periodText({ from: '2026-11-01', to: '2026-11-01' })).toBe('November 1, 2026')
})
