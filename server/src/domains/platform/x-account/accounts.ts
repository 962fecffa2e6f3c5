import { and, eq, ne, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { beyondPlan, limitOn } from '../billing/plan.ts'
import { xAccounts } from './tables.ts'

/** SQL for a `chosen_at` later than all others, which makes an account the current one. */
export function chosenNow(workspaceId: string) {
  return sql`
    greatest(
      clock_timestamp(), (select max(chosen_at) from x_accounts where workspace_id = ${workspaceId}) + interval '1 ms'
    )`
}

/**
 * Checks that the plan allows another account; lost and disconnected ones do not count. @param
 * xUserId the account to connect; null: any new one @throws Refusal PLAN_LIMIT
 */
export async function requireRoom(db: Db, workspaceId: string, xUserId: string | null): Promise<void> {
  const { plan, limit } = await limitOn(db, workspaceId, 'xAccounts')
  const used = await db.$count(
    xAccounts,
    and(
      eq(xAccounts.workspaceId, workspaceId),
      eq(xAccounts.status, 'connected'),
      ...(xUserId === null ? [] : [ne(xAccounts.xUserId, xUserId)]),
    ),
  )
  if (used >= limit) throw beyondPlan({ plan, used }, 'xAccounts')
}

/** Serializes connecting accounts, so that two cannot take the plan's last slot. */
export async function lockAccounts(db: Db, workspaceId: string): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended('x accounts:' || ${workspaceId}::text, 0))`)
}
