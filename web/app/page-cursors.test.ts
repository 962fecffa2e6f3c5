import { expect, test } from 'vitest'
import { withCursor } from './page-cursors'

test('keeps the cursors of one list', () => {
  const none = { of: 'a all', byPage: {} }
  const two = withCursor(withCursor(none, 'a all', 2, 'x'), 'a all', 3, 'y')
  expect(two.byPage).toEqual({ 2: 'x', 3: 'y' })
  expect(withCursor(two, 'a all', 4, null)).toEqual(two)
  expect(withCursor(two, 'a failed', 2, 'z')).toEqual({ of: 'a failed', byPage: { 2: 'z' } })
})
