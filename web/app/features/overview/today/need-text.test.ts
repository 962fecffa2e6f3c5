import { expect, test } from 'vitest'
import { needKey, needText } from './need-text'

test('needText says why a campaign was paused', () => {
  const params = { campaign: 'Spring', reason: 'opt_outs', optOuts: 4, of: 100, detail: null }
  expect(needText({ code: 'campaign_paused', params, path: '/campaigns/1' })).toEqual({
    title: '“Spring” was paused automatically',
    text: '4 of the last 100 people you messaged asked you to stop. Check the message and the list, then resume.',
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

test('needKey tells apart two accounts that were lost', () => {
  const lost = (handle: string) => needKey({ code: 'x_disconnected', params: { handle }, path: '/twitter' })
  expect(lost('lena')).not.toBe(lost('omar'))
})
