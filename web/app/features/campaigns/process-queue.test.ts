import { expect, test } from 'vitest'
import { summaryOf } from './process-queue'
import { hindranceOf } from './real-send'

test('a run of the queue is summed up, with campaigns only where some are complete', () => {
  const run = { processed: 5, sent: 4, failed: 1, campaignsCompleted: 0 }
  expect(summaryOf(run)).toBe('Processed 5 DMs: 4 sent, 1 failed.')
  expect(summaryOf({ ...run, campaignsCompleted: 2 })).toBe(
    'Processed 5 DMs: 4 sent, 1 failed. Campaigns completed: 2.',
  )
})

test('what keeps a campaign from being sent', () => {
  expect(hindranceOf({ waiting: true, dmsQueuedCount: 3 })).toBe(
    'Another campaign DM sending process is already active.',
  )
  expect(hindranceOf({ waiting: false, dmsQueuedCount: 0 })).toBe(
    'No queued DMs found for this campaign with valid lead Twitter handles.',
  )
  expect(hindranceOf({ waiting: false, dmsQueuedCount: 1 })).toBeNull()
})
