import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bestOf,
  entitlementAt,
  grantedUntil,
  limitOf,
  limitText,
  mergeInvoices,
  paidUntil,
  planAt,
  statusOf,
  warningFrom,
} from './rules.ts'

const now = new Date('2026-11-20T12:00:00Z')
const days = (n: number) => new Date(now.getTime() + n * 86_400_000)
const paid = (planId: 'pro_monthly' | 'agency_yearly', status: string, currentPeriodEnd: Date) => ({
  subscription: { planId, status, currentPeriodEnd },
  grants: [],
})

const missing = (since: number) => ({
  subscription: { planId: 'pro_monthly', status: 'past_due', currentPeriodEnd: days(25), pastDueSince: days(-since) },
  grants: [],
})

describe('planAt', () => {
  it.each([
    ['nothing', { subscription: null, grants: [] }, 'free'],
    ['Agency, paid', paid('agency_yearly', 'active', days(3)), 'agency'],
    ['Pro, on trial', paid('pro_monthly', 'trialing', days(3)), 'pro'],
    ['Pro, canceled, still paid', paid('pro_monthly', 'canceled', days(1)), 'pro'],
    ['Pro, canceled and over', paid('pro_monthly', 'canceled', days(-1)), 'free'],
    ['Pro, its renewal a little late', paid('pro_monthly', 'past_due', days(-6)), 'pro'],
    ['Pro, its payment missing for 6 days', missing(6), 'pro'],
    ['Pro, its payment missing for 8 days, though the period has begun', missing(8), 'free'],
    [
      'another plan of a level',
      { subscription: { planId: 'studio', level: 'agency', status: 'active', currentPeriodEnd: days(1) }, grants: [] },
      'agency',
    ],
    ['Pro, never renewed', paid('pro_monthly', 'active', days(-8)), 'free'],
    ['a month earned', { subscription: null, grants: [{ months: 1, grantedAt: days(-20) }] }, 'pro'],
    ['a month earned and over', { subscription: null, grants: [{ months: 1, grantedAt: days(-40) }] }, 'free'],
    [
      'a subscription over, months earned',
      { ...paid('agency_yearly', 'canceled', days(-1)), grants: [{ months: 3, grantedAt: days(-40) }] },
      'pro',
    ],
  ] as const)('handles %s', (_, facts, plan) => {
    expect(planAt(facts, now)).toBe(plan)
  })

  it('grants earned months one after another', () => {
    const first = { months: 1, grantedAt: new Date('2026-01-31T00:00:00Z') }
    const second = { months: 3, grantedAt: new Date('2026-02-10T00:00:00Z') }
    expect(grantedUntil([second, first])?.toISOString()).toBe('2026-05-28T00:00:00.000Z')
    expect(grantedUntil([])).toBeNull()
    const grant = fc.record({
      months: fc.integer({ min: 1, max: 12 }),
      grantedAt: fc.date({ noInvalidDate: true, min: days(-900), max: now }),
    })
    fc.assert(
      fc.property(fc.array(grant, { minLength: 1 }), (grants) => {
        const sum = grants.reduce((all, { months }) => all + months, 0)
        const earliest = Math.min(...grants.map(({ grantedAt }) => grantedAt.getTime()))
        // No grant is lost, in any order. Short months cost at most three days per month.
        expect((grantedUntil(grants) as Date).getTime()).toBeGreaterThanOrEqual(earliest + sum * 28 * 86_400_000)
      }),
    )
  })
})

describe('grantedUntil', () => {
  const grants = [{ months: 1, grantedAt: days(-10) }]
  const until = (paid: { from: Date; to: Date }[]) =>
    (grantedUntil(grants, paid) as Date).getTime() - (grantedUntil(grants) as Date).getTime()
  const DAY = 86_400_000

  it.each([
    ['before they began', [{ from: days(-40), to: days(-10) }], 0],
    ['while they run', [{ from: days(-5), to: days(25) }], 30],
    ['that began before and ends while they run', [{ from: days(-20), to: days(0) }], 10],
    [
      'two that overlap',
      [
        { from: days(-5), to: days(5) },
        { from: days(0), to: days(10) },
      ],
      15,
    ],
    [
      'one that begins in the time that another has added',
      [
        { from: days(-5), to: days(25) },
        { from: days(30), to: days(40) },
      ],
      40,
    ],
    ['after they ended', [{ from: days(60), to: days(90) }], 0],
  ])('extends by paid time: %s', (_, paid, waited) => {
    expect(until(paid)).toBe(waited * DAY)
  })

  it('paidUntil returns the end of a paid period, or of the grace period', () => {
    const subscription = { planId: 'pro_monthly', currentPeriodEnd: days(20) }
    expect(paidUntil({ ...subscription, status: 'active' }, now)).toEqual(days(20))
    expect(paidUntil({ ...subscription, status: 'past_due', pastDueSince: days(-3) }, now)).toEqual(days(4))
    expect(paidUntil({ ...subscription, status: 'active', currentPeriodEnd: days(-1) }, now)).toEqual(days(6))
  })

  it('entitlementAt names rewards as the source only without a subscription', () => {
    expect(entitlementAt({ subscription: null, grants }, now)).toEqual({ plan: 'pro', source: 'reward' })
    expect(entitlementAt({ ...paid('agency_yearly', 'active', days(3)), grants }, now)).toEqual({
      plan: 'agency',
      source: 'subscription',
    })
    expect(entitlementAt({ subscription: null, grants: [] }, now)).toEqual({ plan: 'free', source: 'none' })
  })
})

describe('bestOf and statusOf', () => {
  const makeSubscription = (id: string, more: object = {}) => ({
    id,
    status: 'active',
    level: 'pro' as 'pro' | 'agency',
    priceCents: 5_000,
    billingCycle: 'monthly' as 'monthly' | 'yearly',
    startedAt: days(-10),
    endedAt: null as Date | null,
    ...more,
  })
  it.each([
    ['the higher', [makeSubscription('a'), makeSubscription('b', { level: 'agency', priceCents: 1 })], 'b'],
    [
      'the dearer by the month',
      [makeSubscription('a', { priceCents: 30_000, billingCycle: 'yearly' }), makeSubscription('b')],
      'b',
    ],
    ['the newer', [makeSubscription('a'), makeSubscription('b', { startedAt: days(-1) })], 'b'],
    [
      'one that runs, though its payment is missing',
      [
        makeSubscription('a', { status: 'past_due' }),
        makeSubscription('b', { status: 'canceled', endedAt: days(-1), level: 'agency' }),
      ],
      'a',
    ],
    [
      'what is paid for, beside a higher one whose payment is missing',
      [
        makeSubscription('a', { status: 'past_due', level: 'agency', priceCents: 12_000 }),
        makeSubscription('b'),
        makeSubscription('c', { status: 'unpaid' }),
      ],
      'b',
    ],
    [
      'the one that ended last',
      [
        makeSubscription('a', { status: 'canceled', endedAt: days(-1) }),
        makeSubscription('b', { status: 'canceled', endedAt: days(-3) }),
      ],
      'a',
    ],
    ['none that has not begun', [makeSubscription('a', { status: 'incomplete' })], undefined],
  ])('select %s in any order', (_, all, best) => {
    expect([bestOf(all)?.id, bestOf([...all].reverse())?.id]).toEqual([best, best])
  })

  it("map the provider's statuses", () => {
    const words = ['active', 'trialing', 'past_due', 'unpaid', 'canceled', 'paused', 'incomplete', 'incomplete_expired']
    expect(words.map(statusOf)).toEqual([
      'active',
      'trialing',
      'past_due',
      'past_due',
      'canceled',
      'canceled',
      null,
      null,
    ])
  })
})

describe('limits', () => {
  it('warn from 80%', () => {
    expect([50, 5_000, 100].map(warningFrom)).toEqual([40, 4_000, 80])
    expect(warningFrom(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
  })

  it('follow the plan', () => {
    expect(limitOf('free', 'scrapedLeads')).toBe(100)
    expect(limitOf('pro', 'dms')).toBe(5_000)
    expect(limitOf('agency', 'scrapedLeads')).toBe(Number.POSITIVE_INFINITY)
  })

  it.each([
    [
      'free',
      'scrapedLeads',
      'Your Free plan includes 100 scraped leads a month. Upgrade to Pro for 1,000 scraped leads a month.',
    ],
    [
      'pro',
      'scrapedLeads',
      'Your Pro plan includes 1,000 scraped leads a month. Upgrade to Agency for unlimited scraped leads.',
    ],
    ['free', 'xAccounts', 'Your Free plan includes 1 X account. Upgrade to Pro for 3 X accounts.'],
    ['pro', 'people', 'Your Pro plan includes 1 person. Upgrade to Agency for a team of any size.'],
    ['agency', 'dms', 'Your Agency plan includes 20,000 DMs a month.'],
  ] as const)('are described for %s, %s with the plan that lifts them', (plan, what, text) => {
    expect(limitText(plan, what)).toBe(text)
  })
})

describe('mergeInvoices', () => {
  it('pages through invoices of several customers once each, newest first', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 60 }), { maxLength: 4 }), (all) => {
        const customers = all.map((ages, customer) =>
          ages.sort((a, b) => a - b).map((age, i) => ({ id: `${customer}_${i}`, createdAt: days(-age) })),
        )
        const seen: { id: string; createdAt: Date }[] = []
        let after: (string | null)[] = customers.map(() => null)
        for (let hasMore = true; hasMore; ) {
          const pages = customers.map((invoices, i) => {
            const from = invoices.findIndex(({ id }) => id === after[i]) + 1
            return { invoices: invoices.slice(from, from + 24), hasMore: invoices.length > from + 24 }
          })
          const merged = mergeInvoices(pages, after)
          expect(merged.invoices.length).toBe(Math.min(24, customers.flat().length - seen.length))
          seen.push(...merged.invoices)
          ;({ after, hasMore } = merged)
        }
        expect(new Set(seen.map(({ id }) => id)).size).toBe(customers.flat().length)
        const times = seen.map(({ createdAt }) => createdAt.getTime())
        expect(times).toEqual([...times].sort((a, b) => b - a))
      }),
      { numRuns: 50 },
    )
  })
})
