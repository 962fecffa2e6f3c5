import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { type Allowance, allowanceOf, beyondPlan, use } from '../billing/service.ts'
import { wasTried } from './tables.ts'

/*
 * A plan's DMs a month are spent where messages are queued. What is queued stays queued whatever becomes of the plan; what is taken out of the queue for good,
 * and was never tried, is given back.
 */

/**
 * What is left of this month; refuses before anything is locked or written, however many leads were chosen.
 * Whoever queues holds the workspace's queueing alone (service-locks.ts): meanwhile others only give back. So the count itself is locked last of all, by `spend`.
 * @param writable a query with one row for each message that would be queued
 * @throws Refusal PLAN_LIMIT
 */
export async function requireRoom(tx: Db, workspaceId: string, writable: SQL): Promise<Allowance> {
  const allowance = await allowanceOf(tx, workspaceId, 'dms')
  if (!Number.isFinite(allowance.left)) return allowance
  const { rows } = await tx.execute<{ count: number }>(
    sql`select count(*)::int as count from (${writable} limit ${allowance.left + 1}) few`,
  )
  if ((rows[0]?.count ?? 0) > allowance.left) throw beyondPlan(allowance, 'dms')
  return allowance
}

/** Spends what was queued. @throws Refusal PLAN_LIMIT: more than was left may be written to by now */
export async function spend(tx: Db, workspaceId: string, allowance: Allowance, count: number): Promise<void> {
  if (count > allowance.left) throw beyondPlan(allowance, 'dms')
  if (count > 0) await use(tx, workspaceId, 'dms', count)
}

/** Gives back those of some messages that were queued this month and never tried. @param which over a message `d` and its campaign `c` */
export async function refund(tx: Db, which: SQL): Promise<void> {
  const { rows } = await tx.execute<{ workspaceId: string; count: number }>(sql`
    select d.workspace_id as "workspaceId", count(*)::int as count from dms d join campaigns c on c.id = d.campaign_id
    where ${which} and not ${wasTried}
      and greatest(d.created_at, d.requeued_at) >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
    group by d.workspace_id`)
  for (const { workspaceId, count } of rows) await use(tx, workspaceId, 'dms', -count)
}
