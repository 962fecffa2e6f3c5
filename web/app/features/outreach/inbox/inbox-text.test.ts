import type { Message } from '@x-automated/contract/outreach/conversations'
import { expect, test } from 'vitest'
import {
  ageText,
  dayText,
  messageFacts,
  namedHandles,
  nextSendText,
  sharesLine,
  snoozeText,
  timeText,
} from './inbox-text'

const now = new Date(2026, 10, 24, 14, 0).getTime()
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()

test.each([
  [0, 'now'],
  [26, '26m'],
  [3 * 60, '3h'],
  [24 * 60, 'Mon'],
  [10 * 24 * 60, 'Nov 14'],
])('ageText says how old something is after %j minutes: %j', (minutes, text) => {
  expect(ageText(ago(minutes), now)).toBe(text)
})

test('dayText names today and yesterday by the calendar, and other days by date', () => {
  expect(dayText(ago(13 * 60), now)).toBe('Today')
  expect(dayText(ago(15 * 60), now)).toBe('Yesterday')
  expect(dayText(ago(4 * 24 * 60), now)).toBe('Fri, Nov 20')
})

test('snoozeText names the day within a sentence', () => {
  expect(snoozeText(ago(-60), now)).toBe(`today ${timeText(ago(-60))}`)
  expect(snoozeText(ago(-8 * 24 * 60), now)).toBe(`Wed, Dec 2 ${timeText(now)}`)
})

const message: Message = {
  id: '1',
  text: 'Hi',
  at: ago(0),
  isOurs: true,
  author: 'campaign',
  memberId: null,
  status: 'delivered',
  stepNumber: 2,
  variant: { id: 'b', name: 'B' },
  label: null,
  why: null,
}
const reply = {
  ...message,
  author: 'member',
  memberId: 'lena',
  stepNumber: null,
  variant: null,
  status: 'sent',
} as const

test('messageFacts says which step it was, when, and whether it was read', () => {
  expect(messageFacts(message, undefined)).toBe(`Step 2, variant B · ${timeText(now)} · Read`)
  expect(messageFacts(reply, 'Lena')).toBe(`Lena · ${timeText(now)} · Sent`)
})

test('messages of one person within minutes share a line, those of two members do not', () => {
  expect(sharesLine({ ...reply, at: ago(2) }, reply)).toBe(true)
  expect(sharesLine({ ...reply, at: ago(6) }, reply)).toBe(false)
  expect(sharesLine({ ...reply, memberId: 'max' }, reply)).toBe(false)
  expect(sharesLine({ ...reply, status: 'failed' }, reply)).toBe(false)
  expect(sharesLine(message, { ...message, at: ago(-1) })).toBe(false)
})

const idle = { status: 'active', dmsQueuedCount: 0, nextFollowUpAt: null, waitingFor: null } as const

test('nextSendText says the earliest time at which a running campaign sends', () => {
  expect(nextSendText([{ ...idle, status: 'paused', dmsQueuedCount: 9 }, idle], now)).toBe('No campaign is sending.')
  expect(nextSendText([{ ...idle, dmsQueuedCount: 1 }], now)).toBe('Messages are going out now.')
  const until = new Date(now + 5 * 60_000).toISOString()
  const waits = { ...idle, dmsQueuedCount: 1, waitingFor: { reason: 'hours', until } } as const
  const later = { ...idle, nextFollowUpAt: new Date(now + 24 * 3_600_000).toISOString() }
  expect(nextSendText([later, waits], now)).toBe(`Next messages go out at ${timeText(until)}.`)
  const blocked = { ...later, waitingFor: { reason: 'account', until: null } } as const
  expect(nextSendText([blocked], now)).toBe('No campaign is sending.')
  expect(nextSendText([later], now)).toBe(`Next messages go out tomorrow at ${timeText(now)}.`)
})

test('namedHandles finds the handles that a text names, once each, except known ones', () => {
  expect(namedHandles('Ask @DanielCho, not @me. @danielcho runs it; a@b.co does not.', ['Me'])).toEqual(['danielcho'])
  expect(namedHandles('@way_too_long_for_a_handle', [])).toEqual([])
})
