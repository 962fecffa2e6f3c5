import { MESSAGE_LIMIT } from '@x-automated/contract/outreach/extension'
import { expect, test } from 'vitest'
import { readRequest } from './request.ts'

const dm = (data: unknown) => ({ action: 'SEND_TWITTER_DM', data })

test('accepts a handle with or without @, and normalizes the text as X does', () => {
  expect(readRequest(dm({ twitterHandle: ' @Ada_1 ', message: ' Hi\r\nAda\r' }))).toEqual({
    action: 'SEND_TWITTER_DM',
    message: { id: undefined, handle: 'Ada_1', message: 'Hi\nAda' },
  })
  expect(readRequest(dm({ twitterHandle: 'ada', message: 'a'.repeat(MESSAGE_LIMIT), requestId: 'one' }))).toMatchObject(
    {
      message: { id: 'one', handle: 'ada' },
    },
  )
  expect(readRequest({ action: 'GET_STATUS' })).toEqual({ action: 'GET_STATUS' })
  expect(readRequest({ action: 'CHECK_SENDING' })).toEqual({ action: 'CHECK_SENDING' })
  expect(readRequest({ action: 'CHECK_SENDING', data: { sendsAs: '@me' } })).toEqual({
    action: 'CHECK_SENDING',
    sendsAs: 'me',
  })
  expect(readRequest({ action: 'UNPAIR' })).toEqual({ action: 'UNPAIR' })
  expect(readRequest({ action: 'PAIR', data: { code: 'BCDF-2345' } })).toEqual({ action: 'PAIR', code: 'BCDF-2345' })
  expect(readRequest({ action: 'SET_BACKGROUND_SENDING', data: { allowed: true } })).toEqual({
    action: 'SET_BACKGROUND_SENDING',
    allowed: true,
  })
  const bound = { requestId: 'lease', dmId: 'dm', notAfter: 7, sendsAs: '@me', runId: 'run', xUserId: '42' }
  expect(readRequest(dm({ twitterHandle: 'ada', message: 'Hi', ...bound }))).toMatchObject({
    message: { id: 'lease', dmId: 'dm', notAfter: 7, sendsAs: 'me', runId: 'run', xUserId: '42' },
  })
})

test('reads SET_SENDING_ALONE from older pages as SET_BACKGROUND_SENDING', () => {
  expect(readRequest({ action: 'SET_SENDING_ALONE', data: { allowed: false } })).toEqual({
    action: 'SET_BACKGROUND_SENDING',
    allowed: false,
  })
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a string', 'SEND_TWITTER_DM'],
  ['an unknown action', { action: 'DELETE' }],
  ['no data', { action: 'SEND_TWITTER_DM' }],
  ['no handle', dm({ message: 'Hi' })],
  ['a path for a handle', dm({ twitterHandle: 'ada/../settings', message: 'Hi' })],
  ['a handle that is too long', dm({ twitterHandle: 'a'.repeat(16), message: 'Hi' })],
  ['a blank message', dm({ twitterHandle: 'ada', message: ' \n' })],
  ['a message that is not a string', dm({ twitterHandle: 'ada', message: 7 })],
  ['a message that is too long', dm({ twitterHandle: 'ada', message: 'a'.repeat(MESSAGE_LIMIT + 1) })],
  ['an empty request id', dm({ twitterHandle: 'ada', message: 'Hi', requestId: '' })],
  ['a claimed message without a lease', dm({ twitterHandle: 'ada', message: 'Hi', dmId: 'dm' })],
  ['an invalid time', dm({ twitterHandle: 'ada', message: 'Hi', notAfter: 'soon' })],
  ['an empty run id', dm({ twitterHandle: 'ada', message: 'Hi', runId: '' })],
  ['an invalid sender', dm({ twitterHandle: 'ada', message: 'Hi', sendsAs: 'a b' })],
  ['an invalid sender to check', { action: 'CHECK_SENDING', data: { sendsAs: 'a b' } }],
  ['an id of X that is a number', dm({ twitterHandle: 'ada', message: 'Hi', xUserId: 42 })],
  ['an id of X with other characters', dm({ twitterHandle: 'ada', message: 'Hi', xUserId: '1-2' })],
  ['a pairing without a code', { action: 'PAIR', data: {} }],
  ['a permission that is not a boolean', { action: 'SET_BACKGROUND_SENDING', data: { allowed: 1 } }],
  ['a request id that is not a string', dm({ twitterHandle: 'ada', message: 'Hi', requestId: {} })],
])('rejects %s', (_what, value) => {
  expect(readRequest(value)).toMatchObject({ action: 'INVALID', problem: expect.any(String) })
})
