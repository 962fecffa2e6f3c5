import type { InputOf } from '@x-automated/contract/contract'
import { sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { findAccount, type XAccount } from '../../../core/messages/accounts.ts'
import { findSendingState, type SendingEnv, warmUpOf } from '../../../core/messages/sending-state.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { detection } from '../../outreach/replies/detection.ts'
import { windowOf } from '../../outreach/sending-settings/settings.ts'
import { centsOf } from '../../platform/x-costs/rules.ts'
import { thisMonth } from '../../platform/x-costs/tables.ts'
import { findToday, sentIn } from '../analytics/analytics.ts'
import { dayAfter, everyDay } from '../analytics/rules.ts'

/** The figures of an X account by day, its limits and its costs. @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function find(
  { db, env }: { db: Db; env: SendingEnv },
  actor: Actor,
  { id, days }: InputOf<'accountHealth', 'find'>,
) {
  const account = await findAccount(db, actor.workspaceId, id)
  const state = await findSendingState(db, env, { workspaceId: actor.workspaceId, account })
  const window = windowOf(state.accountLimits)
  const [series, { state: detected }, costs] = await Promise.all([
    findSeries(db, actor, account, days, window.timeZone),
    detection(db, actor, account.id),
    findCosts(db, actor, account),
  ])
  const warmUp = warmUpOf(env, state)
  const sumOf = (figure: 'sent' | 'refused' | 'optedOut') => series.reduce((sum, day) => sum + day[figure], 0)
  return {
    sent: sumOf('sent'),
    refused: sumOf('refused'),
    optedOut: sumOf('optedOut'),
    warmUpDay: warmUp?.day ?? null,
    warmUp,
    capNow: state.cap.cap,
    window,
    detection: detected,
    ...costs,
    series,
  }
}

type Day = { day: string; sent: number; refused: number; optedOut: number }

async function findSeries(db: Db, { workspaceId }: Actor, account: XAccount, count: number, timeZone: string) {
  const to = await findToday(db, timeZone)
  const from = dayAfter(to, 1 - count)
  const { rows } = await db.execute<Day>(sql`
    select (slot at time zone ${timeZone})::date::text as day, sum(sent)::int as sent,
      sum(failed - skipped)::int as refused, sum(opted_out)::int as "optedOut"
    from dm_activity
    where workspace_id = ${workspaceId} and x_account_id = ${account.id} and ${sentIn({ from, to }, timeZone)}
    group by 1`)
  return everyDay({ from, to }, rows, { sent: 0, refused: 0, optedOut: 0 })
}

/**
 * X's charges for the account this month: those so far, and those expected by its end at the pace of
 * the last seven days.
 */
async function findCosts(db: Db, { workspaceId }: Actor, account: XAccount) {
  const { rows } = await db.execute<{ spent: number; lately: number; daysLately: number; daysLeft: number }>(sql`
    select coalesce(sum(mills) filter (where day >= ${thisMonth}), 0)::float as spent,
      coalesce(sum(mills) filter (where day > today - days), 0)::float as lately,
      days as "daysLately", (${thisMonth} + interval '1 month')::date - today - 1 as "daysLeft"
    from (
      select today, least(7, today - (${account.createdAt.toISOString()}::timestamptz at time zone 'UTC')::date + 1) as days
      from (select (now() at time zone 'UTC')::date as today) clock
    ) clock
    left join x_charges on workspace_id = ${workspaceId} and x_account_id = ${account.id}
      and day >= least(${thisMonth}, today - 6)
    group by today, days`)
  const { spent, lately, daysLately, daysLeft } = one(rows)
  const expected = spent + (lately / daysLately) * daysLeft
  return { spentCents: Math.round(centsOf(spent)), expectedCents: Math.round(centsOf(expected)) }
}
