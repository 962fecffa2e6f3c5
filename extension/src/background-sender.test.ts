import type { SendDmReply } from '@x-automated/contract/outreach/extension'
import { beforeEach, expect, test, vi } from 'vitest'
import { fakeBrowser } from 'wxt/testing/fake-browser'
import { createBackgroundSender } from './background-sender.ts'
import { failure } from './failure.ts'
import type { createMessenger } from './messenger.ts'
import { changeState, readActivity } from './state.ts'

vi.mock('wxt/browser', async () => ({ browser: (await import('wxt/testing/fake-browser')).fakeBrowser }))

const pairing = { origin: 'http://localhost:3000', token: 't', email: 'a@example.com', workspaceName: 'A' }

beforeEach(() => {
  fakeBrowser.reset()
  vi.spyOn(fakeBrowser.runtime, 'getManifest').mockReturnValue({ version: '1', manifest_version: 3, name: 'X' })
})

/** Stubs a product that has this many messages to claim, then none for an hour. */
function openProduct(messages: number) {
  let claimed = 0
  const requests: unknown[] = []
  vi.stubGlobal('fetch', async (url: string, { body }: { body: string }) => {
    if (!url.endsWith('/claim')) return Response.json({})
    requests.push(JSON.parse(body))
    if (claimed === messages) return new Response(null, { status: 204, headers: { 'retry-after': '3600' } })
    claimed += 1
    const claim = {
      dmId: `dm ${claimed}`,
      lease: `lease ${claimed}`,
      twitterHandle: 'ada',
      message: 'Hi',
      sendsAs: null,
    }
    return Response.json(claim)
  })
  return requests
}

/** Runs one worker's lifetime, in which every message gets this reply. */
function live(reply: SendDmReply) {
  const sendOnce = vi.fn(async () => reply)
  const journal = { find: async () => undefined }
  createBackgroundSender({ sendOnce, journal } as unknown as ReturnType<typeof createMessenger>).wake()
  return sendOnce
}

test('stops after three refusals by X in a row, even if the worker was restarted in between', async () => {
  await changeState({ pairing, sendsInBackground: true })
  const refused = failure({ code: 'X_REFUSED', detail: 'No.' })
  openProduct(2)
  const first = live(refused)
  await vi.waitFor(async () => expect(await readActivity()).toMatchObject({ doing: 'waiting' }), 10_000)
  expect(first).toHaveBeenCalledTimes(2)
  openProduct(5)
  const second = live(refused)
  await vi.waitFor(
    async () => expect(await readActivity()).toMatchObject({ doing: 'stopped', error: 'X rejected the message: No.' }),
    10_000,
  )
  expect(second).toHaveBeenCalledTimes(1)
})

test('reports the account signed in to X, so that its campaigns come first', async () => {
  await changeState({ pairing, sendsInBackground: true, account: { handle: 'me', at: 0 } })
  const requests = openProduct(0)
  live({ success: true })
  await vi.waitFor(() => expect(requests).toEqual([{ holder: 'extension alone', signedInAs: 'me' }]), 10_000)
})
