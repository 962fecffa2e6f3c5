import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { type Allowance, allowanceOf, beyondPlan, use } from '../neighbors.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leads } from '../tables/leads.ts'
import { dms, mayGoOut, wasTried } from '../tables/messages.ts'
import { suppressionReason } from '../tables/suppressions.ts'

/** SQL: the chosen leads `l` that may get a direct message. */
export function writable(workspaceId: string, chosen: SQL): SQL {
  return sql`from leads l where l.workspace_id = ${workspaceId} and l.id in (${chosen})
    and l.dm_status not in ('queued', 'sent', 'contacted')
    and not exists (
      select from dms d join campaigns c on c.id = d.campaign_id
      where d.lead_id = l.id
        and (d.outcome_unknown or d.lease_expires_at is not null
          or (d.status = 'queued' and ${mayGoOut(alias(dms, 'd'), alias(campaigns, 'c'))})))
    and ${suppressionReason(alias(leads, 'l'))} is null`
}

// The plan's quota

/*
 * Queueing a message spends one of the plan's DMs per month. Queued messages stay queued if the
 * plan changes. A message that leaves the queue permanently without an attempt is refunded.
 */

/**
 * Returns this month's remaining quota. The caller holds `lockQueueing`, so others can only refund.
 * @param writable a query with one row per message to queue @param limit queue at most this number
 * @throws Refusal PLAN_LIMIT
 */
export async function requireQuota(
  tx: Db,
  workspaceId: string,
  writable: SQL,
  limit = Number.POSITIVE_INFINITY,
): Promise<Allowance> {
  const allowance = await allowanceOf(tx, workspaceId, 'dms')
  if (!Number.isFinite(allowance.left)) return allowance
  const { rows } = await tx.execute<{ count: number }>(
    sql`select count(*)::int as count from (${writable} limit ${Math.min(limit, allowance.left + 1)}) few`,
  )
  if (one(rows).count > allowance.left) throw beyondPlan(allowance, 'dms')
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

/** Refunds messages that were queued this month and never tried. @param which SQL condition on dms */
export async function refund(tx: Db, which: SQL): Promise<void> {
  const { rows } = await tx.execute<{ workspaceId: string; count: number }>(sql`
    select workspace_id as "workspaceId", count(*)::int as count from dms
    where ${which} and not ${wasTried(dms)}
      and greatest(created_at, requeued_at) >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
    group by workspace_id`)
  for (const { workspaceId, count } of rows) await use(tx, workspaceId, 'dms', -count)
}
