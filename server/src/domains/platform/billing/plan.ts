import { formatCount } from '@x-automated/contract/format'
import {
  ADVANCED_ANALYTICS_TEXT,
  ADVANCED_FILTERS_TEXT,
  API_ACCESS_TEXT,
  CLIENT_REPORTS_TEXT,
  FILTER_RULES_TEXT,
  hasAdvancedAnalytics,
  hasAdvancedFilters,
  hasApiAccess,
  hasClientReports,
  hasFilterRules,
  type Limited,
  type PlanLevel,
} from '@x-automated/contract/platform/plans'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Allowance, LimitedByMonth } from '../../../core/neighbors.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { JobQueue } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import { workspaceMembers } from '../../identity/workspaces/tables.ts'
import { notifyOwners } from '../notifications/notifications.ts'
import { givenTo } from './rewards.ts'
import { type Interval, limitOf, limitText, paidUntil, planAt, statusOf, usageResetsAt, warningFrom } from './rules.ts'
import { monthlyUsage, paidSubscriptions, subscriptions } from './tables.ts'

/** Monthly limits, with their names in `monthly_usage`. */
export const KINDS = { scrapedLeads: 'scraped_leads', dms: 'dms' } as const

const thisMonth = sql<string>`date_trunc('month', now() at time zone 'UTC')::date`

/** A workspace's current plan, everything that determines it, and what its owner earned. */
export async function factsOf(db: Db, workspaceId: string) {
  // Sequential, because a transaction has one connection.
  const [subscription] = await db.select().from(subscriptions).where(eq(subscriptions.workspaceId, workspaceId))
  const earned = await givenTo(db, workspaceId)
  const grants = earned.filter(({ months }) => months > 0)
  const paid = grants.length > 0 ? await paidTimes(db, workspaceId) : []
  if (subscription && !subscription.paidId)
    paid.push({ from: subscription.createdAt, to: paidUntil(subscription, new Date()) })
  const facts = { subscription: subscription ?? null, grants, paid }
  const achievements = earned.map(({ achievement }) => achievement)
  return { ...facts, achievements, plan: planAt(facts, new Date()) }
}

/** The times in which a workspace had a paid subscription. */
async function paidTimes(db: Db, workspaceId: string): Promise<Interval[]> {
  const rows = await db.select().from(paidSubscriptions).where(eq(paidSubscriptions.workspaceId, workspaceId))
  const now = new Date()
  return rows.flatMap((row) => {
    const status = statusOf(row.status)
    return status ? [{ from: row.startedAt, to: row.endedAt ?? paidUntil({ ...row, status }, now) }] : []
  })
}

/** A workspace's current plan, from its subscription or its owner's rewards. */
export async function planOf(db: Db, workspaceId: string): Promise<PlanLevel> {
  return (await factsOf(db, workspaceId)).plan
}

/** A workspace's limit; Infinity if unlimited. */
export async function limitOn(db: Db, workspaceId: string, what: Limited): Promise<{ plan: PlanLevel; limit: number }> {
  const plan = await planOf(db, workspaceId)
  return { plan, limit: limitOf(plan, what) }
}

/** A monthly limit and its usage, for screens. */
export async function usageOf(db: Db, workspaceId: string, what: LimitedByMonth) {
  const { plan, used, left } = await allowanceOf(db, workspaceId, what)
  const limit = limitOf(plan, what)
  const isLimited = Number.isFinite(limit)
  return {
    plan,
    usage: {
      limit: isLimited ? limit : null,
      used,
      remaining: isLimited ? left : null,
      resetsAt: usageResetsAt(new Date()),
    },
  }
}

/** What is left of a monthly limit. @param lock locks the usage until the transaction ends */
export async function allowanceOf(
  db: Db,
  workspaceId: string,
  what: LimitedByMonth,
  { lock = false } = {},
): Promise<Allowance> {
  const { plan, limit } = await limitOn(db, workspaceId, what)
  // Using 0 creates the row to lock.
  const isLocked = lock && Number.isFinite(limit)
  const used = isLocked ? await use(db, workspaceId, what, 0) : await usedOf(db, workspaceId, what)
  return { plan, used, left: Math.max(0, limit - used) }
}

const isThisMonths = (workspaceId: string, what: LimitedByMonth) =>
  and(eq(monthlyUsage.workspaceId, workspaceId), eq(monthlyUsage.kind, KINDS[what]), eq(monthlyUsage.month, thisMonth))

/** The usage of this month. */
export async function usedOf(db: Db, workspaceId: string, what: LimitedByMonth): Promise<number> {
  const [row] = await db.select({ count: monthlyUsage.count }).from(monthlyUsage).where(isThisMonths(workspaceId, what))
  return row?.count ?? 0
}

/**
 * Adds to this month's usage; a negative count refunds. Locks the row until the transaction ends,
 * and notifies owners once when the limit is near. @returns the new usage
 */
export async function use(db: Db, workspaceId: string, what: LimitedByMonth, count: number): Promise<number> {
  const row = one(
    await db
      .insert(monthlyUsage)
      .values({ workspaceId, kind: KINDS[what], month: thisMonth, count: Math.max(0, count) })
      .onConflictDoUpdate({
        target: [monthlyUsage.workspaceId, monthlyUsage.kind, monthlyUsage.month],
        set: { count: sql`greatest(0, ${monthlyUsage.count} + ${count}::int)` },
      })
      .returning({ used: monthlyUsage.count, warnedOf: monthlyUsage.warnedOf }),
  )
  if (count > 0) await warn(db, workspaceId, what, row)
  return row.used
}

async function warn(
  tx: Db,
  workspaceId: string,
  what: LimitedByMonth,
  { used, warnedOf }: { used: number; warnedOf: number | null },
): Promise<void> {
  const { plan, limit } = await limitOn(tx, workspaceId, what)
  // Another plan has another limit, which needs a warning of its own.
  if (used < warningFrom(limit) || warnedOf === limit) return
  await tx.update(monthlyUsage).set({ warnedOf: limit }).where(isThisMonths(workspaceId, what))
  await notifyOwners(tx, workspaceId, 'usage_high', { limited: what, used, limit, reason: limitText(plan, what) })
}

/** The refusal if a plan's limit is exceeded. Names the limit and the plan that raises it. */
export function beyondPlan(
  { plan, used, left = 0 }: Pick<Allowance, 'plan' | 'used'> & { left?: number },
  what: Limited,
): Refusal {
  const room = left > 0 && what === 'dms' ? `${formatCount(left, 'DM is', 'DMs are')} left this month. ` : ''
  return new Refusal('PLAN_LIMIT', `${room}${limitText(plan, what)}`, {
    details: { limit: limitOf(plan, what), used, plan },
  })
}

/** @throws Refusal PLAN_LIMIT */
export async function requireAdvancedAnalytics(db: Db, workspaceId: string): Promise<void> {
  const plan = await planOf(db, workspaceId)
  if (!hasAdvancedAnalytics(plan)) throw notInPlan(plan, ADVANCED_ANALYTICS_TEXT)
}

/** A Refusal if the workspace may not use "Advanced filtering" or "Custom filtering rules"; else null. */
export async function findFilterLimit(
  db: Db,
  workspaceId: string,
  used: { fields: boolean; rules: boolean },
): Promise<Refusal | null> {
  if (!used.fields && !used.rules) return null
  const { plan, achievements } = await factsOf(db, workspaceId)
  if (used.rules && !hasFilterRules(plan, achievements)) return notInPlan(plan, FILTER_RULES_TEXT)
  return used.fields && !hasAdvancedFilters(plan) ? notInPlan(plan, ADVANCED_FILTERS_TEXT) : null
}

/** @throws Refusal PLAN_LIMIT */
export async function requireApiAccess(db: Db, workspaceId: string): Promise<void> {
  const plan = await planOf(db, workspaceId)
  if (!hasApiAccess(plan)) throw notInPlan(plan, API_ACCESS_TEXT)
}

/** @throws Refusal PLAN_LIMIT */
export async function requireClientReports(db: Db, workspaceId: string): Promise<void> {
  const plan = await planOf(db, workspaceId)
  if (!hasClientReports(plan)) throw notInPlan(plan, CLIENT_REPORTS_TEXT)
}

function notInPlan(plan: PlanLevel, text: string): Refusal {
  return new Refusal('PLAN_LIMIT', text, { details: { limit: 0, used: 0, plan } })
}

/** A Refusal if the workspace is full; else null. Existing members stay after a downgrade. */
export async function findPeopleLimit(db: Db, workspaceId: string): Promise<Refusal | null> {
  const { plan, limit } = await limitOn(db, workspaceId, 'people')
  if (!Number.isFinite(limit)) return null
  const used = await db.$count(workspaceMembers, eq(workspaceMembers.workspaceId, workspaceId))
  return used < limit ? null : beyondPlan({ plan, used }, 'people')
}

/** Queues the end of deleted workspaces' subscriptions, and removes the buyers' addresses. */
export async function endSubscriptions(tx: Db, jobs: JobQueue, workspaceIds: readonly string[]): Promise<void> {
  if (workspaceIds.length === 0) return
  const rows = await tx
    .update(paidSubscriptions)
    .set({ email: null })
    .where(inArray(paidSubscriptions.workspaceId, [...workspaceIds]))
    .returning({ id: paidSubscriptions.id, endedAt: paidSubscriptions.endedAt })
  const running = rows.filter(({ endedAt }) => endedAt === null)
  await jobs.enqueueAll(
    tx,
    'payment-end',
    running.map(({ id }) => ({ subscriptionId: id })),
  )
}
