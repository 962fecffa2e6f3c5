import { expect, it } from 'vitest'
import { needsOf } from './rules.ts'

const now = new Date('2026-11-20T12:00:00Z')
const nothing = {
  funds: null,
  spending: null,
  suspendedKeys: null,
  lostHandles: [],
  undecided: [],
  paused: [],
  drafts: null,
  detectionProblem: null,
  plan: 'pro' as const,
  subscription: null,
  used: { scrapedLeads: 0, dms: 0 },
  isOwner: true,
  now,
}
const codes = (findings: Partial<Parameters<typeof needsOf>[0]>) =>
  needsOf({ ...nothing, ...findings }).map(({ code }) => code)

it('tells only owners about payments and plans, before anything else', () => {
  const subscription = { planId: 'pro_monthly', status: 'past_due', currentPeriodEnd: now, pastDueSince: null }
  expect(needsOf({ ...nothing, subscription })).toEqual([
    {
      code: 'payment_failed',
      params: { planName: 'Pro', until: '2026-11-27T12:00:00.000Z' },
      path: '/billing',
    },
  ])
  expect(codes({ subscription, isOwner: false })).toEqual([])
  expect(codes({ subscription, lostHandles: ['ann'] })).toEqual(['payment_failed', 'x_disconnected'])
  const ended = { ...subscription, status: 'canceled', currentPeriodEnd: new Date('2026-11-10T00:00:00Z') }
  expect(codes({ subscription: ended, plan: 'free' })).toEqual(['plan_ended'])
  expect(codes({ subscription: ended })).toEqual([])
  expect(codes({ subscription: { ...ended, currentPeriodEnd: new Date(0) }, plan: 'free' })).toEqual([])
})

it('warns about monthly limits from 80 percent on', () => {
  expect(codes({ plan: 'free', used: { scrapedLeads: 0, dms: 39 } })).toEqual([])
  expect(needsOf({ ...nothing, plan: 'free', used: { scrapedLeads: 0, dms: 45 } })).toEqual([
    {
      code: 'usage_high',
      params: { limited: 'dms', used: 45, limit: 50, resetsAt: '2026-12-01T00:00:00.000Z' },
      path: '/billing',
    },
  ])
})

it('counts the openers that nobody has approved', () => {
  expect(needsOf({ ...nothing, drafts: { id: 'c', name: 'Spring', count: 12 } })).toEqual([
    { code: 'openers_waiting', params: { campaign: 'Spring', count: 12 }, path: '/campaigns/c/openers' },
  ])
})

it('names what stops everything before disconnected accounts', () => {
  const funds = { isOwnApp: true, since: now }
  const spending = { spentCents: 800, limitCents: 1_000, isReached: false, resetsAt: '2026-12-01T00:00:00.000Z' }
  expect(codes({ funds, spending, lostHandles: ['ann'] })).toEqual(['funds', 'spending', 'x_disconnected'])
  expect(needsOf({ ...nothing, spending })).toEqual([
    { code: 'spending', params: spending, path: '/settings?tab=x-costs' },
  ])
})

it('asks about conversations that nobody has decided about', () => {
  expect(needsOf({ ...nothing, undecided: [{ id: 'a', handle: 'ann' }] })).toEqual([
    { code: 'consent_missing', params: { handle: 'ann' }, path: '/twitter?consent=a' },
  ])
})

it('says that replies are only polled', () => {
  expect(codes({ detectionProblem: 'X refused the webhook.' })).toEqual(['detection_degraded'])
})
