import { EXTENSION_TEXT } from '@x-automated/contract/outreach/extension'
import { beforeEach, expect, test, vi } from 'vitest'
import { fakeBrowser } from 'wxt/testing/fake-browser'
import { type AskClaimant, createMessenger } from './messenger.ts'
import { type Leave, type Outcome, send } from './send.ts'
import { changeState, readState } from './state.ts'

vi.mock('wxt/browser', async () => ({ browser: (await import('wxt/testing/fake-browser')).fakeBrowser }))
vi.mock('./send.ts')

beforeEach(() => {
  fakeBrowser.reset()
  vi.spyOn(fakeBrowser.runtime, 'getManifest').mockReturnValue({ version: '1', manifest_version: 3, name: 'X' })
})

const pairing = { origin: 'http://localhost:3000', token: 't', email: 'a@example.com', workspaceName: 'A' }
const message = { id: 'lease', dmId: 'dm', handle: 'ada', message: 'Hi' }
const noAnswer: AskClaimant = async () => null

/** Makes `send` run the last check before the press, and succeed if the check allows it. */
function comesToThePress() {
  vi.mocked(send).mockImplementation(async (_attempt, _page, _journal, leave: Leave) => (await leave()) ?? 'sent')
}

/** Stubs the product's response to the extension. */
function answer(status: number, body: object = {}) {
  vi.stubGlobal('fetch', async () => Response.json(body, { status }))
}

const unreachable = { success: false, error: EXTENSION_TEXT.PRODUCT_UNREACHABLE, code: 'PRODUCT_UNREACHABLE' }
const calledBack = { success: false, error: expect.any(String), code: 'CALLED_BACK' }

test('sends a claimed message only if the product or the page confirms it', async () => {
  comesToThePress()
  const { sendOnce } = createMessenger()
  const askPage = vi.fn<AskClaimant>(async () => true)
  // Not paired: asks the page.
  expect(await sendOnce(message, askPage)).toEqual({ success: true })
  expect(askPage).toHaveBeenCalledWith({ dmId: 'dm', lease: 'lease' })
  expect(await sendOnce(message, async () => false)).toEqual(calledBack)
  expect(await sendOnce(message, noAnswer)).toEqual(unreachable)
  // Paired: asks the product.
  await changeState({ pairing })
  askPage.mockClear()
  answer(200, { maySend: true })
  expect(await sendOnce(message, askPage)).toEqual({ success: true })
  answer(200, { maySend: false })
  expect(await sendOnce(message, askPage)).toEqual(calledBack)
  answer(409)
  expect(await sendOnce(message, askPage)).toEqual(calledBack)
  answer(503)
  expect(await sendOnce(message, askPage)).toEqual(unreachable)
  expect(askPage).not.toHaveBeenCalled()
})

test.each([401, 403, 404])('asks the claiming page if our key does not open the message (%i)', async (status) => {
  comesToThePress()
  await changeState({ pairing })
  answer(status)
  const { sendOnce } = createMessenger()
  expect(await sendOnce(message, async () => true)).toEqual({ success: true })
  expect(await sendOnce(message, async () => false)).toEqual(calledBack)
  expect(await sendOnce(message, noAnswer)).toEqual(unreachable)
})

test('asks no one about a message without a claim', async () => {
  comesToThePress()
  const { sendOnce } = createMessenger()
  expect(await sendOnce({ id: undefined, handle: 'ada', message: 'Hi' }, async () => false)).toEqual({ success: true })
})

/** Returns what the page gets if `send` returns this outcome: true, or an error code. */
async function endOf(outcome: Outcome, { sendOnce }: ReturnType<typeof createMessenger>, over = {}) {
  vi.mocked(send).mockResolvedValueOnce(outcome)
  const reply = await sendOnce({ ...message, ...over }, noAnswer)
  return reply.success || reply.code
}
const unclear: Outcome = { code: 'CANNOT_TELL' }

test('stops once X shows too little of three people in a row', async () => {
  const messenger = createMessenger()
  const ends = (outcome: Outcome, over = {}) => endOf(outcome, messenger, over)
  expect([await ends(unclear), await ends(unclear)]).toEqual(['CANNOT_TELL', 'CANNOT_TELL'])
  expect([await ends('sent'), await ends(unclear), await ends({ code: 'INBOX_CLOSED' }), await ends(unclear)]).toEqual([
    true,
    'CANNOT_TELL',
    'INBOX_CLOSED',
    'CANNOT_TELL',
  ])
  expect([await ends(unclear, { dmId: undefined }), await ends(unclear)]).toEqual(['CANNOT_TELL', 'CANNOT_TELL'])
  vi.mocked(send).mockResolvedValueOnce(unclear)
  expect(await messenger.sendOnce(message, noAnswer)).toEqual({
    success: false,
    code: 'CANNOT_TELL_IN_A_ROW',
    error: expect.stringMatching(/^X did not show for 3 people in a row .* no one was marked as failed\. .* @ada/),
  })
  expect((await readState()).pageChanged?.part).toContain('whether someone can be messaged')
  expect(await ends('sent')).toBe('PAGE_CHANGED')
  // After 'Check again', twice as many unclear outcomes in a row are allowed.
  vi.mocked(send).mockReset()
  await changeState({ pageChanged: null })
  for (let n = 0; n < 5; n += 1) expect(await ends(unclear)).toBe('CANNOT_TELL')
  expect(await ends(unclear)).toBe('CANNOT_TELL_IN_A_ROW')
})

test('counts people of whom X shows too little per run', async () => {
  const messenger = createMessenger()
  const codes = []
  for (const runId of ['one', 'one', 'two', 'two', 'two']) codes.push(await endOf(unclear, messenger, { runId }))
  expect(codes).toEqual([...Array(4).fill('CANNOT_TELL'), 'CANNOT_TELL_IN_A_ROW'])
})

test('closed inboxes that X shows stop nothing', async () => {
  const messenger = createMessenger()
  const codes = []
  for (let n = 0; n < 6; n += 1) codes.push(await endOf({ code: 'INBOX_CLOSED' }, messenger))
  expect(codes).toEqual(Array(6).fill('INBOX_CLOSED'))
})

test('sends again once newer page data has arrived', async () => {
  const messenger = createMessenger()
  expect(await endOf({ code: 'PAGE_CHANGED', detail: 'a part' }, messenger)).toBe('PAGE_CHANGED')
  vi.mocked(send).mockReset()
  expect(await endOf('sent', messenger)).toBe('PAGE_CHANGED')
  await changeState({ servedPages: { document: {}, version: 9, askedAt: 0 } })
  vi.mocked(send).mockReset()
  expect(await endOf('sent', messenger)).toBe(true)
})

test('checks nothing while it is paused', async () => {
  await changeState({ paused: true })
  expect(await createMessenger().check(undefined)).toMatchObject({ success: false, code: 'PAUSED' })
})
