import { createHmac } from 'node:crypto'
import { isId } from '@x-automated/contract/fields'
import type { PaymentLinks, Plan } from '@x-automated/contract/platform/billing'
import { type Limited, levelOf, PLAN_LEVELS, PLANS, type PlanId } from '@x-automated/contract/platform/plans'
import { and, asc, desc, eq, isNull } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import type { Env } from '../../../env.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { xAccounts } from '../x-account/tables.ts'
import { factsOf, usedOf } from './plan.ts'
import {
  entitlementAt,
  graceEnd,
  grantedUntil,
  levelOfSubscription,
  liftOf,
  limitOf,
  limitText,
  statusOf,
  supportFor,
  usageResetsAt,
  warningFrom,
} from './rules.ts'
import { paidSubscriptions, planPrices, subscriptions } from './tables.ts'

type Links = PaymentLinks['links']

// Plans for sale

/** A plan for sale. `priceId` is the provider's; null: not known yet. */
type SoldPlan = Plan & { priceId: string | null; level: 'pro' | 'agency' }

/** Plans for sale, cheapest first: built-in plans and other prices of the provider. */
export async function soldPlans(db: Db): Promise<SoldPlan[]> {
  const prices = await db
    .select()
    .from(planPrices)
    .where(eq(planPrices.active, true))
    .orderBy(asc(planPrices.amountCents), asc(planPrices.priceId))
  const builtIn = PLANS.map(({ id, name, priceCents, billingCycle, features }) => ({
    id: id as string,
    name: name as string,
    price: priceCents / 100,
    priceCents: priceCents as number,
    billingCycle,
    features: [...features],
    level: levelOf(id),
    priceId: prices.find(({ planId }) => planId === id)?.priceId ?? null,
  }))
  const others = prices
    .filter(({ planId }) => !builtIn.some(({ id }) => id === planId))
    .map(({ planId, name, amountCents, billingCycle, features, level, priceId }) => ({
      id: planId,
      name,
      price: amountCents / 100,
      priceCents: amountCents,
      billingCycle,
      features,
      level,
      priceId,
    }))
  return [...builtIn, ...others].sort((a, b) => a.priceCents - b.priceCents)
}

export async function listPlans(db: Db, cycle: Plan['billingCycle'] | undefined) {
  const plans = (await soldPlans(db)).filter(({ billingCycle }) => cycle === undefined || billingCycle === cycle)
  return { success: true as const, plans }
}

/** Payment links of the built-in plans, not bound to a workspace. */
export function linksFor({ env }: { env: Pick<Env, 'payments'> }): PaymentLinks {
  const none = { pro_monthly: null, pro_yearly: null, agency_monthly: null, agency_yearly: null }
  return { links: env.payments?.links ?? none }
}

/** Like `linksFor`, but bound to the workspace and with the caller's address. */
export async function ownLinks(
  context: { db: Db; env: Pick<Env, 'payments' | 'authSecret'> },
  actor: Actor,
): Promise<PaymentLinks> {
  const [user] = await context.db
    .select({ email: authUsers.email })
    .from(authUsers)
    .where(eq(authUsers.id, actor.userId))
  const withReference = (link: string | null) => {
    if (link === null) return null
    const url = new URL(link)
    url.searchParams.set('client_reference_id', referenceOf(context.env.authSecret, actor.workspaceId))
    if (user) url.searchParams.set('prefilled_email', user.email)
    return url.href
  }
  const { links } = linksFor(context)
  return {
    links: Object.fromEntries(Object.entries(links).map(([planId, link]) => [planId, withReference(link)])) as Links,
  }
}

/** The workspace id in a payment link, signed to prevent payments for other workspaces. */
export function referenceOf(secret: string, workspaceId: string): string {
  return `${workspaceId}_${signatureOf(secret, workspaceId)}`
}

/** The workspace of a reference; null if it was forged. */
export function workspaceIn(secret: string, reference: string): string | null {
  const [workspaceId = '', signature] = reference.split('_')
  return isId(workspaceId) && signature === signatureOf(secret, workspaceId) ? workspaceId : null
}

function signatureOf(secret: string, workspaceId: string): string {
  return createHmac('sha256', secret).update(`payment for ${workspaceId}`).digest('hex').slice(0, 32)
}

// The current plan

/** @returns the current subscription, until it ends */
export async function findSubscription(db: Db, actor: Actor) {
  const [row] = await db.select().from(subscriptions).where(eq(subscriptions.workspaceId, actor.workspaceId))
  return { success: true as const, subscription: row && !isOver(row) ? row : null }
}

type Row = typeof subscriptions.$inferSelect

function isOver(row: Row): boolean {
  return row.status === 'canceled' && row.currentPeriodEnd <= new Date()
}

type OverviewEnv = Pick<Env, 'payments' | 'supportEmail' | 'prioritySupportEmail'>

/** The workspace's plan, its source, and its usage. */
export async function overview({ db, env }: { db: Db; env: OverviewEnv }, actor: Actor) {
  const { workspaceId } = actor
  const isOwner = roleAllows(actor.role, 'owner')
  const facts = await factsOf(db, workspaceId)
  const [[row], scrapedLeads, dms, connected] = await Promise.all([
    db
      .select({ row: subscriptions, paid: paidSubscriptions })
      .from(subscriptions)
      .leftJoin(paidSubscriptions, eq(paidSubscriptions.id, subscriptions.paidId))
      .where(eq(subscriptions.workspaceId, workspaceId)),
    usedOf(db, workspaceId, 'scrapedLeads'),
    usedOf(db, workspaceId, 'dms'),
    db.$count(xAccounts, and(eq(xAccounts.workspaceId, workspaceId), eq(xAccounts.status, 'connected'))),
  ])
  const now = new Date()
  const { plan, source } = entitlementAt(facts, now)
  const used: Record<Exclude<Limited, 'people'>, number> = { scrapedLeads, dms, xAccounts: connected }
  const current = row && !isOver(row.row) ? row : null
  return {
    available: env.payments !== null,
    level: plan,
    source,
    subscription: current ? detailsOf(current.row, current.paid, isOwner) : null,
    others: isOwner ? await othersOf(db, workspaceId, row?.row.paidId ?? null) : [],
    ended:
      row && !current
        ? { planId: row.row.planId, name: nameOf(row.row, row.paid), endedAt: row.row.currentPeriodEnd }
        : null,
    rewards: {
      months: facts.grants.reduce((sum, { months }) => sum + months, 0),
      until: grantedUntil(facts.grants, facts.paid),
      grants: facts.grants,
      achievements: facts.achievements,
    },
    support: supportFor(
      {
        plan,
        billingCycle: source === 'subscription' && row ? cycleOf(row.row, row.paid) : 'monthly',
        isPlatinum: isOwner && facts.achievements.includes('platinum'),
      },
      env,
    ),
    usage: (['scrapedLeads', 'dms', 'xAccounts'] as const).map((what) => {
      const limit = limitOf(plan, what)
      const higher = liftOf(plan, what)
      return {
        what,
        used: used[what],
        limit: Number.isFinite(limit) ? limit : null,
        // Using all X accounts is not a reason to warn.
        warning: used[what] > limit || (what !== 'xAccounts' && used[what] >= warningFrom(limit)),
        words: limitText(plan, what),
        lifts: higher ? { level: higher, name: PLAN_LEVELS[higher].name, limit: PLAN_LEVELS[higher][what] } : null,
      }
    }),
    usageResetsAt: usageResetsAt(now),
  }
}

type Paid = typeof paidSubscriptions.$inferSelect

/** Maximum number of other subscriptions: nobody buys more by mistake. */
const MAX_OTHERS = 20

/** The workspace's other paid subscriptions. */
async function othersOf(db: Db, workspaceId: string, heldId: string | null) {
  const rows = await db
    .select()
    .from(paidSubscriptions)
    .where(and(eq(paidSubscriptions.workspaceId, workspaceId), isNull(paidSubscriptions.endedAt)))
    .orderBy(desc(paidSubscriptions.startedAt), asc(paidSubscriptions.id))
    .limit(MAX_OTHERS)
  return rows.flatMap((row) => {
    const status = statusOf(row.status)
    if (row.id === heldId || status === null || status === 'canceled') return []
    const { id, planId, priceCents, billingCycle, currentPeriodEnd, cancelAtPeriodEnd } = row
    const name = builtIn(planId)?.name ?? row.name
    return [{ id, planId, name, status, priceCents, billingCycle, currentPeriodEnd, cancelAtPeriodEnd }]
  })
}

function nameOf({ planId }: Row, paid: Paid | null): string {
  return builtIn(planId)?.name ?? paid?.name ?? planId
}

function cycleOf({ planId }: Row, paid: Paid | null): 'monthly' | 'yearly' {
  return paid?.billingCycle ?? builtIn(planId)?.billingCycle ?? 'monthly'
}

function builtIn(planId: string) {
  return PLANS.find(({ id }) => id === (planId as PlanId))
}

function detailsOf(row: Row, paid: Paid | null, isOwner: boolean) {
  const isPastDue = row.status === 'past_due'
  const pastDueSince = isPastDue ? (row.pastDueSince ?? row.currentPeriodEnd) : null
  return {
    ...row,
    name: nameOf(row, paid),
    level: levelOfSubscription(row),
    priceCents: paid?.priceCents ?? null,
    billingCycle: cycleOf(row, paid),
    trialEnd: row.status === 'trialing' ? (paid?.trialEnd ?? null) : null,
    pastDueSince,
    graceEndsAt: pastDueSince && graceEnd(pastDueSince),
    payUrl: isPastDue && isOwner ? (paid?.payUrl ?? null) : null,
    manageable: paid !== null,
  }
}
