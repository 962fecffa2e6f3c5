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

/** Lets every message reach the check right before the press, and sends it if the check allows. */
function comesToThePress() {
  vi.mocked(send).mockImplementation(async (_attempt, _page, _journal, leave: Leave) => (await leave()) ?? 'sent')
}

/** The product's response to the extension. */
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

test('suspects a changed page after several closed inboxes in a row', async () => {
  const { sendOnce } = createMessenger()
  const ends = async (outcome: Outcome, over = {}) => {
    vi.mocked(send).mockResolvedValueOnce(outcome)
    const reply = await sendOnce({ ...message, ...over }, noAnswer)
    return reply.success || reply.code
  }
  const closed: Outcome = { code: 'INBOX_CLOSED' }
  expect([await ends(closed), await ends(closed), await ends('sent'), await ends(closed)]).toEqual([
    'INBOX_CLOSED',
    'INBOX_CLOSED',
    true,
    'INBOX_CLOSED',
  ])
  // Messages without a claim or a run are not counted.
  expect([await ends(closed, { dmId: undefined }), await ends(closed, { dmId: undefined })]).toEqual([
    'INBOX_CLOSED',
    'INBOX_CLOSED',
  ])
  expect([await ends(closed), await ends(closed)]).toEqual(['INBOX_CLOSED', 'INBOXES_CLOSED'])
  expect((await readState()).pageChanged?.part).toContain('the message button')
  expect(await ends('sent')).toBe('PAGE_CHANGED')
  // After 'Check again', inboxes may be reported as closed again.
  vi.mocked(send).mockReset()
  await changeState({ pageChanged: null })
  for (let n = 0; n < 5; n += 1) expect(await ends(closed)).toBe('INBOX_CLOSED')
  expect(await ends(closed)).toBe('INBOXES_CLOSED')
})

test('counts closed inboxes per run', async () => {
  const { sendOnce } = createMessenger()
  vi.mocked(send).mockResolvedValue({ code: 'INBOX_CLOSED' })
  const ends = async (runId: string) => {
    const reply = await sendOnce({ ...message, runId }, noAnswer)
    return reply.success || reply.code
  }
  const runs = ['one', 'one', 'two', 'two', 'two']
  const codes = []
  for (const runId of runs) codes.push(await ends(runId))
  expect(codes).toEqual([...Array(4).fill('INBOX_CLOSED'), 'INBOXES_CLOSED'])
})
