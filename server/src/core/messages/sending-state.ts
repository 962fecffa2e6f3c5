import { DEFAULT_PROTECTION, type Protection } from '@x-automated/contract/outreach/sending-settings'
import { DAY_MS } from '@x-automated/contract/time'
import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../db/columns.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { parseTime } from '../../db/parse-time.ts'
import { type sendingLimits, sendingSettings } from '../../domains/outreach/sending-settings/tables.ts'
import { unreadSince, xAccounts } from '../../domains/platform/x-account/tables.ts'
import { fundsUntil } from '../../domains/platform/x-costs/tables.ts'
import type { Env } from '../../env.ts'
import { findAppDay, shareOf } from './app-day.ts'
import {
  type AccountLimits,
  type Cap,
  type Cooldown,
  capAt,
  cooldownOf,
  defaultLimits,
  EVERY_DAY,
  latest,
  type ProductLimits,
  type SentBefore,
  secondsFor,
  unreadCooldown,
  withShare,
} from './limits.ts'

/** Product-wide limits from the environment. */
export type SendingEnv = Pick<Env, 'sendIntervalSeconds' | 'dailyDmCap' | 'isRealX' | 'messageMills' | 'x'>

/** A row of sending_limits as JSON. */
export interface LimitsRow {
  time_zone: string
  work_days: number[]
  start_minute: number | null
  end_minute: number | null
  daily_cap: number | null
  warm_up: boolean
  warm_up_since: string | null
  pause_seconds: number | null
}

/** The owner of limits: an account, or the extension if no account is known. */
interface LimitsScope {
  workspaceId: string
  account: { id: string; xUserId: string } | null
}

/** The stored limits, or the defaults. */
export function parseLimits(row: LimitsRow | null, { isRealX }: SendingEnv): AccountLimits {
  if (!row) return defaultLimits(isRealX)
  return {
    timeZone: row.time_zone,
    workDays: row.work_days,
    startMinute: row.start_minute,
    endMinute: row.end_minute,
    dailyCap: row.daily_cap,
    warmUp: row.warm_up,
    warmUpSince: row.warm_up_since ? new Date(row.warm_up_since) : null,
    pauseSeconds: row.pause_seconds,
  }
}

/** The limits without their sending window. */
export function allDay(limits: AccountLimits): AccountLimits {
  return { ...limits, workDays: EVERY_DAY, startMinute: null, endMinute: null }
}

/** The limits without a sending window, warm-up and own daily cap, so the product's daily cap applies. */
export function capOnly(limits: AccountLimits): AccountLimits {
  return { ...allDay(limits), dailyCap: null, warmUp: false }
}

/** The limits of an account, or of the extension if no account is known. */
export async function findLimits(
  db: Db,
  env: SendingEnv,
  workspaceId: string,
  accountId: string | null,
): Promise<AccountLimits> {
  const { rows } = await db.execute<{ row: LimitsRow }>(sql`
    select to_jsonb(p) as row from sending_limits p
    where workspace_id = ${workspaceId} and x_account_id is not distinct from ${accountId}::uuid`)
  return parseLimits(rows[0]?.row ?? null, env)
}

/** Condition on dms: messages that count toward the limits of an X account, in all its workspaces. */
export function claimsOf({ workspaceId, account }: LimitsScope): SQL {
  return account
    ? sql`x_account_id = any(array(select id from x_accounts where x_user_id = ${account.xUserId}))`
    : sql`x_account_id is null and workspace_id = ${workspaceId}`
}

/**
 * SQL: the claim whose expiry makes room if the cap of the last 24 hours is reached; else no row.
 * Claims count, not outcomes, because a claimed message may have been sent.
 */
export function claimThatLeavesTheDay(claims: SQL, cap: number): SQL {
  return sql`select claimed_at from dms where ${claims} and claimed_at > now() - interval '1 day'
    order by claimed_at desc offset ${Math.max(0, cap - 1)} limit 1`
}

/** How many recent claims are checked: messages can be handed over in another order than they were claimed. */
const CLAIMS_CHECKED = 5

/**
 * SQL: when a message was last claimed or handed over. The interval starts at that time. No
 * interval is longer than a day, so older claims are not read.
 */
export function lastHandOver(claims: SQL): SQL {
  return sql`select max(greatest(claimed_at, handed_over_at)) from (
    select claimed_at, handed_over_at from dms where ${claims} and claimed_at > now() - interval '2 days'
    order by claimed_at desc limit ${CLAIMS_CHECKED}) latest`
}

/**
 * SQL over the aliases of an X account and its limits: when the account first claimed a message in
 * any workspace, which began its warm-up.
 */
export function firstOfWarmUp(
  account: AliasOf<typeof xAccounts>,
  limits: AliasOf<typeof sendingLimits>,
  { isRealX }: SendingEnv,
): SQL {
  return sql`select min(f.claimed_at) from x_accounts s cross join lateral (
      select claimed_at
      from dms
      where x_account_id = s.id and claimed_at >= coalesce(${limits.warmUpSince}, '-infinity')
      order by claimed_at
      limit 1
    ) f where s.x_user_id = ${account.xUserId} and coalesce(${limits.warmUp}, ${isRealX}::boolean)`
}

/** The current cap. `firstAt`: when the first message of the warm-up was claimed; null: none yet, or no warm-up. */
export async function capOf(
  db: Db,
  env: SendingEnv,
  accountLimits: AccountLimits,
  { workspaceId, account }: LimitsScope,
): Promise<Cap & { firstAt: Date | null }> {
  if (!accountLimits.warmUp) return { ...capAt(accountLimits, env, null, new Date()), firstAt: null }
  const since = sql`coalesce(${accountLimits.warmUpSince?.toISOString() ?? null}::timestamptz, '-infinity')`
  const first = (whose: SQL) =>
    sql`select claimed_at from dms where ${whose} and claimed_at >= ${since} order by claimed_at limit 1`
  const { rows } = await db.execute<{ first: string | null; now: string }>(sql`
    select clock_timestamp() as now, ${
      account
        ? sql`(
          select min(f.claimed_at)
          from x_accounts s
          cross join lateral (${first(sql`x_account_id = s.id`)}) f
          where s.x_user_id = ${account.xUserId}
        )`
        : sql`(${first(claimsOf({ workspaceId, account }))})`
    } as first`)
  const row = one(rows)
  const firstAt = parseTime(row.first)
  return { ...capAt(accountLimits, env, firstAt, new Date(row.now)), firstAt }
}

export interface SendingState {
  accountLimits: AccountLimits
  cap: Cap
  cooldown: Cooldown | null
  /** Messages sent in the last 24 hours. */
  sentInDay: number
  /**
   * The used part of the cap, as every screen shows it: all claimed messages, because X may count
   * those it refuses.
   */
  countedInDay: number
  before: SentBefore
  /** The product's limits. If the account's share of the X app is lower than its cap, the share replaces the cap. */
  limits: ProductLimits
  /** How many messages the X app's daily limit leaves the account now; null: the app has no daily limit. */
  appShare: number | null
  /** Read from the database's clock. */
  now: Date
}

interface StateQuery {
  workspaceId: string
  account: { id: string; xUserId: string; restsUntil: Date | null; xAppId: string } | null
  /** X's own limits and its bill apply only to its API, which is the default. */
  channel?: 'api' | 'extension'
}

/** The sending state of an account: its limits, its usage, and until when and why it must wait. */
export async function findSendingState(
  db: Db,
  env: SendingEnv,
  { workspaceId, account, channel = 'api' }: StateQuery,
): Promise<SendingState> {
  const accountLimits = await findLimits(db, env, workspaceId, account?.id ?? null)
  const { firstAt, ...cap } = await capOf(db, env, accountLimits, { workspaceId, account })
  const appDay = account && channel === 'api' ? await findAppDay(db, env, account.xAppId, account.id) : null
  const claims = claimsOf({ workspaceId, account })
  const { rows } = await db.execute<{
    now: string
    lastAt: string | null
    leavesAt: string | null
    sentInDay: number
    countedInDay: number
    isUnread: boolean
    fundsUntil: string | null
  }>(sql`
    select clock_timestamp() as now,
      exists (
        select from x_accounts a
        where a.id = ${account?.id ?? null}::uuid and ${unreadSince(alias(xAccounts, 'a'))} is not null
      ) as "isUnread",
      (
        select ${fundsUntil(alias(xAccounts, 'a'), env.messageMills)}
        from x_accounts a
        where a.id = ${account?.id ?? null}::uuid
      ) as "fundsUntil",
      (${lastHandOver(claims)}) as "lastAt",
      (${claimThatLeavesTheDay(claims, cap.cap)}) + interval '1 day' as "leavesAt",
      counted.*
    from (
      select count(*)::int as "countedInDay", (count(*) filter (where sent_at is not null))::int as "sentInDay"
      from dms where ${claims} and claimed_at > now() - interval '1 day'
    ) counted`)
  const row = one(rows)
  const now = new Date(row.now)
  const sent = {
    lastAt: parseTime(row.lastAt),
    leavesAt: parseTime(row.leavesAt),
    restsUntil: channel === 'api' ? (account?.restsUntil ?? null) : null,
    fundsUntil: channel === 'api' ? parseTime(row.fundsUntil) : null,
    appUntil: appDay?.until ?? null,
  }
  return {
    accountLimits,
    cap,
    cooldown: row.isUnread ? unreadCooldown(now) : cooldownOf(accountLimits, env, cap, sent, now),
    sentInDay: row.sentInDay,
    countedInDay: row.countedInDay,
    ...withShare(env, accountLimits, appDay && shareOf(appDay), {
      firstAt,
      lastAt: sent.lastAt,
      inDay: row.countedInDay,
      restsUntil: latest(sent.restsUntil, latest(sent.appUntil, sent.fundsUntil)),
    }),
    now,
  }
}

/** How many seconds the account needs for `messages`, from a known state; null: it never finishes. */
export function secondsToSendFrom(
  { accountLimits, limits, before, now }: SendingState,
  messages: number,
): number | null {
  return secondsFor(messages, accountLimits, limits, before, now)
}

/** How far the account's warm-up is; null: it is not warming up. */
export function warmUpOf(
  env: SendingEnv,
  { accountLimits, cap, before, now }: Pick<SendingState, 'accountLimits' | 'cap' | 'before' | 'now'>,
) {
  const fullCap = capAt({ ...accountLimits, warmUp: false }, env, null, now).cap
  if (!accountLimits.warmUp || cap.cap >= fullCap) return null
  // Without a message so far, the warm-up starts now at the earliest.
  const start = before.firstAt ?? now
  const day = Math.floor((now.getTime() - start.getTime()) / DAY_MS) + 1
  let fullAt = new Date(start.getTime() + day * DAY_MS)
  while (capAt(accountLimits, env, start, fullAt).cap < fullCap) fullAt = new Date(fullAt.getTime() + DAY_MS)
  return { day, capNow: cap.cap, fullCap, fullOn: fullAt.toISOString().slice(0, 10) }
}

/** Whether campaigns may only message leads with a contact basis. */
export async function isBasisRequired(db: Db, { isRealX }: SendingEnv, workspaceId: string): Promise<boolean> {
  const [row] = await db
    .select({ required: sendingSettings.basisRequired })
    .from(sendingSettings)
    .where(eq(sendingSettings.workspaceId, workspaceId))
  return row?.required ?? isRealX
}

/** The protection settings of a workspace, or the defaults. */
export async function findProtection(db: Db, workspaceId: string): Promise<Protection> {
  const [row] = await db.select().from(sendingSettings).where(eq(sendingSettings.workspaceId, workspaceId))
  return protectionOf(row)
}

/** The protection settings of a workspace's row. Without a row, or where it has null, the defaults. */
export function protectionOf(row: typeof sendingSettings.$inferSelect | undefined): Protection {
  return {
    refusalPercent: row?.refusalPercent ?? DEFAULT_PROTECTION.refusalPercent,
    closedInboxPercent: row?.closedInboxPercent ?? DEFAULT_PROTECTION.closedInboxPercent,
    optOutsPerHundred: row?.optOutsPerHundred ?? DEFAULT_PROTECTION.optOutsPerHundred,
  }
}
