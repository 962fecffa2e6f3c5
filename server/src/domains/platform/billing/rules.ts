import { formatCount } from '@x-automated/contract/format'
import { type SubscriptionStatus, USAGE_WARNING_PERCENT } from '@x-automated/contract/platform/billing'
import { type Limited, levelOf, PLAN_LEVELS, type PlanLevel } from '@x-automated/contract/platform/plans'
import { SUPPORT, supportOf } from '@x-automated/contract/platform/support'

/** The facts that determine a workspace's plan. */
interface PlanFacts {
  subscription: {
    planId: string
    /** Null for built-in plans. */
    level?: Exclude<PlanLevel, 'free'> | null
    status: string
    currentPeriodEnd: Date
    /** When the payment became overdue. */
    pastDueSince?: Date | null
  } | null
  /** Months of Pro that the owner earned by referrals. */
  grants: readonly { months: number; grantedAt: Date }[]
  /** Paid periods, during which earned months are not used. */
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

/** After a failed payment, the plan stays active for this many days, while the provider retries it. */
const GRACE_DAYS = 7
const GRACE_MS = GRACE_DAYS * 24 * 60 * 60_000

/** When a subscription's plan is expected to end, including the grace period for late renewals. */
function lastsUntil({ status, currentPeriodEnd, pastDueSince }: NonNullable<PlanFacts['subscription']>): Date {
  if (status === 'canceled') return currentPeriodEnd
  // The provider starts the new period whether or not it was paid.
  return graceEnd(pastDueSince ?? currentPeriodEnd)
}

/** The end of the paid time. Until then, earned months are not used. */
export function paidUntil(subscription: NonNullable<PlanFacts['subscription']>, now: Date): Date {
  const { status, currentPeriodEnd } = subscription
  // An unpaid period counts only for the grace period.
  const isPaid = (status === 'active' || status === 'trialing') && currentPeriodEnd > now
  return isPaid ? currentPeriodEnd : lastsUntil(subscription)
}

/** The end of the grace period. */
export function graceEnd(since: Date): Date {
  return new Date(since.getTime() + GRACE_MS)
}

/** The current plan and its source: a subscription, otherwise earned months, otherwise Free. */
export function entitlementAt(
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
  return entitlementAt(facts, now).plan
}

/**
 * When earned months of Pro end. Grants run one after another, starting when they were earned, and
 * pause during paid time. @param paid may overlap, in any order
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

/** Maps the provider's status to ours; null: the first payment has not succeeded. */
export function statusOf(status: string): SubscriptionStatus | null {
  switch (status) {
    case 'active':
    case 'trialing':
    case 'past_due':
      return status
    case 'unpaid':
      return 'past_due'
    case 'canceled':
    case 'paused':
      return 'canceled'
    default:
      return null
  }
}

/** The properties that rank subscriptions. */
interface Comparable {
  id: string
  status: string
  level: 'pro' | 'agency'
  priceCents: number
  billingCycle: 'monthly' | 'yearly'
  startedAt: Date
  endedAt: Date | null
}

/**
 * The best subscription: paid before past due, then the highest and most expensive. If all have
 * ended, the one that ended last.
 */
export function bestOf<S extends Comparable>(all: readonly S[]): S | null {
  const runs = ({ status }: S) => (statusOf(status) === 'canceled' ? 0 : statusOf(status) === 'past_due' ? 1 : 2)
  const monthly = ({ priceCents, billingCycle }: S) => (billingCycle === 'yearly' ? priceCents / 12 : priceCents)
  const rank = (subscription: S): (number | string)[] =>
    runs(subscription)
      ? [
          runs(subscription),
          subscription.level === 'agency' ? 1 : 0,
          monthly(subscription),
          subscription.startedAt.getTime(),
          subscription.id,
        ]
      : [0, subscription.endedAt?.getTime() ?? 0, subscription.startedAt.getTime(), subscription.id]
  const [best] = all
    .filter(({ status }) => statusOf(status) !== null)
    .sort((a, b) => {
      const [ranksA, ranksB] = [rank(a), rank(b)]
      const index = ranksA.findIndex((value, i) => value !== ranksB[i])
      return index < 0 ? 0 : (ranksA[index] as number) < (ranksB[index] as number) ? 1 : -1
    })
  return best ?? null
}

/** Number of invoices per page. */
export const INVOICES_PAGE = 24

/**
 * Merges pages of customers' invoices, newest first, and returns the next positions. @param pages
 * each has at least INVOICES_PAGE invoices, or is a customer's last page @param after null: the
 * first page
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
    after: pages.map((page, i) => page.invoices.findLast((invoice) => isShown.has(invoice))?.id ?? after[i] ?? null),
    hasMore: all.length > invoices.length || pages.some(({ hasMore }) => hasMore),
  }
}

/** The same day some months later, or that month's last day. */
function addMonths(from: Date, months: number): Date {
  const to = new Date(from)
  to.setUTCDate(1)
  to.setUTCMonth(to.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate()
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay))
  return to
}

/** When the usage in the month of `now` resets. */
export function usageResetsAt(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}

/** The plan's limit; Infinity if unlimited. */
export function limitOf(plan: PlanLevel, what: Limited): number {
  return PLAN_LEVELS[plan][what] ?? Number.POSITIVE_INFINITY
}

const LIMIT_TEXTS: Record<Limited, (count: number) => string> = {
  scrapedLeads: (n) => `${formatCount(n, 'scraped lead')} a month`,
  dms: (n) => `${formatCount(n, 'DM')} a month`,
  xAccounts: (n) => formatCount(n, 'X account'),
  people: (n) => formatCount(n, 'person', 'people'),
}
const UNLIMITED: Record<Limited, string> = {
  scrapedLeads: 'unlimited scraped leads',
  dms: 'unlimited DMs',
  xAccounts: 'any number of X accounts',
  people: 'a team of any size',
}

/** The next plan level with a higher limit; null: there is none. */
export function liftOf(plan: PlanLevel, what: Limited): PlanLevel | null {
  const levels = Object.keys(PLAN_LEVELS) as PlanLevel[]
  const limit = limitOf(plan, what)
  return levels.slice(levels.indexOf(plan) + 1).find((level) => limitOf(level, what) > limit) ?? null
}

/** The text of a limit, such as 'Your Free plan includes 1 X account. Upgrade to Pro for 3 X accounts.' */
export function limitText(plan: PlanLevel, what: Limited): string {
  const limit = limitOf(plan, what)
  const higher = liftOf(plan, what)
  const limitation = `Your ${PLAN_LEVELS[plan].name} plan includes ${Number.isFinite(limit) ? LIMIT_TEXTS[what](limit) : UNLIMITED[what]}.`
  if (!higher) return limitation
  const more = limitOf(higher, what)
  const lifted = Number.isFinite(more) ? LIMIT_TEXTS[what](more) : UNLIMITED[what]
  return `${limitation} Upgrade to ${PLAN_LEVELS[higher].name} for ${lifted}.`
}

/** The page that an achievement opens; null: it opens none. */
export function rewardUrl(
  achievement: string,
  { prioritySupportEmail, strategyCallUrl }: { prioritySupportEmail: string; strategyCallUrl: string },
): string | null {
  if (achievement === 'silver') return strategyCallUrl
  return achievement === 'platinum' ? `mailto:${prioritySupportEmail}` : null
}

/** The support that a workspace's plan includes or, for its owner, that the Platinum reward gives. */
export function supportFor(
  { plan, billingCycle, isPlatinum }: { plan: PlanLevel; billingCycle: 'monthly' | 'yearly'; isPlatinum: boolean },
  { supportEmail, prioritySupportEmail }: { supportEmail: string; prioritySupportEmail: string },
) {
  const promised = supportOf(plan, billingCycle)
  const kind = isPlatinum && promised !== 'priority_24_7' ? 'priority' : promised
  const isPriority = kind === 'priority' || kind === 'priority_24_7'
  return { kind, email: isPriority ? prioritySupportEmail : supportEmail, firstAnswer: SUPPORT[kind].firstAnswer }
}

/** The usage from which owners are warned; Infinity if unlimited. */
export function warningFrom(limit: number): number {
  return Math.ceil((limit * USAGE_WARNING_PERCENT) / 100)
}
