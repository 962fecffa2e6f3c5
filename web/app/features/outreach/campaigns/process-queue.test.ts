import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { expect, test, vi } from 'vitest'
import { toast } from '../../../ui/toast'
import { announce, summaryOf } from './process-queue'
import { obstacleText, startIfActive } from './real-send'

vi.mock('../../../ui/toast', () => ({ toast: { success: vi.fn(), error: vi.fn(), info: vi.fn() } }))

test('sums up a run of the queue, with campaigns only if some completed', () => {
  const run = { processed: 5, sent: 4, failed: 1, campaignsCompleted: 0 }
  expect(summaryOf(run)).toBe('Processed 5 DMs: 4 sent, 1 failed.')
  expect(summaryOf({ ...run, campaignsCompleted: 2 })).toBe(
    'Processed 5 DMs: 4 sent, 1 failed. Campaigns completed: 2.',
  )
})

test('says why a campaign cannot be sent, with the campaign that goes first and the way out', () => {
  const waitsBehind = { id: 'one', name: 'Spring' }
  const already = 'Another campaign DM sending process is already active.'
  const wayOut = 'goes first on this X account because it is older. Start it if nothing is sending it, or pause it.'
  expect(obstacleText({ waiting: true, waitsBehind, dmsQueuedCount: 3 })).toBe(`${already} “Spring” ${wayOut}`)
  expect(obstacleText({ waiting: true, waitsBehind: null, dmsQueuedCount: 3 })).toBe(
    `${already} An older campaign ${wayOut}`,
  )
  expect(obstacleText({ waiting: false, waitsBehind: null, dmsQueuedCount: 0 })).toBe(
    'No queued DMs found for this campaign with valid lead Twitter handles.',
  )
  expect(obstacleText({ waiting: false, waitsBehind: null, dmsQueuedCount: 1 })).toBeNull()
})

test('shows the summary for 7 seconds', () => {
  announce({ processed: 5, sent: 4, failed: 1, campaignsCompleted: 0, problems: ['Oh'] })
  expect(toast.success).toHaveBeenCalledWith('Processed 5 DMs: 4 sent, 1 failed.', { duration: 7_000 })
  expect(toast.error).toHaveBeenCalledWith('Oh')
  announce({ processed: 0, sent: 0, failed: 0, campaignsCompleted: 0, problems: [] })
  expect(toast.info).toHaveBeenCalledWith('No queued DMs found to process.')
})

test('starts an active campaign after 100 ms, and no other', async () => {
  vi.useFakeTimers()
  try {
    const begin = vi.fn()
    const campaign = { status: 'active' } as Campaign
    const begun = startIfActive(async () => campaign, begin)
    await vi.advanceTimersByTimeAsync(99)
    expect(begin).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await begun
    expect(begin.mock.calls).toEqual([[campaign]])
    const waiting = { status: 'active', dmsQueuedCount: 0, openEnrollments: 1 } as Campaign
    for (const other of [null, { status: 'completed' } as Campaign, waiting]) {
      await startIfActive(async () => other, begin)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(begin).toHaveBeenCalledTimes(1)
  } finally {
    vi.useRealTimers()
  }
})
