import { sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { notifyOwners } from '../notifications/notifications.ts'
import { centsOf, spendingState } from './rules.ts'
import { spentMills, thisMonth } from './tables.ts'

/** A workspace's spending this month, and whether its owners were notified. */
export interface Spending {
  limitCents: number
  /** Charges, without the possible cost of running calls. */
  mills: number
  isWarned: boolean
  isReachedKnown: boolean
  /** When the next month starts. */
  resetsAt: string
}

/** SQL columns of a `Spending`, over a row `s` of x_spending with a limit. */
export const spendingColumns = sql`s.limit_cents as "limitCents", (${spentMills})::float as mills,
  s.warned_month is not distinct from ${thisMonth} as "isWarned",
  s.reached_month is not distinct from ${thisMonth} as "isReachedKnown",
  (${thisMonth} + interval '1 month') at time zone 'UTC' as "resetsAt"`

/** A workspace's spending; null: it has no spending limit. */
export async function findSpending(db: Db, workspaceId: string): Promise<Spending | null> {
  const { rows } = await db.execute<Spending & Record<string, unknown>>(
    sql`select ${spendingColumns} from x_spending s where workspace_id = ${workspaceId} and limit_cents is not null`,
  )
  return rows[0] ?? null
}

/** A workspace's spending, if it is near its limit or has reached it; null: it is not near, or there is no limit. */
export async function findNearSpending(db: Db, workspaceId: string, messageMills: number) {
  const spending = await findSpending(db, workspaceId)
  const state = spending ? spendingState(spending, messageMills) : 'ok'
  if (!spending || state === 'ok') return null
  return {
    spentCents: centsOf(spending.mills),
    limitCents: spending.limitCents,
    isReached: state === 'reached',
    resetsAt: new Date(spending.resetsAt).toISOString(),
  }
}

/**
 * Notifies a workspace's owners once a month when the limit is near, and once when it is reached.
 * @param messageMills what X charges for a message
 */
export async function notifySpending(
  db: Db,
  workspaceId: string,
  spending: Spending,
  messageMills: number,
): Promise<void> {
  const { limitCents, mills, isWarned, isReachedKnown, resetsAt } = spending
  const state = spendingState(spending, messageMills)
  const isReached = state === 'reached'
  if (state === 'ok' || (isReached ? isReachedKnown : isWarned)) return
  await db.transaction(async (tx) => {
    const { rowCount } = await tx.execute(sql`
      update x_spending
      set warned_month = ${thisMonth},
        reached_month = case when ${isReached}::boolean then ${thisMonth} else reached_month end
      where workspace_id = ${workspaceId} and limit_cents = ${limitCents}
        and ${isReached ? sql`reached_month` : sql`warned_month`} is distinct from ${thisMonth}`)
    if (!rowCount) return
    const facts = { spentCents: centsOf(mills), limitCents, isReached, until: new Date(resetsAt).toISOString() }
    await notifyOwners(tx, workspaceId, 'spending', facts)
  })
}

/** Sets or removes the monthly limit. This month's earlier charges count. */
export async function storeLimit(tx: Db, workspaceId: string, limitCents: number | null): Promise<void> {
  const charged = sql`
    (select coalesce(sum(mills), 0) from x_charges where workspace_id = ${workspaceId} and day >= ${thisMonth})`
  await tx.execute(sql`
    insert into x_spending as s (workspace_id, limit_cents, month, mills)
    values (${workspaceId}, ${limitCents}, ${thisMonth}, ${charged})
    on conflict (workspace_id) do update set limit_cents = excluded.limit_cents, warned_month = null,
      reached_month = null, month = excluded.month,
      -- If there was a limit before, running calls are counted, too.
      mills = case when s.limit_cents is not null and s.month = excluded.month then s.mills else excluded.mills end,
      reserved_mills = case when s.limit_cents is not null and s.month = excluded.month then s.reserved_mills else 0 end`)
}
