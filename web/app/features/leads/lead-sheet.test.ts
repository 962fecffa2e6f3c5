import { expect, test } from 'vitest'
import { leadOf } from './lead-sheet'

test('the sheet never shows the lead that was open before, but keeps its own while it closes', () => {
  const before = { id: 'a' }
  expect(leadOf('a', before)).toBe(before)
  expect(leadOf('b', before)).toBeUndefined()
  expect(leadOf(null, before)).toBe(before)
  expect(leadOf('b', undefined)).toBeUndefined()
})
