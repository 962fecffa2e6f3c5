import type { InputOf } from '@x-automated/contract/contract'
import { NO_ID } from '@x-automated/contract/fields'
import type { WriterUsage } from '@x-automated/contract/outreach/writer'
import { sql } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { type BudgetLimits, type Cost, centsOf } from './prices.ts'

/** Who pays for a call, and on whose behalf it is made. */
export interface Payer {
  workspaceId: string
  /** Null if no member asked for the call. */
  userId: string | null
  payer: 'workspace' | 'operator'
}

/** The amount that was added to the month's usage before a call. */
export interface Reservation extends Payer {
  month: string
  tokens: number
  microcents: number
}

/** The member id of calls that no member asked for. */
const NOBODY = NO_ID

/** Adds a call's maximum to the month's usage if it fits the limits. @returns null if it does not fit */
export async function reserve(db: Db, by: Payer, limits: BudgetLimits, most: Cost): Promise<Reservation | null> {
  const microcents = most.microcents ?? 0
  const fits = (tokens: ReturnType<typeof sql>, cents: ReturnType<typeof sql>) => sql`
    (${limits.tokens}::bigint is null or ${tokens} <= ${limits.tokens}::bigint)
    and (${limits.cents}::float is null or ${cents} <= ${limits.cents}::float * 1000000)`
  const { rows } = await db.execute<{ month: string }>(sql`
    with total as (
      insert into writer_usage as u (workspace_id, month, payer, tokens, microcents)
      select ${by.workspaceId}::uuid, date_trunc('month', now() at time zone 'UTC')::date, ${by.payer},
        ${most.tokens}::bigint, ${microcents}::bigint
      where ${fits(sql`${most.tokens}::bigint`, sql`${microcents}::bigint`)}
      on conflict (workspace_id, month, payer) do update set
        tokens = u.tokens + excluded.tokens, microcents = u.microcents + excluded.microcents
      where ${fits(sql`u.tokens + excluded.tokens`, sql`u.microcents + excluded.microcents`)}
      returning month
    )
    insert into writer_member_usage as m (workspace_id, month, payer, user_id, tokens, microcents)
    select ${by.workspaceId}::uuid, month, ${by.payer}, ${by.userId ?? NOBODY}::uuid, ${most.tokens}::bigint,
      ${microcents}::bigint
    from total
    on conflict (workspace_id, month, payer, user_id) do update set
      tokens = m.tokens + excluded.tokens, microcents = m.microcents + excluded.microcents
    returning month::text`)
  const [row] = rows
  return row ? { ...by, month: row.month, tokens: most.tokens, microcents } : null
}

/** Replaces reserved amounts by what the calls actually used. Call it in the transaction that stores the output. */
export async function settle(db: Db, calls: readonly { reservation: Reservation; used: Cost }[]): Promise<void> {
  for (const { reservation, used } of calls) {
    const { workspaceId, month, payer, userId } = reservation
    const change = sql`tokens = greatest(0, tokens + ${used.tokens - reservation.tokens}::bigint),
      microcents = greatest(0, microcents + ${(used.microcents ?? 0) - reservation.microcents}::bigint)`
    const its = sql`workspace_id = ${workspaceId} and month = ${month}::date and payer = ${payer}`
    // Lock the row of the total first, as reserve() does. Another order would deadlock.
    await db.execute(sql`
      with total as (update writer_usage set ${change} where ${its} returning 1)
      update writer_member_usage set ${change} from total where ${its} and user_id = ${userId ?? NOBODY}`)
  }
}

/** The used part of this month's budget, and when it resets. */
export async function usedOf(db: Db, { workspaceId, payer }: Pick<Payer, 'workspaceId' | 'payer'>) {
  const { rows } = await db.execute<{ tokens: number; microcents: number; month: string }>(sql`
    select date_trunc('month', now() at time zone 'UTC')::date::text as month, coalesce(u.tokens, 0)::float as tokens,
      coalesce(u.microcents, 0)::float as microcents
    from (values (1)) one left join writer_usage u
      on u.workspace_id = ${workspaceId}
        and u.payer = ${payer}
        and u.month = date_trunc('month', now() at time zone 'UTC')::date`)
  const { tokens, microcents, month } = one(rows)
  return { tokens, microcents, resetsAt: monthAfter(month) }
}

/** The refusal of a call that does not fit the budget. */
export async function beyondBudget(db: Db, by: Pick<Payer, 'workspaceId' | 'payer'>, limits: BudgetLimits) {
  const { tokens, microcents, resetsAt } = await usedOf(db, by)
  return new Refusal('BUDGET_EXCEEDED', undefined, {
    details: {
      limitCents: limits.cents,
      limitTokens: limits.tokens,
      usedCents: centsOf(microcents),
      usedTokens: tokens,
      resetsAt: resetsAt.toISOString(),
    },
  })
}

/** The usage of a month. For callers below admin, `members` has only their own row. */
export async function usage(
  db: Db,
  { workspaceId, userId, role }: Actor,
  { month }: InputOf<'writer', 'usage'>,
  { limits, payer }: { limits: BudgetLimits; payer: Payer['payer'] },
): Promise<Omit<WriterUsage, 'resetsAt'> & { resetsAt: Date }> {
  const current = new Date().toISOString().slice(0, 7)
  const requestedMonth = month ?? current
  const first = `${requestedMonth}-01`
  // The limits belong to the key in use, so what the other payer paid this month is left out.
  const paid = requestedMonth === current ? sql`and payer = ${payer}` : sql``
  const { rows: totals } = await db.execute<{ tokens: number; microcents: number }>(sql`
    select coalesce(sum(tokens), 0)::float as tokens, coalesce(sum(microcents), 0)::float as microcents
    from writer_usage where workspace_id = ${workspaceId} and month = ${first}::date ${paid}`)
  const own = roleAllows(role, 'admin') ? sql`` : sql`and m.user_id = ${userId}`
  const { rows } = await db.execute<{ id: string; name: string; tokens: number; microcents: number }>(sql`
    select m.user_id as id,
      coalesce(u.name, case m.user_id when ${NOBODY} then 'Automatic' else 'Former member' end) as name,
      sum(m.tokens)::float as tokens, sum(m.microcents)::float as microcents
    from writer_member_usage m left join auth_users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.month = ${first}::date ${paid} ${own}
    group by 1, 2 order by 4 desc, 3 desc, 1`)
  const total = one(totals)
  return {
    month: requestedMonth,
    tokens: total.tokens,
    cents: centsOf(total.microcents),
    limitTokens: limits.tokens,
    limitCents: limits.cents,
    resetsAt: monthAfter(first),
    members: rows.map(({ microcents, ...member }) => ({ ...member, cents: centsOf(microcents) })),
  }
}

/** The start of the month after a month such as `2026-11-01`. */
function monthAfter(date: string): Date {
  const [year = 0, month = 1] = date.split('-').map(Number)
  return new Date(Date.UTC(year, month, 1))
}
