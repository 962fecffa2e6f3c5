import { expect, test } from 'vitest'
import { changesIn, type Edits } from './edits'

const before: Edits = {
  name: 'Hello',
  messageTemplate: 'Hi',
  channel: 'api',
  xAccountId: 'a',
  allowRepeat: false,
  allowReplied: false,
}

test('only what was changed is sent, trimmed', () => {
  expect(changesIn(before, { ...before, name: ' Hello ' })).toEqual({})
  expect(changesIn(before, { ...before, xAccountId: '' })).toEqual({})
  expect(changesIn(before, { ...before, allowReplied: true })).toEqual({ allowReplied: true })
  expect(changesIn(before, { ...before, allowRepeat: true })).toEqual({ allowRepeat: true })
  const edited = { ...before, name: 'Bye ', messageTemplate: ' Dear', channel: 'extension' as const, xAccountId: 'b' }
  expect(changesIn(before, edited)).toEqual({
    name: 'Bye',
    messageTemplate: 'Dear',
    channel: 'extension',
    xAccountId: 'b',
  })
})
