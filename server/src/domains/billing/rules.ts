import { type SubscriptionStatus, USAGE_WARNING_PERCENT } from '@x-automated/contract/billing'
import { type Limited, levelOf, PLAN_LEVELS, type PlanLevel } from '@x-automated/contract/plans'

/** What the database knows of a workspace's right to a plan. */
export interface PlanFacts {
  subscription: {
    planId: string
    /** Null: that of a built-in plan. */
    level?: Exclude<PlanLevel, 'free'> | null
    status: string
    currentPeriodEnd: Date
    /** Since when a payment is missing. */
    pastDueSince?: Date | null
  } | null
  /** Months of Pro that the owner earned by referrals. */
  grants: readonly { months: number; grantedAt: Date }[]
  /** When subscriptions were paid for: earned months wait meanwhile. */
  paid?: readonly Interval[]
}

export interface Interval {
  from: Date
  to: Date
}

/** The level of a subscription. */
export function levelOfSubscription({ level, planId }: NonNullable<PlanFacts['subscription']>): 'pro' | 'agency' {
  return level ?? levelOf(planId)
}

/** A payment that is late is asked for again for some days; until then nothing is taken away. */
export const GRACE_DAYS = 7
const GRACE_MS = GRACE_DAYS * 24 * 60 * 60_000

/** Until when a subscription gives its plan, as far as is known: one that was canceled to its end, one that renews may be told of, or paid, a little late. */
export function lastsUntil({ status, currentPeriodEnd, pastDueSince }: NonNullable<PlanFacts['subscription']>): Date {
  if (status === 'canceled') return currentPeriodEnd
  // The provider begins the new period whether it was paid or not.
  return graceEnd(pastDueSince ?? currentPeriodEnd)
}

/** Until when a subscription is paid for, as things stand: earned months wait so long. */
export function paidUntil(subscription: NonNullable<PlanFacts['subscription']>, now: Date): Date {
  const { status, currentPeriodEnd } = subscription
  // Of a period whose payment is missing only the days of grace are given.
  const isPaid = (status === 'active' || status === 'trialing') && currentPeriodEnd > now
  return isPaid ? currentPeriodEnd : lastsUntil(subscription)
}

/** When the days end in which a missing payment takes nothing away. */
export function graceEnd(since: Date): Date {
  return new Date(since.getTime() + GRACE_MS)
}

/** The plan that holds now, and why: what is paid for, else what was earned, else Free. */
export function standingAt(
  facts: PlanFacts,
  now: Date,
): { plan: PlanLevel; source: 'subscription' | 'reward' | 'none' } {
  const { subscription } = facts
  if (subscription && now < lastsUntil(subscription))
    return { plan: levelOfSubscription(subscription), source: 'subscription' }
  const until = grantedUntil(facts.grants, facts.paid)
  return until !== null && now < until ? { plan: 'pro', source: 'reward' } : { plan: 'free', source: 'none' }
}

export function planAt(facts: PlanFacts, now: Date): PlanLevel {
  return standingAt(facts, now).plan
}

/**
 * Until when earned months of Pro last: one grant after the other, each from when it was earned at the earliest. Time that is paid for does not use them up.
 * @param paid may overlap, in any order
 */
export function grantedUntil(grants: PlanFacts['grants'], paid: readonly Interval[] = []): Date | null {
  const pauses = [...paid].sort((a, b) => a.from.getTime() - b.from.getTime())
  let until: Date | null = null
  for (const { months, grantedAt } of [...grants].sort((a, b) => a.grantedAt.getTime() - b.grantedAt.getTime())) {
    const start: Date = until !== null && until > grantedAt ? until : grantedAt
    until = addMonths(start, months)
    let counted = start.getTime()
    for (const { from, to } of pauses) {
      if (from >= until) break
      const pause = to.getTime() - Math.max(from.getTime(), counted)
      if (pause <= 0) continue
      until = new Date(until.getTime() + pause)
      counted = to.getTime()
    }
  }
  return until
}

/** The provider's word for a subscription's state as ours; null: it has not begun, as its first payment has not gone through. */
export function statusOf(word: string): SubscriptionStatus | null {
  switch (word) {
    case 'active':
    case 'trialing':
    case 'past_due':
      return word
    case 'unpaid':
      return 'past_due'
    case 'canceled':
    case 'paused':
      return 'canceled'
    default:
      return null
  }
}

/** What is compared to find the best of several subscriptions. */
interface Comparable {
  id: string
  status: string
  level: 'pro' | 'agency'
  priceCents: number
  billingCycle: 'monthly' | 'yearly'
  startedAt: Date
  endedAt: Date | null
}

/** Of several subscriptions the one that counts: of those that run one that is paid for, of these the highest and dearest; else the one that ended last; null: none has begun. */
export function bestOf<S extends Comparable>(all: readonly S[]): S | null {
  const runs = ({ status }: S) => (statusOf(status) === 'canceled' ? 0 : statusOf(status) === 'past_due' ? 1 : 2)
  const monthly = ({ priceCents, billingCycle }: S) => (billingCycle === 'yearly' ? priceCents / 12 : priceCents)
  const rank = (one: S): (number | string)[] =>
    runs(one)
      ? [runs(one), one.level === 'agency' ? 1 : 0, monthly(one), one.startedAt.getTime(), one.id]
      : [0, one.endedAt?.getTime() ?? 0, one.startedAt.getTime(), one.id]
  const [best] = all
    .filter(({ status }) => statusOf(status) !== null)
    .sort((a, b) => {
      const [ranksA, ranksB] = [rank(a), rank(b)]
      const place = ranksA.findIndex((value, i) => value !== ranksB[i])
      return place < 0 ? 0 : (ranksA[place] as number) < (ranksB[place] as number) ? 1 : -1
    })
  return best ?? null
}

/** How many invoices are shown at once. */
export const INVOICES_PAGE = 24

/**
 * Of pages of several customers' invoices, each newest first, the newest of all.
 * @param pages each of at least INVOICES_PAGE invoices, or its customer's last ones
 * @param after the invoice that each page began after; null: at the newest
 * @returns what the next pages begin after
 */
export function mergeInvoices<I extends { id: string; createdAt: Date }>(
  pages: readonly { invoices: readonly I[]; hasMore: boolean }[],
  after: readonly (string | null)[],
): { invoices: I[]; after: (string | null)[]; hasMore: boolean } {
  const all = pages.flatMap((page) => page.invoices)
  const invoices = all.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, INVOICES_PAGE)
  const isShown = new Set(invoices)
  return {
    invoices,
    after: pages.map((page, i) => page.invoices.findLast((one) => isShown.has(one))?.id ?? after[i] ?? null),
    hasMore: all.length > invoices.length || pages.some(({ hasMore }) => hasMore),
  }
}

/** The same day so many months later; the last day where that month is shorter. */
function addMonths(from: Date, months: number): Date {
  const to = new Date(from)
  to.setUTCDate(1)
  to.setUTCMonth(to.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate()
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay))
  return to
}

/** How many of something a plan allows; Infinity where it does not limit it. */
export function limitOf(plan: PlanLevel, what: Limited): number {
  return PLAN_LEVELS[plan][what] ?? Number.POSITIVE_INFINITY
}

const WORDS: Record<Limited, (count: number) => string> = {
  scrapedLeads: (n) => `${number(n)} scraped leads a month`,
  dms: (n) => `${number(n)} DMs a month`,
  xAccounts: (n) => `${number(n)} X ${n === 1 ? 'account' : 'accounts'}`,
  people: (n) => `${number(n)} ${n === 1 ? 'person' : 'people'}`,
}
const UNLIMITED: Record<Limited, string> = {
  scrapedLeads: 'unlimited scraped leads',
  dms: 'unlimited DMs',
  xAccounts: 'any number of X accounts',
  people: 'a team of any size',
}

/** The next level that allows more of something; null: none does. */
export function liftOf(plan: PlanLevel, what: Limited): PlanLevel | null {
  const levels = Object.keys(PLAN_LEVELS) as PlanLevel[]
  const limit = limitOf(plan, what)
  return levels.slice(levels.indexOf(plan) + 1).find((level) => limitOf(level, what) > limit) ?? null
}

/** Says a limit and the plan that lifts it: 'Your Free plan includes 1 X account. Upgrade to Pro for 3 X accounts.' */
export function limitWords(plan: PlanLevel, what: Limited): string {
  const limit = limitOf(plan, what)
  const higher = liftOf(plan, what)
  const said = `Your ${PLAN_LEVELS[plan].name} plan includes ${Number.isFinite(limit) ? WORDS[what](limit) : UNLIMITED[what]}.`
  if (!higher) return said
  const more = limitOf(higher, what)
  const lifted = Number.isFinite(more) ? WORDS[what](more) : UNLIMITED[what]
  return `${said} Upgrade to ${PLAN_LEVELS[higher].name} for ${lifted}.`
}

/** From which count on people are warned of a limit; Infinity where there is none. */
export function warningFrom(limit: number): number {
  return Math.ceil((limit * USAGE_WARNING_PERCENT) / 100)
}

function number(n: number): string {
  return n.toLocaleString('en-US')
}
