import { expect, test } from 'vitest'
import { leadOf } from './lead-sheet'

test('never shows the previous lead, but keeps its own while closing', () => {
  const before = { id: 'a' }
  expect(leadOf('a', before)).toBe(before)
  expect(leadOf('b', before)).toBeUndefined()
  expect(leadOf(null, before)).toBe(before)
  expect(leadOf('b', undefined)).toBeUndefined()
})
