import type { Limited, PlanLevel } from '@x-automated/contract/plans'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import { Refusal } from '../../refusal.ts'
import { notifyOwners } from '../notifications/service.ts'
import { rewardGrants } from '../waitlist/tables.ts'
import { workspaceMembers } from '../workspaces/tables.ts'
import { type Interval, limitOf, limitWords, paidUntil, planAt, statusOf, warningFrom } from './rules.ts'
import { monthlyUsage, paidSubscriptions, subscriptions } from './tables.ts'

/** What plans limit by the month, by the name that its count has in the table. */
const KINDS = { scrapedLeads: 'scraped_leads', dms: 'dms' } as const
export type LimitedByMonth = keyof typeof KINDS

const thisMonth = sql<string>`date_trunc('month', now() at time zone 'UTC')::date`

/** Everything that a workspace's plan follows from. */
export async function factsOf(db: Db, workspaceId: string) {
  // One after the other: inside a transaction there is one connection.
  const [subscription] = await db.select().from(subscriptions).where(eq(subscriptions.workspaceId, workspaceId))
  const grants = await db
    .select({ achievement: rewardGrants.achievement, months: rewardGrants.months, grantedAt: rewardGrants.grantedAt })
    .from(rewardGrants)
    .innerJoin(workspaceMembers, eq(workspaceMembers.userId, rewardGrants.accountUserId))
    .where(and(eq(workspaceMembers.workspaceId, workspaceId), eq(workspaceMembers.role, 'owner')))
  const paid = grants.length > 0 ? await paidTimes(db, workspaceId) : []
  if (subscription && !subscription.paidId)
    paid.push({ from: subscription.createdAt, to: paidUntil(subscription, new Date()) })
  return { subscription: subscription ?? null, grants, paid }
}

/** When a workspace had a subscription that was paid for. */
async function paidTimes(db: Db, workspaceId: string): Promise<Interval[]> {
  const rows = await db.select().from(paidSubscriptions).where(eq(paidSubscriptions.workspaceId, workspaceId))
  const now = new Date()
  return rows.flatMap((row) => {
    const status = statusOf(row.status)
    return status ? [{ from: row.startedAt, to: row.endedAt ?? paidUntil({ ...row, status }, now) }] : []
  })
}

/** The plan that a workspace has now: what it pays for, or what its owners earned by referrals. */
export async function planOf(db: Db, workspaceId: string): Promise<PlanLevel> {
  return planAt(await factsOf(db, workspaceId), new Date())
}

/** What a workspace's plan allows of something; Infinity where it does not limit it. */
export async function limitOn(db: Db, workspaceId: string, what: Limited): Promise<{ plan: PlanLevel; limit: number }> {
  const plan = await planOf(db, workspaceId)
  return { plan, limit: limitOf(plan, what) }
}

/** How much of something a workspace may have and has. `left` is Infinity where its plan does not limit it. */
export interface Allowance {
  plan: PlanLevel
  used: number
  left: number
}

/** What is left of a monthly limit. @param lock keep others of the workspace from using it until the transaction ends */
export async function allowanceOf(
  db: Db,
  workspaceId: string,
  what: LimitedByMonth,
  { lock = false } = {},
): Promise<Allowance> {
  const { plan, limit } = await limitOn(db, workspaceId, what)
  // Only a row that is there can be locked.
  const isLocked = lock && Number.isFinite(limit)
  const used = isLocked ? await use(db, workspaceId, what, 0) : await usedOf(db, workspaceId, what)
  return { plan, used, left: Math.max(0, limit - used) }
}

/** How much of it was used this month. */
export async function usedOf(db: Db, workspaceId: string, what: LimitedByMonth): Promise<number> {
  const [row] = await db
    .select({ count: monthlyUsage.count })
    .from(monthlyUsage)
    .where(
      and(
        eq(monthlyUsage.workspaceId, workspaceId),
        eq(monthlyUsage.kind, KINDS[what]),
        eq(monthlyUsage.month, thisMonth),
      ),
    )
  return row?.count ?? 0
}

/**
 * Writes down that so many more were used this month, below zero that so many are given back (what was never counted in it cannot be). Others of the
 * workspace wait until the transaction ends. Owners are told once when it comes near to the limit.
 * @returns how much is used now
 */
export async function use(db: Db, workspaceId: string, what: LimitedByMonth, count: number): Promise<number> {
  const [row] = await db
    .insert(monthlyUsage)
    .values({ workspaceId, kind: KINDS[what], month: thisMonth, count: Math.max(0, count) })
    .onConflictDoUpdate({
      target: [monthlyUsage.workspaceId, monthlyUsage.kind, monthlyUsage.month],
      set: { count: sql`greatest(0, ${monthlyUsage.count} + ${count}::int)` },
    })
    .returning({ used: monthlyUsage.count, warnedOf: monthlyUsage.warnedOf })
  if (row && count > 0) await warn(db, workspaceId, what, row)
  return row?.used ?? 0
}

async function warn(
  tx: Db,
  workspaceId: string,
  what: LimitedByMonth,
  { used, warnedOf }: { used: number; warnedOf: number | null },
): Promise<void> {
  const { plan, limit } = await limitOn(tx, workspaceId, what)
  // Another plan has another limit, of which nobody was warned yet.
  if (used < warningFrom(limit) || warnedOf === limit) return
  await tx
    .update(monthlyUsage)
    .set({ warnedOf: limit })
    .where(
      and(
        eq(monthlyUsage.workspaceId, workspaceId),
        eq(monthlyUsage.kind, KINDS[what]),
        eq(monthlyUsage.month, thisMonth),
      ),
    )
  await notifyOwners(tx, workspaceId, 'usage_high', { limited: what, used, limit, reason: limitWords(plan, what) })
}

function roomWords(left: number): string {
  return left === 1 ? '1 DM is' : `${left.toLocaleString('en-US')} DMs are`
}

/** The refusal of what goes beyond a plan: its words name the limit and the plan that lifts it. */
export function beyondPlan(
  { plan, used, left = 0 }: Pick<Allowance, 'plan' | 'used'> & { left?: number },
  what: Limited,
): Refusal {
  const room = left > 0 && what === 'dms' ? `${roomWords(left)} left this month. ` : ''
  return new Refusal('PLAN_LIMIT', `${room}${limitWords(plan, what)}`, {
    details: { limit: limitOf(plan, what), used, plan },
  })
}

/**
 * Has what workspaces pay for ended at the provider, by the queue: part of the transaction that deletes them.
 * Whose it was is forgotten here.
 */
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
