import { QueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/campaigns'
import { beforeEach, expect, test, vi } from 'vitest'
import { client } from '../../api'
import { toast } from '../../ui/toast'
import { lookAgainAt, startExtensionRun } from './extension-run'

vi.mock('../../ui/toast')
vi.mock('../../api', () => ({
  api: { campaigns: { key: () => ['campaigns'] } },
  client: { campaigns: { claim: vi.fn(), find: vi.fn() } },
  errorCode: (error: { code?: string }) => error.code ?? null,
  errorWords: String,
}))

const campaign = { id: 'one', name: 'Spring', status: 'active', channel: 'extension', dmsQueuedCount: 3 } as Campaign
const { claim, find } = vi.mocked(client.campaigns)
/** Ports that are open: while there is one, the extension claims nothing by itself. */
let open = 0

beforeEach(() => {
  vi.resetAllMocks()
  open = 0
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('chrome', {
    runtime: {
      sendMessage: (_id: string, _request: unknown, reply: (value: unknown) => void) => reply({ success: true }),
      connect() {
        open += 1
        const deaf = { addListener() {} }
        const disconnect = () => {
          open -= 1
        }
        return { onMessage: deaf, onDisconnect: deaf, disconnect }
      },
    },
  })
})

/** The server as long as the campaign is this. */
function be(now: Partial<Campaign>, retryAfter = '3600') {
  find.mockResolvedValue({ ...campaign, ...now })
  if (now.status === undefined || now.status === 'active')
    claim.mockResolvedValue({ status: 204, headers: { 'retry-after': retryAfter } })
  else claim.mockRejectedValue({ code: 'CAMPAIGN_STATE' })
}

test('a pause ends a run that waits for hours at once, and it may be started again; meanwhile the extension is free', async () => {
  be({})
  const run = startExtensionRun(campaign, new QueryClient())
  await vi.waitFor(() => expect(find).toHaveBeenCalled())
  expect(open).toBe(0)
  await startExtensionRun({ ...campaign, id: 'other' }, new QueryClient())
  expect(toast.info).toHaveBeenCalledWith('Another campaign DM sending process is already active.')
  be({ status: 'paused' })
  lookAgainAt('another')
  lookAgainAt('one')
  await run
  vi.mocked(toast.info).mockClear()
  be({ status: 'completed' })
  await startExtensionRun(campaign, new QueryClient())
  expect(toast.info).not.toHaveBeenCalled()
})

test('paused and resumed while it waits it goes on, and says nothing of another one', async () => {
  be({}, '60')
  const run = startExtensionRun(campaign, new QueryClient())
  await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(1))
  // A pause as long as between two messages: the page goes on driving.
  expect(open).toBe(1)
  claim.mockRejectedValueOnce({ code: 'CAMPAIGN_STATE' })
  find.mockResolvedValueOnce({ ...campaign, status: 'paused' })
  lookAgainAt('one')
  await startExtensionRun(campaign, new QueryClient())
  await vi.waitFor(() => expect(claim).toHaveBeenCalledTimes(3))
  expect(toast.info).not.toHaveBeenCalled()
  be({ status: 'completed' })
  await vi.waitFor(() => expect(find.mock.calls.length).toBeGreaterThan(3))
  lookAgainAt('one')
  await run
  expect(open).toBe(0)
  // What another sender has done with is done.
  expect(toast.success).toHaveBeenCalledWith('Finished sending DMs for campaign: "Spring".', { id: 'finished-one' })
})
