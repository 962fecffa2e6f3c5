import { expect, test } from 'vitest'
import { changesIn, type Edits } from './edits'

const before: Edits = { name: 'Hello', messageTemplate: 'Hi', channel: 'api', xAccountId: 'a' }

test('only what was changed is sent, trimmed', () => {
  expect(changesIn(before, { ...before, name: ' Hello ' })).toEqual({})
  expect(changesIn(before, { ...before, xAccountId: '' })).toEqual({})
  expect(changesIn(before, { name: 'Bye ', messageTemplate: ' Dear', channel: 'extension', xAccountId: 'b' })).toEqual({
    name: 'Bye',
    messageTemplate: 'Dear',
    channel: 'extension',
    xAccountId: 'b',
  })
})
