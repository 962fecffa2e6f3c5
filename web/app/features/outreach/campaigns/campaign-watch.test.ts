import { expect, test } from 'vitest'
import { POLL_SENDING_EVERY_MS, pagePollInterval } from './campaign-watch'

test('does not poll deep pages without a cursor', () => {
  expect(pagePollInterval(true, 1, undefined)).toBe(POLL_SENDING_EVERY_MS)
  expect(pagePollInterval(true, 40_000, 'cursor')).toBe(POLL_SENDING_EVERY_MS)
  expect(pagePollInterval(true, 40_000, undefined)).toBe(false)
  expect(pagePollInterval(false, 2, undefined)).toBe(false)
})
