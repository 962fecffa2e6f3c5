import { expect, test } from 'vitest'
import { needKey, needText } from './need-text'

test('needText says why a campaign was paused', () => {
  const params = { campaign: 'Spring', reason: 'opt_outs', optOuts: 4, of: 100, detail: null }
  expect(needText({ code: 'campaign_paused', params, path: '/campaigns/1' })).toEqual({
    title: '“Spring” was paused automatically',
    text: '4 of the last 100 people you messaged opted out. Check the message and the list, then resume.',
    action: 'Review',
    role: 'member',
  })
})

test('needText says when a limit resets', () => {
  const params = { limited: 'dms', used: 45, limit: 50, resetsAt: '2026-12-01T00:00:00.000Z' }
  expect(needText({ code: 'usage_high', params, path: '/billing' })).toMatchObject({
    title: '45 of 50 DMs used',
    text: 'Your limits reset on December 1.',
  })
})

test('needText says what waits while X has no credits, and who can add them', () => {
  const textOf = (isOwnApp: boolean) =>
    needText({ code: 'funds', params: { isOwnApp, since: '2026-11-28T09:00:00.000Z' }, path: '/settings?tab=x-costs' })
      .text
  expect(textOf(true)).toContain('until you add credits to your X app')
  expect(textOf(false)).toContain('The operator of this server has been notified')
})

test('needText says what happens at the spending limit, and until when', () => {
  const params = { spentCents: 1_650, limitCents: 2_000, isReached: false, resetsAt: '2026-12-01T00:00:00.000Z' }
  const textOf = (isReached: boolean) =>
    needText({ code: 'spending', params: { ...params, isReached }, path: '/settings?tab=x-costs' })
  expect(textOf(false)).toMatchObject({
    title: '$16.50 of $20.00 spent on X',
    text: 'At the limit, sending and reading wait until December 1.',
  })
  expect(textOf(true)).toMatchObject({ title: 'X spending limit of $20.00 reached' })
})

test('needText asks whether conversations are stored', () => {
  const need = { code: 'consent_missing' as const, params: { handle: 'lena' }, path: '/twitter?consent=a' }
  expect(needText(need)).toEqual({
    title: 'Store conversations of @lena?',
    text: 'Until you decide, replies are kept without their text.',
    action: 'Decide',
    role: 'member',
  })
})

test('needKey tells apart two accounts that were lost', () => {
  const lost = (handle: string) => needKey({ code: 'x_disconnected', params: { handle }, path: '/twitter' })
  expect(lost('lena')).not.toBe(lost('omar'))
})
