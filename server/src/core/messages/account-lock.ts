import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { parseTime } from '../../db/parse-time.ts'
import { executePrepared } from '../../db/prepared.ts'
import { sendingLimits } from '../../domains/outreach/sending-settings/tables.ts'
import { unreadSince, xAccounts } from '../../domains/platform/x-account/tables.ts'
import { fundsUntil } from '../../domains/platform/x-costs/tables.ts'
import { campaigns, waitsForOlder } from '../tables/campaigns.ts'
import { FIRST_OF, isFirstInQueue } from '../tables/messages.ts'
import { areRepliesBehind, isRead, isReplyKnown } from '../tables/replies.ts'
import { findCurrentAccount, isLinked } from './accounts.ts'
import { dailyLimitOf } from './app-day.ts'
import { type AccountLimits, type Cap, capAt } from './limits.ts'
import { followUps } from './schedule.ts'
import { CLAIM_KNOWN_SECONDS, type SenderKind } from './sender.ts'
import {
  capOf,
  capOnly,
  claimsOf,
  findLimits,
  firstOfWarmUp,
  type LimitsRow,
  parseLimits,
  type SendingEnv,
} from './sending-state.ts'

const account = alias(xAccounts, 'a')

// The account's lock

type LockedAccount = Pick<
  typeof xAccounts.$inferSelect,
  'id' | 'xUserId' | 'handle' | 'status' | 'nextSendAt' | 'restsUntil' | 'unreadSince'
> & {
  /** Before this time, the account's app has no credits, or another message would exceed the spending limit. */
  fundsUntil: Date | null
}

/** The X app of an account. */
export interface AccountApp {
  id: string
  /** The app's client id. X counts messages by it. */
  clientId: string
  /** X's last reported limit for 24 hours; null: not reported yet. */
  namedLimit: number | null
  /** The limit that applies; null: no limit. */
  dailyLimit: number | null
  /** When X allows the app more messages, if X reported that none were left; else null. */
  restsUntil: Date | null
}

/** A locked account and its limits. The lock lasts until the transaction ends. */
export interface LockedLimits {
  workspaceId: string
  /** Null: the extension's account is unknown. Then the workspace counts as one account. */
  account: LockedAccount | null
  /** Null: messages do not go through an app. */
  app: AccountApp | null
  accountLimits: AccountLimits
  cap: Cap
  /** Condition on dms: the messages that count toward the limits. */
  claims: SQL
  /** The moment of the claim: the database's clock once the account was locked. */
  now: Date
  /** `now` as the database wrote it, with microseconds. */
  claimedAt: string
}

/** A claim's locked account, and the campaign that may send next. */
export interface Locked extends LockedLimits {
  /** The campaign whose next message may be claimed; null: there is none, or it is being paused or edited. */
  campaignId: string | null
  /** The campaign sends a follow-up next, not a first or direct message. */
  isFollowUp: boolean
  /** A follow-up is due, but its account has to be read first, and no read has been requested yet. */
  needsRead: boolean
  /** Replies arrive faster than they are stored. */
  areRepliesBehind: boolean
  /** The handle of the account that sends; null: unknown, or the account is only locked for its limits. */
  sendsAs: string | null
}

type AccountRow = {
  id: string
  workspaceId: string
  xUserId: string
  handle: string
  status: LockedAccount['status']
  nextSendAt: string | null
  restsUntil: string | null
  unreadSince: string | null
  fundsUntil: string | null
  limits: LimitsRow | null
  appId: string
  clientId: string
  namedLimit: number | null
  appRestsUntil: string | null
  firstAt: string | null
  /** The ids of the account in all workspaces that connected it. */
  ids: string[]
  now: string
}

/** SQL columns of an AccountRow, over a locked account `a`, its limits `p` and its app `x`. */
function accountColumns(env: SendingEnv): SQL {
  return sql`
    a.id, a.workspace_id as "workspaceId", a.x_user_id as "xUserId", a.handle, a.status, a.next_send_at as "nextSendAt",
    a.rests_until as "restsUntil", ${unreadSince(account)} as "unreadSince",
    ${fundsUntil(account, env.messageMills)} as "fundsUntil", to_jsonb(p) as limits,
    x.id as "appId", coalesce(x.client_id, ${env.x?.clientId ?? ''}) as "clientId", x.daily_limit as "namedLimit",
    x.rests_until as "appRestsUntil",
    (${firstOfWarmUp(account, alias(sendingLimits, 'p'), env)}) as "firstAt",
    array(select s.id::text from x_accounts s where s.x_user_id = a.x_user_id) as ids, clock_timestamp()::text as now`
}
const ITS_LIMITS = sql`join x_apps x on x.id = a.x_app_id
    left join sending_limits p on p.workspace_id = a.workspace_id and p.x_account_id = a.id`

/**
 * Locks the account that has been due longest and finds what it sends next: direct messages, then
 * follow-ups, then first messages of its oldest active campaign. After FIRST_OF - 1 follow-ups in a
 * row, a first message comes before the next one. Null: no due account is free.
 */
export async function lockDue(tx: Db, env: SendingEnv): Promise<Locked | null> {
  // This statement takes the campaign's lock, so the next one sees every earlier pause.
  const { rows } = await executePrepared<
    AccountRow & Pick<Locked, 'campaignId' | 'isFollowUp' | 'needsRead' | 'areRepliesBehind'>
  >(
    tx,
    sql`
    select ${accountColumns(env)}, turn.is_follow_up as "isFollowUp", turn.needs_read as "needsRead",
      ${areRepliesBehind} as "areRepliesBehind",
      case
        when turn.id is not null
          and pg_try_advisory_xact_lock_shared(${campaignLock(sql`turn.id::text`)}) then turn.id end as "campaignId"
    from (
      select *
      from x_accounts
      where next_send_at <= now() and status = 'connected'
      order by next_send_at
      limit 1
      for update skip locked
    ) a ${ITS_LIMITS} left join lateral (
      select c.id, c.kind from campaigns c cross join lateral (
        select from dms
        where campaign_id = c.id and ${isFirstInQueue} and due_at <= now()
        order by due_at, id limit 1
      ) d
      where c.x_account_id = a.id
        and c.status = 'active'
        and c.channel = 'api'
        and c.dms_queued_count > 0
        and not ${waitsForOlder(alias(campaigns, 'c'))}
      order by c.kind = 'direct' desc limit 1
    ) next on true left join lateral (
      select f.id from ${followUps(account)} f where f.due_at <= now() limit 1
    ) follow_up on true cross join lateral (
      select f.*, case when f.is_follow_up then follow_up.id else next.id end as id from (
        select follow_up.id is not null and ${isReplyKnown(sql`a.x_user_id`, CLAIM_KNOWN_SECONDS)}
            and (next.id is null or (next.kind <> 'direct' and a.follow_ups_in_row < ${FIRST_OF - 1})) as is_follow_up,
          follow_up.id is not null and ${needsRead(sql`a.x_user_id`, CLAIM_KNOWN_SECONDS)} as needs_read) f
    ) turn`,
  )
  const [row] = rows
  if (!row) return null
  const limits = readLimits(env, row)
  // Claims of one X account in several workspaces, and of one app, run one at a time.
  const locks = [...(row.ids.length > 1 ? [xUserLock(row.xUserId)] : []), ...appLocks(limits.app)]
  const isFree = locks.length === 0 || (await tryLocks(tx, locks))
  return {
    ...limits,
    campaignId: isFree ? row.campaignId : null,
    isFollowUp: row.isFollowUp,
    needsRead: row.needsRead,
    areRepliesBehind: row.areRepliesBehind,
    sendsAs: row.handle,
  }
}

/** Locks the account of a campaign. The caller has locked the campaign. */
export async function lockFor(
  tx: Db,
  env: SendingEnv,
  sender: SenderKind,
  campaign: { id: string; workspaceId: string; xAccountId: string | null },
  isFollowUp: boolean,
): Promise<Locked> {
  const limits = await lockLimits(tx, env, sender, campaign)
  const { account } = limits
  const isAssigned = campaign.xAccountId !== null
  const sendsAs = isAssigned || isLinked(account) ? (account?.handle ?? null) : null
  // The campaign was launched without an account. Assign the one that has been connected since then.
  if (!isAssigned && isLinked(account))
    await tx.update(campaigns).set({ xAccountId: account.id }).where(eq(campaigns.id, campaign.id))
  return { ...limits, campaignId: campaign.id, isFollowUp, needsRead: false, areRepliesBehind: false, sendsAs }
}

/**
 * Locks the X account whose limits apply to a sender, across all workspaces. If the account is
 * unknown, locks the workspace. For an answer from the inbox, limits set by a user do not apply.
 */
export async function lockLimits(
  tx: Db,
  env: SendingEnv,
  { byApi, isAnswer }: SenderKind,
  { workspaceId, xAccountId }: { workspaceId: string; xAccountId: string | null },
): Promise<LockedLimits> {
  const id = xAccountId ?? (await findCurrentAccount(tx, workspaceId))?.id
  const { rows } = id
    ? await tx.execute<AccountRow>(sql`
        select ${accountColumns(env)} from (select * from x_accounts where id = ${id} for update) a ${ITS_LIMITS}`)
    : { rows: [] }
  const [row] = rows
  if (row) {
    if (row.ids.length > 1) await tx.execute(sql`select pg_advisory_xact_lock(${xUserLock(row.xUserId)})`)
    const limits = readLimits(env, row, isAnswer)
    if (!byApi) return { ...limits, app: null }
    for (const lock of appLocks(limits.app)) await tx.execute(sql`select pg_advisory_xact_lock(${lock})`)
    return limits
  }
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('pace:' || ${workspaceId}::text, 0))`)
  const scope = { workspaceId, account: null, app: null }
  const stored = await findLimits(tx, env, workspaceId, null)
  const accountLimits = isAnswer ? capOnly(stored) : stored
  const cap = await capOf(tx, env, accountLimits, scope)
  const { rows: clock } = await tx.execute<{ now: string }>(sql`select clock_timestamp()::text as now`)
  const { now } = one(clock)
  return { ...scope, accountLimits, cap, claims: claimsOf(scope), now: new Date(now), claimedAt: now }
}

function readLimits(env: SendingEnv, row: AccountRow, isAnswer = false): LockedLimits {
  const stored = parseLimits(row.limits, env)
  const accountLimits = isAnswer ? capOnly(stored) : stored
  const now = new Date(row.now)
  return {
    workspaceId: row.workspaceId,
    account: accountOf(row),
    app: {
      id: row.appId,
      clientId: row.clientId,
      namedLimit: row.namedLimit,
      dailyLimit: dailyLimitOf(row.namedLimit, env.isRealX),
      restsUntil: parseTime(row.appRestsUntil),
    },
    accountLimits,
    cap: capAt(accountLimits, env, parseTime(row.firstAt), now),
    claims:
      row.ids.length > 1 ? sql`x_account_id = any(${sql.param(row.ids)}::uuid[])` : sql`x_account_id = ${row.id}::uuid`,
    now,
    claimedAt: row.now,
  }
}

function accountOf({ id, xUserId, handle, status, ...times }: AccountRow): LockedAccount {
  return {
    id,
    xUserId,
    handle,
    status,
    nextSendAt: parseTime(times.nextSendAt),
    restsUntil: parseTime(times.restsUntil),
    unreadSince: parseTime(times.unreadSince),
    fundsUntil: parseTime(times.fundsUntil),
  }
}

/**
 * Lock key for an X account's limits, which all workspaces that connected it share. Taken after the
 * account's row. Workers only try to take it, so it cannot cause a deadlock.
 */
function xUserLock(xUserId: string): SQL {
  return sql`hashtextextended('x user:' || ${xUserId}::text, 0)`
}

/** Lock keys for the daily limit of an app, if it has one. Taken last. Workers only try to take them. */
function appLocks(app: AccountApp | null): SQL[] {
  if (app?.dailyLimit == null) return []
  return [sql`hashtextextended('x app:' || ${app.clientId}::text, 0)`]
}

async function tryLocks(tx: Db, keys: readonly SQL[]): Promise<boolean> {
  const tries = keys.map((key) => sql`pg_try_advisory_xact_lock(${key})`)
  const { rows } = await tx.execute<{ isFree: boolean }>(sql`select ${sql.join(tries, sql` and `)} as "isFree"`)
  return one(rows).isFree
}

/**
 * Lock key of a campaign. Each worker's claim holds it, shared, until its transaction ends. Never
 * change the text of the key: processes of the previous version may still run.
 */
export function campaignLock(id: SQL): SQL {
  return sql`hashtextextended('gate of campaign:' || ${id}, 0)`
}

/**
 * SQL: an account has to be read, and no read has been requested yet. @param xUserId SQL @param
 * seconds how recently a read must have begun to count
 */
export function needsRead(xUserId: SQL, seconds: number): SQL<boolean> {
  return sql`(not ${isRead(xUserId, seconds)} and exists (
    select from reply_watches w where w.x_user_id = ${xUserId} and w.next_poll_at > greatest(now(), w.rests_until)))`
}
