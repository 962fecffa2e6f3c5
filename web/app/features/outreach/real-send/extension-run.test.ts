import { QueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import type { PageAnswer, PageQuestion, SendDmRequest } from '@x-automated/contract/outreach/extension'
import { beforeEach, expect, test, vi } from 'vitest'
import { client } from '../../../api'
import { toast } from '../../../ui/toast'
import { findObstacleInBrowser, startExtensionRun, wakeRun } from './extension-run'

vi.mock('../../../ui/toast')
vi.mock('../../../api', () => ({
  api: { campaigns: { key: () => ['campaigns'] } },
  client: { campaigns: { claim: vi.fn(), find: vi.fn(), confirm: vi.fn(), recordOutcome: vi.fn() } },
  errorCode: (error: { code?: string }) => error.code ?? null,
  errorText: String,
}))

const campaign = { id: 'one', name: 'Spring', status: 'active', channel: 'extension', dmsQueuedCount: 3 } as Campaign
const { claim, find, confirm, recordOutcome } = vi.mocked(client.campaigns)
/** The number of open ports. While there is one, the extension claims nothing in the background. */
let open = 0
/** How the extension handles a message. It may ask the page first. */
let respond: (request: SendDmRequest, ask: (question: PageQuestion) => Promise<PageAnswer>) => Promise<unknown>

beforeEach(() => {
  vi.resetAllMocks()
  open = 0
  respond = async () => ({ success: true })
  let onQuestion: (question: unknown) => void = () => {}
  let onAnswer: (answer: PageAnswer) => void = () => {}
  const ask = (question: PageQuestion) =>
    new Promise<PageAnswer>((resolve) => {
      onAnswer = resolve
      onQuestion(question)
    })
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('chrome', {
    runtime: {
      sendMessage: (_id: string, request: SendDmRequest, reply: (value: unknown) => void) =>
        void respond(request, ask).then(reply),
      connect() {
        open += 1
        const noListener = { addListener() {} }
        const disconnect = () => {
          open -= 1
        }
        const onMessage = {
          addListener(listener: typeof onQuestion) {
            onQuestion = listener
          },
        }
        return {
          onMessage,
          postMessage: (answer: PageAnswer) => onAnswer(answer),
          onDisconnect: noListener,
          disconnect,
        }
      },
    },
  })
})

/** Makes the server return this campaign. */
function serve(now: Partial<Campaign>, retryAfter = '3600') {
  find.mockResolvedValue({ ...campaign, ...now })
  if (now.status === undefined || now.status === 'active')
    claim.mockResolvedValue({ status: 204, headers: { 'retry-after': retryAfter } })
  else claim.mockRejectedValue({ code: 'CAMPAIGN_STATE' })
}

test('releases the extension during a long wait, ends it immediately on pause and can start again', async () => {
  serve({})
  const run = startExtensionRun(campaign, new QueryClient())
  await vi.waitFor(() => expect(find).toHaveBeenCalled(), 60_000)
  expect(open).toBe(0)
  await startExtensionRun({ ...campaign, id: 'other' }, new QueryClient())
  expect(toast.info).toHaveBeenCalledWith(
    'Another campaign DM sending process is already active. This tab is sending “Spring”. Pause it, or wait until it is done.',
    { duration: 8_000 },
  )
  serve({ status: 'paused' })
  wakeRun('another')
  wakeRun('one')
  await run
  vi.mocked(toast.info).mockClear()
  serve({ status: 'completed' })
  await startExtensionRun(campaign, new QueryClient())
  expect(toast.info).not.toHaveBeenCalled()
})

test('says why this tab cannot send another campaign, before changing it', async () => {
  const already = (where: string, what: string) => ({
    tone: 'info',
    text: `Another campaign DM sending process is already active. ${where} is sending ${what}. Pause it, or wait until it is done.`,
  })
  serve({})
  const run = startExtensionRun(campaign, new QueryClient())
  await vi.waitFor(() => expect(find).toHaveBeenCalled(), 60_000)
  expect(await findObstacleInBrowser('other', null)).toEqual(already('This tab', '“Spring”'))
  expect(await findObstacleInBrowser('one', null)).toBeNull()
  serve({ status: 'paused' })
  wakeRun('one')
  await run
  expect(await findObstacleInBrowser('other', null)).toBeNull()
  const hold = (...names: string[]) =>
    vi.stubGlobal('navigator', { locks: { query: async () => ({ held: names.map((name) => ({ name })) }) } })
  hold('real-send', 'real-send: Summer')
  expect(await findObstacleInBrowser('other', null)).toEqual(already('Another tab of this browser', '“Summer”'))
  hold('real-send')
  expect(await findObstacleInBrowser('other', null)).toEqual(already('Another tab of this browser', 'a campaign'))
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('chrome', undefined)
  expect(await findObstacleInBrowser('other', null)).toEqual({
    tone: 'error',
    text: 'Chrome runtime API not available in this context.',
  })
})

test('checks with the extension that the account is logged in to X', async () => {
  const requests: unknown[] = []
  respond = async (request) => {
    requests.push(request)
    return { success: false, error: 'Log in to X in this browser first, then try again.', code: 'NOT_SIGNED_IN' }
  }
  const signedOut = { tone: 'error', text: 'Log in to X in this browser first, then try again.' }
  expect(await findObstacleInBrowser('one', 'me')).toEqual(signedOut)
  expect(await findObstacleInBrowser('one', null)).toEqual(signedOut)
  expect(requests).toEqual([
    { action: 'CHECK_SENDING', data: { sendsAs: 'me' } },
    { action: 'CHECK_SENDING', data: {} },
  ])
})

test.each([
  [null, { tone: 'error', text: 'Log in to X in this browser first, then try again.' }],
  ['me', null],
  [undefined, null],
])('believes what an extension before 0.2 saw last (signed in as %s)', async (signedInAs, obstacle) => {
  respond = async ({ action }) =>
    action === ('GET_STATUS' as string)
      ? { success: true, status: { signedInAs } }
      : { success: false, error: 'The extension does not understand this request.', code: 'INVALID_REQUEST' }
  expect(await findObstacleInBrowser('one', null)).toEqual(obstacle)
})

test('continues silently if paused and resumed while it waits', async () => {
  serve({}, '60')
  const run = startExtensionRun(campaign, new QueryClient())
  await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(1), 60_000)
  // The wait is shorter than LONG_WAIT_MS, so the page keeps its port open.
  expect(open).toBe(1)
  claim.mockRejectedValueOnce({ code: 'CAMPAIGN_STATE' })
  find.mockResolvedValueOnce({ ...campaign, status: 'paused' })
  wakeRun('one')
  await startExtensionRun(campaign, new QueryClient())
  // The restart is delayed, so that a server that keeps refusing is not called in a loop.
  await vi.waitFor(() => expect(claim).toHaveBeenCalledTimes(2), 60_000)
  await vi.waitFor(() => expect(claim).toHaveBeenCalledTimes(3), 60_000)
  expect(toast.info).not.toHaveBeenCalled()
  serve({ status: 'completed' })
  await vi.waitFor(() => expect(find.mock.calls.length).toBeGreaterThan(3), 60_000)
  wakeRun('one')
  await run
  expect(open).toBe(0)
  // A campaign that another sender has completed counts as finished, too.
  expect(toast.success).toHaveBeenCalledWith('Finished sending DMs for campaign: "Spring".', { id: 'finished-one' })
})

test('passes a message and its account to the extension, and answers whether it may still be sent', async () => {
  const claimed = {
    dmId: 'dm',
    lease: 'lease',
    leadId: 'lead',
    twitterHandle: 'ada',
    xUserId: '5',
    message: 'Hi',
    leaseExpiresAt: '',
  }
  claim.mockResolvedValueOnce({ status: 200, body: { ...claimed, sendsAs: 'me' } })
  recordOutcome.mockResolvedValue({ success: true, campaignCompleted: true })
  const answers: unknown[] = []
  let requested: unknown
  respond = async (request, ask) => {
    if (request.action !== 'SEND_TWITTER_DM') return { success: true }
    requested = request.data
    const question = { ask: 'MAY_SEND', dmId: 'dm', lease: 'lease' } as const
    for (const mock of [
      () => confirm.mockResolvedValueOnce({ success: true, maySend: true, leaseExpiresAt: null }),
      () => confirm.mockResolvedValueOnce({ success: true, maySend: false, leaseExpiresAt: null }),
      () => confirm.mockRejectedValueOnce({ code: 'LEASE_LOST' }),
      () => confirm.mockRejectedValueOnce(new TypeError('Failed to fetch')),
    ]) {
      mock()
      answers.push((await ask(question)).maySend)
    }
    return { success: true }
  }
  await startExtensionRun(campaign, new QueryClient())
  expect(requested).toMatchObject({
    twitterHandle: 'ada',
    message: 'Hi',
    requestId: 'lease',
    dmId: 'dm',
    sendsAs: 'me',
    xUserId: '5',
    runId: expect.any(String),
  })
  expect(answers).toEqual([true, false, false, null])
  expect(confirm).toHaveBeenCalledWith({ id: 'dm', lease: 'lease' })
})

test('reports a run that has sent messages as finished, even if it finds none after a pause', async () => {
  const body = { dmId: 'dm', lease: 'lease', leadId: 'lead', twitterHandle: 'ada', message: 'Hi', leaseExpiresAt: '' }
  claim.mockResolvedValueOnce({ status: 200, body: { ...body, xUserId: null, sendsAs: null } })
  recordOutcome.mockResolvedValue({ success: true, campaignCompleted: false })
  claim.mockRejectedValueOnce({ code: 'CAMPAIGN_STATE' })
  claim.mockResolvedValue({ status: 204 })
  find.mockResolvedValue(campaign)
  await startExtensionRun(campaign, new QueryClient())
  expect(toast.info).not.toHaveBeenCalledWith(expect.stringContaining('No queued DMs'))
  expect(toast.success).toHaveBeenCalledWith('Finished sending DMs for campaign: "Spring".', { id: 'finished-one' })
})
