import { expect, test } from 'vitest'
import { changedFields, type Edits } from './edits'

const before: Edits = {
  name: 'Hello',
  channel: 'api',
  xAccountId: 'a',
  allowRepeat: false,
  allowReplied: false,
}

test('sends only changed fields, trimmed', () => {
  expect(changedFields(before, { ...before, name: ' Hello ' })).toEqual({})
  expect(changedFields(before, { ...before, xAccountId: '' })).toEqual({})
  expect(changedFields(before, { ...before, allowReplied: true })).toEqual({ allowReplied: true })
  expect(changedFields(before, { ...before, allowRepeat: true })).toEqual({ allowRepeat: true })
  const edited = { ...before, name: 'Bye ', channel: 'extension' as const, xAccountId: 'b' }
  expect(changedFields(before, edited)).toEqual({ name: 'Bye', channel: 'extension', xAccountId: 'b' })
})
