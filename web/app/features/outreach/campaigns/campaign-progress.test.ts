import { expect, test } from 'vitest'
import {
  activityText,
  finishedPeople,
  isDisconnected,
  newlyCompleted,
  notableWait,
  progressOf,
  secondsLeftOf,
  shareText,
  timeLeftText,
  waitingForPlan,
} from './campaign-progress'

const counts = {
  totalLeadsInList: 40,
  dmsQueuedCount: 10,
  dmsSentCount: 28,
  dmsFailedCount: 2,
  dmsSkippedCount: 0,
  peopleSkipped: 0,
  messagesInFlight: 0,
  nextFollowUpAt: null,
}

test('counts sent and failed messages as done', () => {
  expect(progressOf(counts)).toEqual({ total: 40, sent: 28, failed: 2, skipped: 0, queued: 10, done: 30 })
})

const SKIPPED = { dmsSkippedCount: 12, peopleSkipped: 12 }

test('counts skipped messages neither as failed nor as progress', () => {
  const launched = { ...counts, dmsQueuedCount: 28, dmsSentCount: 0, dmsFailedCount: 12, ...SKIPPED }
  expect(progressOf(launched)).toEqual({ total: 28, sent: 0, failed: 0, skipped: 12, queued: 28, done: 0 })
  expect(activityText({ ...launched, status: 'active', waiting: false })).toBe('Sending message 1 of 28')
  expect(finishedPeople({ ...launched, stepCount: 2, openEnrollments: 28 })).toEqual({ finished: 0, people: 28 })
  expect(waitingForPlan({ ...launched, status: 'active', openEnrollments: 28 })).toBe(0)
})

test('counts people whose follow-up was skipped as finished', () => {
  const replied = { ...counts, dmsQueuedCount: 28, dmsSentCount: 40, dmsFailedCount: 12, dmsSkippedCount: 12 }
  expect(finishedPeople({ ...replied, stepCount: 2, openEnrollments: 28 })).toEqual({ finished: 12, people: 40 })
  expect(progressOf(replied)).toMatchObject({ total: 68, failed: 0, skipped: 12, done: 40 })
})

test('counts the people of a launch in parts who wait for the plan', () => {
  const campaign = { ...counts, status: 'active' as const, openEnrollments: 60 }
  expect(waitingForPlan(campaign)).toBe(0)
  expect(waitingForPlan({ ...campaign, totalLeadsInList: 90 })).toBe(50)
  expect(waitingForPlan({ ...campaign, totalLeadsInList: 90, openEnrollments: 0 })).toBe(0)
  expect(waitingForPlan({ ...campaign, totalLeadsInList: 90, status: 'paused' })).toBe(0)
})

test('counts people as finished if a campaign has follow-ups', () => {
  const campaign = { ...counts, stepCount: 1, openEnrollments: 30 }
  const tenOf40 = { finished: 10, people: 40 }
  expect(finishedPeople(campaign)).toBeNull()
  expect(finishedPeople({ ...campaign, stepCount: 2 })).toEqual(tenOf40)
  // A campaign with one message and a re-engagement.
  expect(finishedPeople({ ...campaign, nextFollowUpAt: '2026-12-02T10:00:00Z' })).toEqual(tenOf40)
})

test('rounds shares, but shows 100% only for all and 0% only for none', () => {
  expect(shareText(28, 40)).toBe('70%')
  expect(shareText(0, 40)).toBe('0%')
  expect(shareText(1, 5000)).toBe('<1%')
  expect(shareText(4999, 5000)).toBe('99%')
  expect(shareText(5000, 5000)).toBe('100%')
  expect(shareText(0, 0)).toBe('–')
})

test('shows time left in readable units', () => {
  expect([undefined, 0, 59, 61, 600, 3600, 7800, 86_400, 200_000].map(timeLeftText)).toEqual([
    'estimating time left',
    'under a minute left',
    'under a minute left',
    'about 1 min left',
    'about 10 min left',
    'about 1 h left',
    'about 2 h 10 min left',
    'about 1 day left',
    'about 2 days left',
  ])
})

test('shows the time left until the last message, and none once that is unknown', () => {
  expect(secondsLeftOf({ data: undefined, errorUpdateCount: 0 }, 0)).toBeUndefined()
  expect(secondsLeftOf({ data: undefined, errorUpdateCount: 1 }, 0)).toBeNull()
  expect(secondsLeftOf({ data: { lastSendAt: null }, errorUpdateCount: 0 }, 0)).toBeNull()
  expect(secondsLeftOf({ data: { lastSendAt: '1970-01-01T00:00:09Z' }, errorUpdateCount: 1 }, 0)).toBe(9)
  expect(secondsLeftOf({ data: { lastSendAt: '1970-01-01T00:00:09Z' }, errorUpdateCount: 0 }, 60_000)).toBe(0)
})

test('describes every state of a campaign', () => {
  const say = (status: 'draft' | 'paused' | 'active' | 'completed', waiting = false, more = {}) =>
    activityText({ ...counts, status, waiting, ...more })
  expect(say('draft')).toBe('Not launched yet')
  expect(say('paused')).toBe('Paused')
  expect(say('active')).toBe('Sending message 31 of 40')
  expect(say('active', true)).toBe('Waiting for an older campaign to finish')
  const hours = { reason: 'hours' as const, until: '2026-11-20T08:00:00Z' }
  expect(activityText({ ...counts, status: 'active', waiting: false }, false, hours)).toBe(
    'Waiting: outside the sending window',
  )
  const sending = { status: 'active' as const, waiting: false, waitingFor: hours }
  expect(notableWait(sending, false, 0)).toBe(hours)
  expect(notableWait(sending, true, 0)).toBeNull()
  expect(notableWait({ ...sending, waiting: true }, false, 0)).toBeNull()
  expect(notableWait({ ...sending, status: 'paused' }, false, 0)).toBeNull()
  expect(say('active', false, { dmsQueuedCount: 0, dmsSentCount: 38 })).toBe('Finishing')
  const followUps = { dmsQueuedCount: 0, nextFollowUpAt: '2026-12-02T12:00:00Z' }
  expect(say('active', false, followUps)).toBe('Next follow-up Wed, Dec 2')
  expect(activityText({ ...counts, status: 'active', waiting: false }, false, null, true)).toBe('No browser is sending')
  expect(say('completed')).toBe('Completed')
})

test('counts messages that are still being sent after a pause or archive', () => {
  const campaign = { ...counts, waiting: false, messagesInFlight: 1 }
  expect(activityText({ ...campaign, status: 'paused' })).toBe('Paused: 1 message is still being sent')
  expect(activityText({ ...campaign, status: 'archived', messagesInFlight: 2 })).toBe(
    'Archived: 2 messages are still being sent',
  )
  expect(activityText({ ...campaign, status: 'active' })).toBe('Sending message 31 of 40')
})

test('reports a disconnected X account, unless the extension sends the campaign', () => {
  expect(isDisconnected({ status: 'active', channel: 'api' }, false)).toBe(true)
  expect(isDisconnected({ status: 'active', channel: 'api' }, undefined)).toBe(false)
  expect(isDisconnected({ status: 'active', channel: 'api' }, true)).toBe(false)
  expect(isDisconnected({ status: 'active', channel: 'extension' }, false)).toBe(false)
  expect(isDisconnected({ status: 'paused', channel: 'api' }, false)).toBe(false)
  expect(activityText({ ...counts, status: 'active', waiting: false }, true)).toBe('Paused: X account disconnected')
})

test('announces a completed campaign once, and only if it was seen before it completed', () => {
  const now = [
    { id: 'a', status: 'completed' },
    { id: 'b', status: 'completed' },
    { id: 'c', status: 'active' },
    { id: 'd', status: 'completed' },
    { id: 'new', status: 'completed' },
  ] as const
  const before = new Map([
    ['a', 'active'],
    ['b', 'completed'],
    ['c', 'active'],
    ['d', 'draft'],
  ] as const)
  expect(newlyCompleted(before, now).map(({ id }) => id)).toEqual(['a', 'd'])
})
