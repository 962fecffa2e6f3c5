import { EXTENSION_TEXT } from '@x-automated/contract/extension'
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
const nobody: AskClaimant = async () => null

/** Every message comes as far as the question right before the press, and is sent where that lets it. */
function comesToThePress() {
  vi.mocked(send).mockImplementation(async (_attempt, _page, _journal, leave: Leave) => (await leave()) ?? 'sent')
}

/** How the product answers an extension that asks. */
function answer(status: number, body: object = {}) {
  vi.stubGlobal('fetch', async () => Response.json(body, { status }))
}

const unreachable = { success: false, error: EXTENSION_TEXT.PRODUCT_UNREACHABLE, code: 'PRODUCT_UNREACHABLE' }
const calledBack = { success: false, error: expect.any(String), code: 'CALLED_BACK' }

test('what a page has claimed is sent only where the product, or the page, says that it may', async () => {
  comesToThePress()
  const { sendOnce } = createMessenger()
  const askPage = vi.fn<AskClaimant>(async () => true)
  // Not paired: the page is asked.
  expect(await sendOnce(message, askPage)).toEqual({ success: true })
  expect(askPage).toHaveBeenCalledWith({ dmId: 'dm', lease: 'lease' })
  expect(await sendOnce(message, async () => false)).toEqual(calledBack)
  expect(await sendOnce(message, nobody)).toEqual(unreachable)
  // Paired: the product is.
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

test.each([401, 403, 404])(
  'where our key does not open it (%i), the page that has claimed it is asked',
  async (status) => {
    comesToThePress()
    await changeState({ pairing })
    answer(status)
    const { sendOnce } = createMessenger()
    expect(await sendOnce(message, async () => true)).toEqual({ success: true })
    expect(await sendOnce(message, async () => false)).toEqual(calledBack)
    expect(await sendOnce(message, nobody)).toEqual(unreachable)
  },
)

test('what no claim is behind asks nobody', async () => {
  comesToThePress()
  const { sendOnce } = createMessenger()
  expect(await sendOnce({ id: undefined, handle: 'ada', message: 'Hi' }, async () => false)).toEqual({ success: true })
})

test('inboxes that seem closed time and again are not believed: X may have changed its page', async () => {
  const { sendOnce } = createMessenger()
  const ends = async (outcome: Outcome, over = {}) => {
    vi.mocked(send).mockResolvedValueOnce(outcome)
    const reply = await sendOnce({ ...message, ...over }, nobody)
    return reply.success || reply.code
  }
  const closed: Outcome = { code: 'INBOX_CLOSED' }
  expect([await ends(closed), await ends(closed), await ends('sent'), await ends(closed)]).toEqual([
    'INBOX_CLOSED',
    'INBOX_CLOSED',
    true,
    'INBOX_CLOSED',
  ])
  // What a page of other makers asks for is no run.
  expect([await ends(closed, { dmId: undefined }), await ends(closed, { dmId: undefined })]).toEqual([
    'INBOX_CLOSED',
    'INBOX_CLOSED',
  ])
  expect([await ends(closed), await ends(closed)]).toEqual(['INBOX_CLOSED', 'INBOXES_CLOSED'])
  expect((await readState()).pageChanged?.part).toContain('the message button')
  expect(await ends('sent')).toBe('PAGE_CHANGED')
  // Somebody has looked, and chosen 'Check again': they may be as closed as they seem.
  vi.mocked(send).mockReset()
  await changeState({ pageChanged: null })
  for (let n = 0; n < 5; n += 1) expect(await ends(closed)).toBe('INBOX_CLOSED')
  expect(await ends(closed)).toBe('INBOXES_CLOSED')
})

test('inboxes that seem closed are counted for each run', async () => {
  const { sendOnce } = createMessenger()
  vi.mocked(send).mockResolvedValue({ code: 'INBOX_CLOSED' })
  const ends = async (runId: string) => {
    const reply = await sendOnce({ ...message, runId }, nobody)
    return reply.success || reply.code
  }
  const runs = ['one', 'one', 'two', 'two', 'two']
  const codes = []
  for (const runId of runs) codes.push(await ends(runId))
  expect(codes).toEqual([...Array(4).fill('INBOX_CLOSED'), 'INBOXES_CLOSED'])
})
