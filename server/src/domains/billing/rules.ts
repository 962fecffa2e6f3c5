import { type Limited, levelOf, PLAN_LEVELS, type PlanId, type PlanLevel } from '@x-automated/contract/plans'

/** What the database knows of a workspace's right to a plan. */
export interface PlanFacts {
  subscription: { planId: PlanId; status: string; currentPeriodEnd: Date } | null
  /** Months of Pro that the owner earned by referrals. */
  grants: readonly { months: number; grantedAt: Date }[]
}

/** A payment that is late is asked for again for some days; until then nothing is taken away. */
const GRACE_MS = 7 * 24 * 60 * 60_000

/** The plan that holds now: what is paid for, else what was earned, else Free. */
export function planAt({ subscription, grants }: PlanFacts, now: Date): PlanLevel {
  if (subscription) {
    const { planId, status, currentPeriodEnd } = subscription
    // One that was canceled lasts to the end of what is paid; one that renews may be told of a little late.
    const lastsUntil = currentPeriodEnd.getTime() + (status === 'canceled' ? 0 : GRACE_MS)
    if (now.getTime() < lastsUntil) return levelOf(planId)
  }
  const until = grantedUntil(grants)
  return until !== null && now < until ? 'pro' : 'free'
}

/** Until when earned months of Pro last: one grant after the other, each from when it was earned at the earliest. */
export function grantedUntil(grants: PlanFacts['grants']): Date | null {
  let until: Date | null = null
  for (const { months, grantedAt } of [...grants].sort((a, b) => a.grantedAt.getTime() - b.grantedAt.getTime())) {
    until = addMonths(until !== null && until > grantedAt ? until : grantedAt, months)
  }
  return until
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
}
const UNLIMITED: Record<Limited, string> = {
  scrapedLeads: 'unlimited scraped leads',
  dms: 'unlimited DMs',
  xAccounts: 'any number of X accounts',
}

/** Says a limit and the plan that lifts it: 'Your Free plan includes 1 X account. Upgrade to Pro for 3 X accounts.' */
export function limitWords(plan: PlanLevel, what: Limited): string {
  const levels = Object.keys(PLAN_LEVELS) as PlanLevel[]
  const limit = limitOf(plan, what)
  const higher = levels.slice(levels.indexOf(plan) + 1).find((level) => limitOf(level, what) > limit)
  const said = `Your ${PLAN_LEVELS[plan].name} plan includes ${WORDS[what](limit)}.`
  if (!higher) return said
  const more = limitOf(higher, what)
  const lifted = Number.isFinite(more) ? WORDS[what](more) : UNLIMITED[what]
  return `${said} Upgrade to ${PLAN_LEVELS[higher].name} for ${lifted}.`
}

function number(n: number): string {
  return n.toLocaleString('en-US')
}
