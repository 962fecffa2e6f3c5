import { expect, test } from 'vitest'
import {
  activityText,
  isDisconnected,
  newlyCompleted,
  notableWait,
  progressOf,
  secondsLeftOf,
  shareText,
  timeLeftText,
} from './campaign-progress'

const counts = { totalLeadsInList: 40, dmsQueuedCount: 10, dmsSentCount: 28, dmsFailedCount: 2, messagesInFlight: 0 }

test('done is what was sent and what failed', () => {
  expect(progressOf(counts)).toEqual({ total: 40, sent: 28, failed: 2, queued: 10, done: 30 })
})

test('a share is rounded, but says 100% only of all and 0% only of none', () => {
  expect(shareText(28, 40)).toBe('70%')
  expect(shareText(0, 40)).toBe('0%')
  expect(shareText(1, 5000)).toBe('<1%')
  expect(shareText(4999, 5000)).toBe('99%')
  expect(shareText(5000, 5000)).toBe('100%')
  expect(shareText(0, 0)).toBe('–')
})

test('time left is told as people tell it', () => {
  expect([undefined, 0, 59, 61, 600, 3600, 7800, 86_400, 200_000].map(timeLeftText)).toEqual([
    'estimating time left',
    'less than a minute left',
    'less than a minute left',
    'about 1 min left',
    'about 10 min left',
    'about 1 h left',
    'about 2 h 10 min left',
    'about 1 day left',
    'about 2 days left',
  ])
})

test('where nobody can tell how long it takes, nothing goes on being estimated', () => {
  expect(secondsLeftOf({ data: undefined, errorUpdateCount: 0 })).toBeUndefined()
  expect(secondsLeftOf({ data: undefined, errorUpdateCount: 1 })).toBeNull()
  expect(secondsLeftOf({ data: { seconds: 9 }, errorUpdateCount: 1 })).toBe(9)
})

test('each state says what is happening', () => {
  const say = (status: 'draft' | 'paused' | 'active' | 'completed', waiting = false, more = {}) =>
    activityText({ ...counts, status, waiting, ...more })
  expect(say('draft')).toBe('Not launched yet')
  expect(say('paused')).toBe('Paused')
  expect(say('active')).toBe('Sending message 31 of 40')
  expect(say('active', true)).toBe('Waiting: an older campaign on this X account sends first')
  const hours = { reason: 'hours' as const, until: '2026-11-20T08:00:00Z' }
  expect(activityText({ ...counts, status: 'active', waiting: false }, false, hours)).toBe(
    'Waiting: outside working hours',
  )
  const sending = { status: 'active' as const, waiting: false, waitingFor: hours }
  expect(notableWait(sending, false, 0)).toBe(hours)
  expect(notableWait(sending, true, 0)).toBeNull()
  expect(notableWait({ ...sending, waiting: true }, false, 0)).toBeNull()
  expect(notableWait({ ...sending, status: 'paused' }, false, 0)).toBeNull()
  expect(say('active', false, { dmsQueuedCount: 0, dmsSentCount: 38 })).toBe('Finishing')
  expect(activityText({ ...counts, status: 'active', waiting: false }, false, null, true)).toBe(
    'Waiting for a browser that sends',
  )
  expect(say('completed')).toBe('Completed')
})

test('a paused or archived campaign says how many messages are still being sent', () => {
  const campaign = { ...counts, waiting: false, messagesInFlight: 1 }
  expect(activityText({ ...campaign, status: 'paused' })).toBe('Paused: 1 message is still being sent')
  expect(activityText({ ...campaign, status: 'archived', messagesInFlight: 2 })).toBe(
    'Archived: 2 messages are still being sent',
  )
  expect(activityText({ ...campaign, status: 'active' })).toBe('Sending message 31 of 40')
})

test('an active campaign without a connected X account says that it sends nothing, unless the extension sends it', () => {
  expect(isDisconnected({ status: 'active', channel: 'api' }, false)).toBe(true)
  expect(isDisconnected({ status: 'active', channel: 'api' }, undefined)).toBe(false)
  expect(isDisconnected({ status: 'active', channel: 'api' }, true)).toBe(false)
  expect(isDisconnected({ status: 'active', channel: 'extension' }, false)).toBe(false)
  expect(isDisconnected({ status: 'paused', channel: 'api' }, false)).toBe(false)
  expect(activityText({ ...counts, status: 'active', waiting: false }, true)).toBe(
    'Not sending: its X account is not connected',
  )
})

test('only a campaign that was seen on its way is announced as complete, and once', () => {
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
