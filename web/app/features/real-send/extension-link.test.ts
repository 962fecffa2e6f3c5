import { EXTENSION_TEXT } from '@x-automated/contract/extension'
import { afterEach, expect, test, vi } from 'vitest'
import { askExtension, driveExtension, type Runtime } from './extension-link'

afterEach(() => vi.useRealTimers())

const request = { action: 'SEND_TWITTER_DM', data: { twitterHandle: 'ada', message: 'Hi' } } as const

/** A browser in which the extension answers so. */
function answering(value: unknown, lastError?: string): Runtime {
  return {
    ...(lastError === undefined ? {} : { lastError: { message: lastError } }),
    sendMessage: (_id, _request, reply) => reply(value),
    connect: () => {
      throw new Error('nobody drives')
    },
  }
}

/** Each of the specification's texts (§8), and what it means for the message. */
test.each([
  ['success', answering({ success: true }), { success: true }],
  ['no runtime', null, { success: false, error: 'Chrome runtime API not available in this context.', end: 'down' }],
  [
    'no extension',
    answering(undefined, 'Could not establish connection. Receiving end does not exist.'),
    {
      success: false,
      error: 'Extension communication error: Could not establish connection. Receiving end does not exist.',
      end: 'down',
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
  ['no detail', answering({ success: false }), { success: false, error: 'Failed via extension', end: 'failed' }],
  [
    'a detail',
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
    { success: false, error: 'Failed to initiate communication with extension: Invalid extension id', end: 'down' },
  ],
] as const)('%s', async (_what, runtime, reply) => {
  expect(await askExtension(request, runtime)).toEqual(reply)
})

test('an answer that never comes is unclear in the end', async () => {
  vi.useFakeTimers()
  const asked = askExtension(request, { ...answering(null), sendMessage() {} })
  await vi.advanceTimersByTimeAsync(150_000)
  expect(await asked).toMatchObject({ error: 'Extension communication error: no answer in time.', end: 'unclear' })
})

test('a page that drives answers the extension for what it has claimed, as the server tells it', async () => {
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
          addListener(heard) {
            ask = heard
          },
        },
        onDisconnect: { addListener() {} },
      }
    },
  }
  const letGo = driveExtension(async ({ dmId }) => (dmId === 'yes' ? true : dmId === 'no' ? false : null), runtime)
  for (const dmId of ['yes', 'no', 'who knows']) ask({ ask: 'MAY_SEND', dmId, lease: 'lease' })
  for (const other of [null, 'MAY_SEND', { ask: 'ELSE', dmId: 'yes', lease: 'lease' }]) ask(other)
  await vi.waitFor(
    () =>
      expect(answers).toEqual([
        { dmId: 'yes', lease: 'lease', maySend: true },
        { dmId: 'no', lease: 'lease', maySend: false },
        { dmId: 'who knows', lease: 'lease', maySend: null },
      ]),
    10_000,
  )
  expect(open).toBe(1)
  letGo()
  expect(open).toBe(0)
})
