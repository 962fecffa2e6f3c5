import type { Today } from '@x-automated/contract/overview/today'
import { expect, test } from 'vitest'
import { chartTop, headline, shareText, totals, waitOfAll } from './today-text'

const calm: Today = {
  repliesWaiting: 0,
  sentToday: 0,
  countedInDay: 0,
  capNow: 48,
  warmUp: null,
  nextSendAt: null,
  campaigns: [],
  days: [],
  needs: [],
}
const day = (sent: number) => ({ day: '2026-11-20', sent, replied: 2, positive: 1 })

test('headline names who waits, but not to people who may not answer', () => {
  expect(headline({ ...calm, repliesWaiting: 1 }, true)).toBe('1 person is waiting for your answer')
  expect(headline({ ...calm, repliesWaiting: 4 }, true)).toBe('4 people are waiting for your answer')
  expect(headline({ ...calm, repliesWaiting: 999 }, true)).toBe('999 people are waiting for your answer')
  expect(headline({ ...calm, repliesWaiting: 1_000 }, true)).toBe('1,000+ people are waiting for your answer')
  expect(headline({ ...calm, repliesWaiting: 4 }, false)).toBe('Nothing is scheduled')
  expect(headline(calm, true)).toBe('Nobody is waiting. Nothing is scheduled.')
  const campaigns = [
    {
      id: 'c',
      name: 'C',
      status: 'active' as const,
      peopleMessaged: 1,
      totalLeadsInList: 1,
      peopleSkipped: 0,
      waitingFor: null,
      positiveRate: 0,
    },
  ]
  const paused = campaigns.map((campaign) => ({ ...campaign, status: 'paused' as const }))
  expect(headline({ ...calm, campaigns: paused }, true)).toBe('Nobody is waiting. Your campaigns are paused.')
  const dueIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  expect(headline({ ...calm, campaigns, nextSendAt: dueIn(0.01) }, false)).toBe('Messages are on their way')
  expect(headline({ ...calm, campaigns, nextSendAt: dueIn(3) }, false)).toBe('Your campaigns are running')
  expect(headline({ ...calm, nextSendAt: dueIn(0.5) }, false)).toBe('Messages are scheduled')
})

test.each(['plan', 'hours', 'cap', 'account'] as const)('headline does not claim that campaigns run: %s', (reason) => {
  const until = new Date(Date.now() + 7_200_000).toISOString()
  const campaign = { id: 'c', name: 'C', peopleMessaged: 1, totalLeadsInList: 1, peopleSkipped: 0, positiveRate: 0 }
  const waits = { ...campaign, status: 'active' as const, waitingFor: { reason, until } }
  const today = { ...calm, campaigns: [waits], nextSendAt: until }
  expect(headline(today, true)).toBe('Nobody is waiting. Sending is on hold.')
  expect(waitOfAll(today)?.reason).toBe(reason)
  const sends = { ...waits, waitingFor: null }
  expect(headline({ ...today, campaigns: [waits, sends] }, true)).toBe('Nobody is waiting. Your campaigns are running.')
})

test('headline promises no messages while X has no credits or the spending limit is reached', () => {
  const soon = { ...calm, nextSendAt: new Date(Date.now() + 600_000).toISOString() }
  const need = (code: 'funds' | 'spending', isReached: boolean) => ({ code, params: { isReached }, path: '/' })
  expect(headline({ ...soon, needs: [need('funds', false)] }, false)).toBe('Sending is on hold')
  expect(headline({ ...soon, needs: [need('spending', true)] }, false)).toBe('Sending is on hold')
  expect(headline({ ...soon, needs: [need('spending', false)] }, false)).toBe('Messages are on their way')
})

test('totals add up the days', () => {
  expect(totals({ days: [day(10), day(20)] })).toEqual({ sent: 30, replied: 4, positive: 2 })
  expect(shareText(2, 30)).toBe('6.7% of 30 messages')
  expect(shareText(0, 0)).toBe('Nothing sent yet')
})

test('the chart reaches to the cap unless the days would be too low', () => {
  expect(chartTop({ days: [day(40)], capNow: 48 })).toBe(48)
  expect(chartTop({ days: [day(10)], capNow: 500 })).toBe(20)
  expect(chartTop({ days: [day(60)], capNow: 48 })).toBe(60)
  expect(chartTop({ days: [day(0)], capNow: 48 })).toBe(48)
})
