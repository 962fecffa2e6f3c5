import { expect, test } from 'vitest'
import { isUndecided, readBackText } from './consent-dialog'

test('readBackText says how much is read and what it costs at most', () => {
  expect(readBackText({ messages: 1, costCents: 24 })).toBe(
    'Read back 1 message of the last 30 days (X charges up to $0.24)',
  )
  expect(readBackText({ messages: 1_200, costCents: null })).toBe('Read back 1,200 messages of the last 30 days')
})

test('only the person who connected an account is asked, once', () => {
  const account = { storesConversations: null, isConnectedByCaller: true } as Parameters<typeof isUndecided>[0]
  expect(isUndecided(account)).toBe(true)
  expect(isUndecided({ ...account, isConnectedByCaller: false })).toBe(false)
  expect(isUndecided({ ...account, storesConversations: false })).toBe(false)
})
