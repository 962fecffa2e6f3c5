import { EXTENSION_TEXT } from '@x-automated/contract/outreach/extension'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { askExtension, askStatus, driveExtension, type Runtime, setBackgroundSending } from './extension-link'

afterEach(() => vi.useRealTimers())

const request = { action: 'SEND_TWITTER_DM', data: { twitterHandle: 'ada', message: 'Hi' } } as const

/** Creates a browser runtime whose extension replies with this value. */
function answering(value: unknown, lastError?: string): Runtime {
  return {
    ...(lastError === undefined ? {} : { lastError: { message: lastError } }),
    sendMessage: (_id, _request, reply) => reply(value),
    connect: () => {
      throw new Error('not connected')
    },
  }
}

test.each([
  ['success', answering({ success: true }), { success: true }],
  [
    'a missing runtime',
    null,
    { success: false, error: 'Chrome runtime API not available in this context.', end: 'stop' },
  ],
  [
    'a missing extension',
    answering(undefined, 'Could not establish connection. Receiving end does not exist.'),
    {
      success: false,
      error: 'Extension communication error: Could not establish connection. Receiving end does not exist.',
      end: 'stop',
    },
  ],
  [
    'a lost answer',
    answering(undefined, 'The message port closed before a response was received.'),
    {
      success: false,
      error: 'Extension communication error: The message port closed before a response was received.',
      end: 'unclear',
    },
  ],
  ...[undefined, null, 7, 'sent', {}, { success: 'yes' }].map(
    (value) =>
      [
        `the answer ${JSON.stringify(value)}`,
        answering(value),
        { success: false, error: 'Unexpected or malformed response from extension.', end: 'unclear' },
      ] as const,
  ),
  [
    'a failure without detail',
    answering({ success: false }),
    { success: false, error: 'Failed via extension', end: 'failed' },
  ],
  [
    'a failure with detail',
    answering({ success: false, error: EXTENSION_TEXT.NOT_SIGNED_IN, code: 'NOT_SIGNED_IN' }),
    { success: false, error: EXTENSION_TEXT.NOT_SIGNED_IN, code: 'NOT_SIGNED_IN', end: 'stop' },
  ],
  [
    'a runtime that throws',
    {
      ...answering(null),
      sendMessage() {
        throw new Error('Invalid extension id')
      },
    },
    { success: false, error: 'Failed to initiate communication with extension: Invalid extension id', end: 'stop' },
  ],
] as const)('handles %s', async (_what, runtime, reply) => {
  expect(await askExtension(request, runtime)).toEqual(reply)
})

describe('askStatus', () => {
  const status = {
    version: '1.2.0',
    paused: false,
    pageChanged: null,
    signedInAs: 'ada',
    pairedWith: { email: 'ada@example.com', workspaceName: 'Acme' },
    sendsInBackground: true,
    activity: { doing: 'stopped', error: 'Sign in first.', until: 7 },
  }
  const ask = (value: unknown) => askStatus(answering(value))

  test('reads a status of this version', async () => {
    expect(await ask({ success: true, status })).toEqual({
      success: true,
      status: { ...status, isOtherVersion: false },
    })
    const { signedInAs: _, ...unseen } = status
    expect(await ask({ success: true, status: unseen })).toMatchObject({
      status: { signedInAs: undefined, isOtherVersion: false },
    })
  })

  test.each([
    ['without activity', { activity: undefined }, { activity: null }],
    ['with an unknown activity', { activity: { doing: 'dreaming' } }, { activity: null }],
    ['with half an activity', { activity: { doing: 'waiting' } }, { activity: null }],
    ['without a version', { version: undefined }, { version: null }],
    ['without a pairing', { pairedWith: undefined }, { pairedWith: null }],
    ['with half a pairing', { pairedWith: { email: 'ada@example.com' } }, { pairedWith: null }],
    ['with flags of another kind', { paused: 'no', sendsInBackground: 1 }, { paused: false, sendsInBackground: false }],
    ['with texts of another kind', { pageChanged: {}, signedInAs: 7 }, { pageChanged: null, signedInAs: undefined }],
  ])('treats a status %s as another version and keeps the rest', async (_what, change, read) => {
    const reply = await ask({ success: true, status: { ...status, ...change } })
    expect(reply).toEqual({ success: true, status: { ...status, ...read, isOtherVersion: true } })
  })

  test.each([
    { success: true },
    { success: true, status: 'fine' },
    'pong',
    {},
    { success: false, error: 'What?', code: 'INVALID_REQUEST' },
  ])('treats the reply %j as another version', async (value) => {
    expect(await ask(value)).toMatchObject({
      success: true,
      status: { version: null, activity: null, pairedWith: null, sendsInBackground: false, isOtherVersion: true },
    })
  })

  test('reads sendsAlone of the previous version as sendsInBackground', async () => {
    const { sendsInBackground, ...rest } = status
    expect(await ask({ success: true, status: { ...rest, sendsAlone: sendsInBackground } })).toEqual({
      success: true,
      status: { ...status, isOtherVersion: false },
    })
  })

  test('fails without an extension, or if the extension refuses this page', async () => {
    expect(await askStatus(null)).toMatchObject({ success: false, end: 'stop' })
    expect(await ask({ success: false, error: 'No.', code: 'FORBIDDEN_ORIGIN' })).toMatchObject({ success: false })
  })
})

test('repeats a request under its former name for extensions of the previous version', async () => {
  const requests: unknown[] = []
  const former: Runtime = {
    ...answering(null),
    sendMessage(_id, sent, reply) {
      requests.push(sent)
      const { action } = sent as { action: string }
      const unknown = { success: false, error: 'unknown action', code: 'INVALID_REQUEST' }
      reply(action === 'SET_SENDING_ALONE' ? { success: true, status: {} } : unknown)
    },
  }
  expect(await setBackgroundSending(true, former)).toEqual({ success: true })
  expect(requests).toEqual([
    { action: 'SET_BACKGROUND_SENDING', data: { allowed: true } },
    { action: 'SET_SENDING_ALONE', data: { allowed: true } },
  ])
})

test('treats an unknown failure as a message that may have been sent', async () => {
  const reply = { success: false, error: 'Newer than you.', code: 'NEWER' }
  expect(await askExtension(request, answering(reply))).toEqual({
    success: false,
    error: 'Newer than you.',
    end: 'unclear',
  })
})

test('times out as unclear if no reply arrives', async () => {
  vi.useFakeTimers()
  const pending = askExtension(request, { ...answering(null), sendMessage() {} })
  await vi.advanceTimersByTimeAsync(150_000)
  expect(await pending).toMatchObject({ error: 'Extension communication error: no response in time.', end: 'unclear' })
})

test('answers the extension whether a claimed message may still be sent', async () => {
  let ask: (question: unknown) => void = () => {}
  const answers: unknown[] = []
  let open = 0
  const runtime: Runtime = {
    ...answering(null),
    connect() {
      open += 1
      return {
        disconnect() {
          open -= 1
        },
        postMessage: (answer) => answers.push(answer),
        onMessage: {
          addListener(listener) {
            ask = listener
          },
        },
        onDisconnect: { addListener() {} },
      }
    },
  }
  const release = driveExtension(async ({ dmId }) => (dmId === 'yes' ? true : dmId === 'no' ? false : null), runtime)
  for (const dmId of ['yes', 'no', 'unknown']) ask({ ask: 'MAY_SEND', dmId, lease: 'lease' })
  for (const other of [
    null,
    'MAY_SEND',
    { ask: 'MAY_SEND', dmId: 7, lease: {} },
    { ask: 'ELSE', dmId: 'yes', lease: 'lease' },
  ])
    ask(other)
  await vi.waitFor(
    () =>
      expect(answers).toEqual([
        { dmId: 'yes', lease: 'lease', maySend: true },
        { dmId: 'no', lease: 'lease', maySend: false },
        { dmId: 'unknown', lease: 'lease', maySend: null },
      ]),
    10_000,
  )
  expect(open).toBe(1)
  release()
  expect(open).toBe(0)
})
