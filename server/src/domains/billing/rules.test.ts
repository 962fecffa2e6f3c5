import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { grantedUntil, limitOf, limitWords, planAt } from './rules.ts'

const now = new Date('2026-11-20T12:00:00Z')
const days = (n: number) => new Date(now.getTime() + n * 86_400_000)
const paid = (planId: 'pro_monthly' | 'agency_yearly', status: string, currentPeriodEnd: Date) => ({
  subscription: { planId, status, currentPeriodEnd },
  grants: [],
})

describe('the plan that holds', () => {
  it.each([
    ['nothing', { subscription: null, grants: [] }, 'free'],
    ['Agency, paid', paid('agency_yearly', 'active', days(3)), 'agency'],
    ['Pro, on trial', paid('pro_monthly', 'trialing', days(3)), 'pro'],
    ['Pro, canceled, still paid', paid('pro_monthly', 'canceled', days(1)), 'pro'],
    ['Pro, canceled and over', paid('pro_monthly', 'canceled', days(-1)), 'free'],
    ['Pro, its renewal a little late', paid('pro_monthly', 'past_due', days(-6)), 'pro'],
    ['Pro, never renewed', paid('pro_monthly', 'active', days(-8)), 'free'],
    ['a month earned', { subscription: null, grants: [{ months: 1, grantedAt: days(-20) }] }, 'pro'],
    ['a month earned and over', { subscription: null, grants: [{ months: 1, grantedAt: days(-40) }] }, 'free'],
    [
      'a subscription over, months earned',
      { ...paid('agency_yearly', 'canceled', days(-1)), grants: [{ months: 3, grantedAt: days(-40) }] },
      'pro',
    ],
  ] as const)('%s', (_, facts, plan) => {
    expect(planAt(facts, now)).toBe(plan)
  })

  it('earned months follow each other', () => {
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
        // No grant is lost in another, whatever the order they come in; a short month takes three days at most from each.
        expect((grantedUntil(grants) as Date).getTime()).toBeGreaterThanOrEqual(earliest + sum * 28 * 86_400_000)
      }),
    )
  })
})

describe('limits', () => {
  it('are those of the plans', () => {
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
  ] as const)('%s, %s: say the limit and the plan that lifts it', (plan, what, words) => {
    expect(limitWords(plan, what)).toBe(words)
  })
})
