import { expect, test } from 'vitest'
import { ago } from './popup-text.ts'

test.each([
  [-5, 'just now'],
  [0, 'just now'],
  [59, 'just now'],
  [60, '1 minute ago'],
  [3599, '59 minutes ago'],
  [3600, '1 hour ago'],
  [172_800, '2 days ago'],
])('shows %i seconds ago as %s', (seconds, text) => {
  expect(ago(0, seconds * 1000)).toBe(text)
})
