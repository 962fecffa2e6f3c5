import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { type Allowance, allowanceOf, beyondPlan, use } from '../../platform/billing/service.ts'
import { wasTried } from './tables.ts'

/*
 * Queueing a message spends one of the plan's DMs per month. Queued messages stay queued if the
 * plan changes. A message that leaves the queue for good without an attempt is refunded.
 */

/**
 * Returns this month's remaining quota. The caller holds `lockQueueing`, so others can only refund.
 * @param writable a query with one row per message to queue @throws Refusal PLAN_LIMIT
 */
export async function requireQuota(tx: Db, workspaceId: string, writable: SQL): Promise<Allowance> {
  const allowance = await allowanceOf(tx, workspaceId, 'dms')
  if (!Number.isFinite(allowance.left)) return allowance
  const { rows } = await tx.execute<{ count: number }>(
    sql`select count(*)::int as count from (${writable} limit ${allowance.left + 1}) few`,
  )
  if ((rows[0]?.count ?? 0) > allowance.left) throw beyondPlan(allowance, 'dms')
  return allowance
}

/**
 * Spends quota for the queued messages.
 * @throws Refusal PLAN_LIMIT: more leads became eligible since `requireQuota`
 */
export async function spend(tx: Db, workspaceId: string, allowance: Allowance, count: number): Promise<void> {
  if (count > allowance.left) throw beyondPlan(allowance, 'dms')
  if (count > 0) await use(tx, workspaceId, 'dms', count)
}

/**
 * Refunds messages that were queued this month and never tried. @param which SQL over a message `d`
 * and its campaign `c`
 */
export async function refund(tx: Db, which: SQL): Promise<void> {
  const { rows } = await tx.execute<{ workspaceId: string; count: number }>(sql`
    select d.workspace_id as "workspaceId", count(*)::int as count from dms d join campaigns c on c.id = d.campaign_id
    where ${which} and not ${wasTried}
      and greatest(d.created_at, d.requeued_at) >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
    group by d.workspace_id`)
  for (const { workspaceId, count } of rows) await use(tx, workspaceId, 'dms', -count)
}
