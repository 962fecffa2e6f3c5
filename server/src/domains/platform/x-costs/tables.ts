import { X_PURPOSES } from '@x-automated/contract/platform/x-costs'
import { type SQL, sql } from 'drizzle-orm'
import { bigint, date, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'
import type { xAccounts } from '../x-account/tables.ts'

/**
 * X's charges, by UTC day. No foreign key to accounts, because inserts would wait for claims,
 * which lock the account's row.
 */
export const xCharges = pgTable(
  'x_charges',
  {
    workspaceId: workspaceId(),
    day: date('day').notNull(),
    xAccountId: uuid('x_account_id').notNull(),
    purpose: text('purpose', { enum: X_PURPOSES }).notNull(),
    /** A key of X_PRICES. */
    resource: text('resource').notNull(),
    count: integer('count').notNull(),
    /** Thousandths of a dollar, by the price at that time; null: X publishes no price. */
    mills: integer('mills'),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.day, t.xAccountId, t.purpose, t.resource] })],
)

/**
 * The items that X has charged an app for on a UTC day. X does not charge for the same item again that day.
 * Kept for two days.
 */
export const xBilledResources = pgTable(
  'x_billed_resources',
  {
    day: date('day').notNull(),
    xAppId: uuid('x_app_id').notNull(),
    resource: text('resource').notNull(),
    /** X's id of the item. */
    xId: text('x_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.xAppId, t.resource, t.xId] })],
)

/** The monthly spending limit of workspaces that have set one. */
export const xSpending = pgTable('x_spending', {
  workspaceId: workspaceId().primaryKey(),
  /** Null: there is no longer a limit. */
  limitCents: integer('limit_cents'),
  /** The UTC month of `mills` and `reservedMills`. If it is in the past, the current month has no charges. */
  month: date('month').notNull(),
  /** The month's charges in thousandths of a dollar, including messages that are being sent. */
  mills: bigint('mills', { mode: 'number' }).notNull(),
  /** The most that other running calls may cost. It is released within seconds, unless a process is killed. */
  reservedMills: bigint('reserved_mills', { mode: 'number' }).notNull().default(0),
  /** The month for which owners were notified that 80% of the limit is used. */
  warnedMonth: date('warned_month'),
  /** The month for which owners were notified that the limit is reached. */
  reachedMonth: date('reached_month'),
})

/** SQL: whether a workspace has a spending limit. */
export const isSpendingLimited = (workspaceId: SQL) =>
  sql<boolean>`exists (select from x_spending s where s.workspace_id = ${workspaceId} and s.limit_cents is not null)`

/** SQL: the first day of the current UTC month. */
export const thisMonth = sql`date_trunc('month', now() at time zone 'UTC')::date`

/** SQL over `x_spending s`: the charges of the current month. */
export const spentMills = sql`(case when s.month = ${thisMonth} then s.mills else 0 end)`
/** SQL over `x_spending s`: the possible cost of running calls. */
export const reservedMills = sql`(case when s.month = ${thisMonth} then s.reserved_mills else 0 end)`

/**
 * SQL over an X account's alias: the time until which it sends nothing, because its app has no
 * credits or another message would exceed the workspace's spending limit; null: it may send. @param
 * messageMills what X charges for a message
 */
export function fundsUntil(account: AliasOf<typeof xAccounts>, messageMills: number): SQL<string | null> {
  return sql`greatest((
      select greatest(app.funds_try_at, now()) + ${RESUMED_WITHIN}
      from x_apps app
      where app.id = ${account.xAppId} and app.funds_empty_since is not null
    ), (
      select case
        when ${spentMills} + ${messageMills}::int > s.limit_cents * 10
        then (${thisMonth} + interval '1 month') at time zone 'UTC'
        else now() + make_interval(secs => ${RETURNED_WITHIN_SECONDS}) end
      from x_spending s where s.workspace_id = ${account.workspaceId} and ${messageMills}::int > 0
        and ${spentMills} + ${reservedMills} + ${messageMills}::int > s.limit_cents * 10
    ))`
}

/** A successful try makes everything due. This only bounds how late a missed wake-up is noticed. */
const RESUMED_WITHIN = sql`interval '1 minute'`
/** Within this time, reserved amounts that running calls did not use can be spent again. */
export const RETURNED_WITHIN_SECONDS = 60
