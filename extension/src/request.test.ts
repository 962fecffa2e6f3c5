import { MESSAGE_LIMIT } from '@x-automated/contract/extension'
import { expect, test } from 'vitest'
import { readRequest } from './request.ts'

const dm = (data: unknown) => ({ action: 'SEND_TWITTER_DM', data })

test('a message is taken with its handle, with or without @, and its text as X keeps it', () => {
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
  expect(readRequest({ action: 'UNPAIR' })).toEqual({ action: 'UNPAIR' })
  expect(readRequest({ action: 'PAIR', data: { code: 'BCDF-2345' } })).toEqual({ action: 'PAIR', code: 'BCDF-2345' })
  expect(readRequest({ action: 'SET_BACKGROUND_SENDING', data: { allowed: true } })).toEqual({
    action: 'SET_BACKGROUND_SENDING',
    allowed: true,
  })
  const bound = { requestId: 'lease', dmId: 'dm', notAfter: 7, sendsAs: '@me', runId: 'run' }
  expect(readRequest(dm({ twitterHandle: 'ada', message: 'Hi', ...bound }))).toMatchObject({
    message: { id: 'lease', dmId: 'dm', notAfter: 7, sendsAs: 'me', runId: 'run' },
  })
})

test('SET_SENDING_ALONE of a page of the version before is read as SET_BACKGROUND_SENDING', () => {
  expect(readRequest({ action: 'SET_SENDING_ALONE', data: { allowed: false } })).toEqual({
    action: 'SET_BACKGROUND_SENDING',
    allowed: false,
  })
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'SEND_TWITTER_DM'],
  ['an unknown action', { action: 'DELETE' }],
  ['no data', { action: 'SEND_TWITTER_DM' }],
  ['no handle', dm({ message: 'Hi' })],
  ['a path for a handle', dm({ twitterHandle: 'ada/../settings', message: 'Hi' })],
  ['a handle that is too long', dm({ twitterHandle: 'a'.repeat(16), message: 'Hi' })],
  ['a blank message', dm({ twitterHandle: 'ada', message: ' \n' })],
  ['a message that is no text', dm({ twitterHandle: 'ada', message: 7 })],
  ['a message that is too long', dm({ twitterHandle: 'ada', message: 'a'.repeat(MESSAGE_LIMIT + 1) })],
  ['an empty request id', dm({ twitterHandle: 'ada', message: 'Hi', requestId: '' })],
  ['a message of no lease', dm({ twitterHandle: 'ada', message: 'Hi', dmId: 'dm' })],
  ['a moment that is none', dm({ twitterHandle: 'ada', message: 'Hi', notAfter: 'soon' })],
  ['a run that is none', dm({ twitterHandle: 'ada', message: 'Hi', runId: '' })],
  ['a sender that is none', dm({ twitterHandle: 'ada', message: 'Hi', sendsAs: 'a b' })],
  ['no code', { action: 'PAIR', data: {} }],
  ['neither yes nor no', { action: 'SET_BACKGROUND_SENDING', data: { allowed: 1 } }],
  ['a request id that is no text', dm({ twitterHandle: 'ada', message: 'Hi', requestId: {} })],
])('refused: %s', (_what, value) => {
  expect(readRequest(value)).toMatchObject({ action: 'INVALID', problem: expect.any(String) })
})
