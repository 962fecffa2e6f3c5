import type { InputOf } from '@x-automated/contract/contract'
import { X_PURPOSES, type XPurpose } from '@x-automated/contract/platform/x-costs'
import { sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { parseTime } from '../../../db/parse-time.ts'
import { Refusal } from '../../../refusal.ts'
import type { Services } from '../../../services.ts'
import { OPERATOR_APP_ID } from '../x-apps/tables.ts'
import { findSpending, storeLimit } from './limit.ts'
import { centsOf, fundsText, limitText } from './rules.ts'
import { thisMonth } from './tables.ts'

/** X's charges for a month, by account and purpose. */
export async function find(db: Db, { workspaceId }: Actor, { month }: InputOf<'xCosts', 'find'>) {
  const first = month ? sql`${`${month}-01`}::date` : sql`date_trunc('month', now() at time zone 'UTC')::date`
  const [{ rows }, funds, spending] = await Promise.all([
    db.execute<{ xAccountId: string; purpose: XPurpose; count: number; mills: number | null }>(sql`
      select x_account_id as "xAccountId", purpose, sum(count)::int as count, sum(mills)::float as mills from x_charges
      where workspace_id = ${workspaceId} and day >= ${first} and day < ${first} + interval '1 month'
      group by x_account_id, purpose, mills is null
      order by x_account_id, array_position(${sql.param([...X_PURPOSES])}::text[], purpose), mills is null`),
    findFunds(db, workspaceId),
    findSpending(db, workspaceId),
  ])
  const accounts = [...Map.groupBy(rows, ({ xAccountId }) => xAccountId)].map(([xAccountId, charges]) => ({
    xAccountId,
    cents: centsOf(sumOf(charges)),
    byPurpose: charges.map(({ purpose, count, mills }) => ({
      purpose,
      count,
      cents: mills === null ? null : centsOf(mills),
    })),
  }))
  return {
    totalCents: centsOf(sumOf(rows)),
    limitCents: spending?.limitCents ?? null,
    funds: funds ? ('empty' as const) : ('ok' as const),
    fundsSince: funds?.since ?? null,
    accounts,
  }
}

const sumOf = (charges: readonly { mills: number | null }[]) =>
  charges.reduce((sum, { mills }) => sum + (mills ?? 0), 0)

/**
 * The time since which an X app of the workspace's accounts has had no credits, and the time of the
 * next try; null: all apps have credits.
 */
export async function findFunds(
  db: Db,
  workspaceId: string,
): Promise<{ since: Date; tryAt: Date; isOwnApp: boolean } | null> {
  const { rows } = await db.execute<{ since: string; tryAt: string; isOwnApp: boolean }>(sql`
    select app.funds_empty_since as since, app.funds_try_at as "tryAt", app.workspace_id is not null as "isOwnApp"
    from x_apps app
    where app.funds_empty_since is not null and exists (
      select
      from x_accounts a
      where a.x_app_id = app.id and a.workspace_id = ${workspaceId} and a.status <> 'disconnected')
    order by app.funds_empty_since limit 1`)
  const [row] = rows
  const since = parseTime(row?.since ?? null)
  return row && since ? { since, tryAt: parseTime(row.tryAt) ?? since, isOwnApp: row.isOwnApp } : null
}

/** Whether the operator's app has credits, and what X charges for it this month, over all workspaces. */
export async function findCredits(db: Db) {
  const { rows } = await db.execute<{
    mills: number
    since: string | null
    tryAt: string | null
    ownAppsWithout: number
  }>(sql`
    select app.funds_empty_since as since,
      case when app.funds_empty_since is not null then app.funds_try_at end as "tryAt",
      (
        select count(*)::int from x_apps own where own.workspace_id is not null and own.funds_empty_since is not null
      ) as "ownAppsWithout",
      (select coalesce(sum(c.mills), 0)::float from x_accounts a join x_charges c on c.workspace_id = a.workspace_id and c.x_account_id = a.id
        where a.x_app_id = app.id and c.day >= ${thisMonth}) as mills
    from x_apps app where app.id = ${OPERATOR_APP_ID}`)
  const { mills, since, tryAt, ownAppsWithout } = one(rows)
  return { totalCents: centsOf(mills), fundsSince: parseTime(since), triedAt: parseTime(tryAt), ownAppsWithout }
}

/** The refusal of a message that a member sends by hand while X cannot be paid. */
export async function fundsRefusal(db: Db, workspaceId: string): Promise<Refusal> {
  const funds = await findFunds(db, workspaceId)
  if (funds) return new Refusal('X_FUNDS', fundsText(funds.isOwnApp))
  const spending = await findSpending(db, workspaceId)
  return new Refusal('X_FUNDS', spending ? limitText(spending.limitCents) : undefined)
}

/** Sets or removes the monthly limit. Work that waited because of it continues. */
export async function saveLimit(
  { db, xWork }: Pick<Services, 'xWork'> & { db: Db },
  { workspaceId }: Actor,
  { limitCents }: InputOf<'xCosts', 'saveLimit'>,
) {
  await db.transaction(async (tx) => {
    await storeLimit(tx, workspaceId, limitCents)
    await xWork.resume(tx, workspaceId)
  })
  return { limitCents }
}

/** Deletes charges after 400 days, and records of charged items older than yesterday. */
export async function purgeCharges(db: Db): Promise<void> {
  await db.execute(sql`delete from x_charges where day < (now() at time zone 'UTC')::date - ${KEEP_DAYS}::int`)
  await db.execute(sql`delete from x_billed_resources where day < (now() at time zone 'UTC')::date - 1`)
}

const KEEP_DAYS = 400
