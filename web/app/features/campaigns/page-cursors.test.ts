import { expect, test } from 'vitest'
import { pagePollInterval, WATCH_EVERY_MS } from './campaign-watch'
import { withCursor } from './page-cursors'

test('where a page begins is kept for its own list', () => {
  const none = { of: 'a all', byPage: {} }
  const two = withCursor(withCursor(none, 'a all', 2, 'x'), 'a all', 3, 'y')
  expect(two.byPage).toEqual({ 2: 'x', 3: 'y' })
  expect(withCursor(two, 'a all', 4, null)).toEqual(two)
  expect(withCursor(two, 'a failed', 2, 'z')).toEqual({ of: 'a failed', byPage: { 2: 'z' } })
})

test('a page far behind, which is counted off from the beginning, is not looked at again and again', () => {
  expect(pagePollInterval(true, 1, undefined)).toBe(WATCH_EVERY_MS)
  expect(pagePollInterval(true, 40_000, 'cursor')).toBe(WATCH_EVERY_MS)
  expect(pagePollInterval(true, 40_000, undefined)).toBe(false)
  expect(pagePollInterval(false, 2, undefined)).toBe(false)
})
