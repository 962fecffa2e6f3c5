import { LEASE_SECONDS } from '@x-automated/contract/outreach/sending'
import { eq, type SQL, sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { parseTime } from '../../../db/parse-time.ts'
import { executePrepared } from '../../../db/prepared.ts'
import type { JobQueue } from '../../../ports.ts'
import { findCurrentAccount, isLinked } from '../../platform/x-account/service.ts'
import { unreadSince, xAccounts } from '../../platform/x-account/tables.ts'
import { dailyLimitOf } from '../../platform/x-apps/service.ts'
import { isInDayOf } from '../../platform/x-apps/tables.ts'
import { fundsUntil } from '../../platform/x-costs/tables.ts'
import { campaigns, waitsForOlder } from '../campaigns/tables.ts'
import { areRepliesBehind, isRead, isReplyKnown, READ_COUNTS_SECONDS } from '../replies/tables.ts'
import {
  type AccountLimits,
  allDay,
  type Cap,
  type Cooldown,
  capAt,
  capOf,
  capOnly,
  claimsOf,
  claimThatLeavesTheDay,
  cooldownOf,
  findLimits,
  firstOfWarmUp,
  type LimitsRow,
  lastHandOver,
  latest,
  parseLimits,
  pauseSecondsOf,
  type SendingEnv,
  type SendingState,
  unreadCooldown,
} from '../sending-settings/service.ts'
import { FIRST_OF, isFirstInQueue, isFollowUpOf, isInQueue } from './tables.ts'

/** How a sender differs from the others. They all claim in the same way (claim.ts). */
interface SenderKind {
  /** It sends through X's API: only that channel, and X's own limits apply. */
  byApi: boolean
  /** A person waits for it: the sending window does not apply, and the schedule is not brought forward. */
  byHand: boolean
  /** It answers in the inbox: of our own limits only DAILY_DM_CAP applies, and of campaigns none. */
  isAnswer: boolean
  /** The interval between two messages applies. */
  hasInterval: boolean
  /** A claim may become an attempt. The simulated queue never sends. */
  maySend: boolean
  /** Fails messages that must not be sent when it claims. Others do so right before they send. */
  skips: boolean
}

export interface Sender extends SenderKind {
  /** As in `dms.holder`. */
  holder: string
}

const UNATTENDED = { byHand: false, isAnswer: false, hasInterval: true, maySend: true }
/** A sending process. */
export const workerOf = (id: number): Sender => ({ ...UNATTENDED, holder: `worker:${id}`, byApi: true, skips: false })
/** A browser extension. */
export const EXTENSION: SenderKind = { ...UNATTENDED, byApi: false, skips: true }
/** The same, by the name that it chose. */
export const extensionOf = (name: string): Sender => ({ ...EXTENSION, holder: `extension:${name}` })
/** A message that its writer waits for. */
export const manualSender = (holder: string, isAnswer: boolean): Sender => ({
  holder,
  byApi: true,
  byHand: true,
  isAnswer,
  hasInterval: false,
  maySend: true,
  skips: false,
})

/**
 * Holder of messages that the simulated queue claims. It never sends them, so released ones are
 * queued again.
 */
export const SIMULATED_HOLDER = 'simulated'
export const SIMULATION: Sender = {
  holder: SIMULATED_HOLDER,
  byApi: false,
  byHand: false,
  isAnswer: false,
  hasInterval: false,
  maySend: false,
  skips: true,
}

// The account's lock

type LockedAccount = Pick<
  typeof xAccounts.$inferSelect,
  'id' | 'xUserId' | 'handle' | 'status' | 'nextSendAt' | 'restsUntil' | 'unreadSince'
> & {
  /** Its app has no credits, or another message would exceed the workspace's spending limit, until then. */
  fundsUntil: Date | null
}

/** The X app of an account. */
export interface AccountApp {
  id: string
  /** Its id at X, which counts its messages by this. */
  clientId: string
  /** Messages in 24 hours as X's headers named them last; null: not yet. */
  namedLimit: number | null
  /** The limit that applies; null: none. */
  dailyLimit: number | null
  /** Until when X says that they are used up. */
  restsUntil: Date | null
}

/** An account that is locked until the transaction ends, and its limits. */
interface LockedLimits {
  workspaceId: string
  /** Null: the extension's account is unknown. Then the workspace counts as one account. */
  account: LockedAccount | null
  /** Null: nothing is sent through an app. */
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

/** What a claim has locked. */
export interface Locked extends LockedLimits {
  /** The campaign whose next message may be claimed; null: none, or it is being paused or edited. */
  campaignId: string | null
  /** Its next follow-up, not its next first or direct message. */
  isFollowUp: boolean
  /** A follow-up is due that needs a read of the account, which nobody has asked for. */
  needsRead: boolean
  /** Replies arrive faster than they are stored. */
  areRepliesBehind: boolean
  /** The handle of the account that sends; null: the account only limits, or is unknown. */
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
  /** The account in every workspace that connected it. */
  ids: string[]
  now: string
}

/** SQL over a locked account `a`, its limits `p` and its app `x`: an AccountRow. */
function accountColumns(env: SendingEnv): SQL {
  return sql`a.id, a.workspace_id as "workspaceId", a.x_user_id as "xUserId", a.handle, a.status, a.next_send_at as "nextSendAt",
    a.rests_until as "restsUntil", ${unreadSince('a')} as "unreadSince", ${fundsUntil('a', env.messageMills)} as "fundsUntil", to_jsonb(p) as limits,
    x.id as "appId", coalesce(x.client_id, ${env.x?.clientId ?? ''}) as "clientId", x.daily_limit as "namedLimit", x.rests_until as "appRestsUntil",
    (${firstOfWarmUp('a', 'p', env)}) as "firstAt",
    array(select s.id::text from x_accounts s where s.x_user_id = a.x_user_id) as ids, clock_timestamp()::text as now`
}
const ITS_LIMITS = sql`join x_apps x on x.id = a.x_app_id
    left join sending_limits p on p.workspace_id = a.workspace_id and p.x_account_id = a.id`

/**
 * SQL over an X account's alias: the first queued follow-up of each campaign, longest due first. Reads
 * one index entry per campaign that has any.
 */
function followUps(account: string): SQL {
  const isTheirs = isFollowUpOf(sql.raw(`${account}.id`))
  return sql`(
  with recursive head as (
    (select campaign_id, due_at, id from dms where ${isTheirs} order by campaign_id, due_at, id limit 1)
    union all
    select later.* from head cross join lateral (
      select campaign_id, due_at, id from dms where ${isTheirs} and campaign_id > head.campaign_id
      order by campaign_id, due_at, id limit 1
    ) later
  )
  select c.id, head.due_at from head join campaigns c on c.id = head.campaign_id
  where c.status = 'active' and c.channel = 'api' order by head.due_at, head.id)`
}

/**
 * Locks the account that has been due longest and finds what it sends next: direct messages, then
 * follow-ups, then first messages of its oldest active campaign. Null: no due account is free.
 */
export async function lockDue(tx: Db, env: SendingEnv): Promise<Locked | null> {
  // Holds the campaign's lock from here on, so that the next statement sees every earlier pause.
  const { rows } = await executePrepared<
    AccountRow & Pick<Locked, 'campaignId' | 'isFollowUp' | 'needsRead' | 'areRepliesBehind'>
  >(
    tx,
    sql`
    select ${accountColumns(env)}, turn.is_follow_up as "isFollowUp", turn.needs_read as "needsRead", ${areRepliesBehind} as "areRepliesBehind",
      case when turn.id is not null and pg_try_advisory_xact_lock_shared(${campaignLock(sql`turn.id::text`)}) then turn.id end as "campaignId"
    from (
      select * from x_accounts where next_send_at <= now() and status = 'connected' order by next_send_at limit 1 for update skip locked
    ) a ${ITS_LIMITS} left join lateral (
      select c.id, c.kind from campaigns c cross join lateral (
        select from dms
        where campaign_id = c.id and ${isFirstInQueue} and due_at <= now()
        order by due_at, id limit 1
      ) d
      where c.x_account_id = a.id and c.status = 'active' and c.channel = 'api' and c.dms_queued_count > 0 and not ${waitsForOlder('c')}
      order by c.kind = 'direct' desc limit 1
    ) next on true left join lateral (
      select f.id from ${followUps('a')} f where f.due_at <= now() limit 1
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

/** Locks the account of a campaign, which the caller has locked. */
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
  // The campaign was launched without an account, and one was connected since: assign it.
  if (!isAssigned && isLinked(account))
    await tx.update(campaigns).set({ xAccountId: account.id }).where(eq(campaigns.id, campaign.id))
  return { ...limits, campaignId: campaign.id, isFollowUp, needsRead: false, areRepliesBehind: false, sendsAs }
}

/** Locks the X account whose limits apply, across all workspaces; if it is unknown, the workspace. */
async function lockLimits(
  tx: Db,
  env: SendingEnv,
  { byApi }: SenderKind,
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
    const limits = readLimits(env, row)
    if (!byApi) return { ...limits, app: null }
    for (const lock of appLocks(limits.app)) await tx.execute(sql`select pg_advisory_xact_lock(${lock})`)
    return limits
  }
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('pace:' || ${workspaceId}::text, 0))`)
  const scope = { workspaceId, account: null, app: null }
  const accountLimits = await findLimits(tx, env, workspaceId, null)
  const cap = await capOf(tx, env, accountLimits, scope)
  const { rows: clock } = await tx.execute<{ now: string }>(sql`select clock_timestamp()::text as now`)
  const { now } = one(clock)
  return { ...scope, accountLimits, cap, claims: claimsOf(scope), now: new Date(now), claimedAt: now }
}

function readLimits(env: SendingEnv, row: AccountRow): LockedLimits {
  const accountLimits = parseLimits(row.limits, env)
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

/** Lock keys for the daily limit of an app, if it has one. Taken last; workers only try to. */
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
 * Lock key that each claim of a worker holds, shared, until its transaction ends. Its text stays:
 * processes of the version before may be running.
 */
export function campaignLock(id: SQL): SQL {
  return sql`hashtextextended('gate of campaign:' || ${id}, 0)`
}

// The limits

/** Claims of the account that its limits look back at. */
interface Before {
  /** When the last message was claimed or handed over. */
  lastAt: Date | null
  /** If the cap is reached, when it allows the next message. */
  leavesAt: Date | null
  /** If the app has sent its messages of 24 hours, when this account may try again. */
  appTurnAt: Date | null
}

/** How much later an account tries again for each message that it sent in the last 24 hours, in ms. */
const TURN_MS = 20

/**
 * SQL: if the app has sent its messages of the last 24 hours, when the account may try again: when
 * the oldest of them is a day old, accounts with fewer messages first. Null: there is room.
 * @param id of a message that does not count
 */
export function appTurn(app: AccountApp | null, accountId: string | null, id: string | null = null): SQL {
  if (app?.dailyLimit == null) return sql`null::timestamptz`
  const isCounted = sql`${isInDayOf(app.clientId)} and dm_id is distinct from ${id}::uuid`
  return sql`select full_day.claimed_at + interval '1 day' + make_interval(secs => ${TURN_MS / 1_000}::float * (
      select count(*) from x_app_claims where ${isCounted} and x_account_id = ${accountId}::uuid))
    from (
      select claimed_at from x_app_claims where ${isCounted}
      order by claimed_at desc offset ${Math.max(0, app.dailyLimit - 1)} limit 1
    ) full_day`
}

/** The limits that apply to a sender: to an answer, none that a user has set. */
export function limitsOf<L extends LockedLimits>(env: SendingEnv, { isAnswer }: SenderKind, locked: L): L {
  if (!isAnswer) return locked
  const accountLimits = capOnly(locked.accountLimits)
  return { ...locked, accountLimits, cap: capAt(accountLimits, env, null, locked.now) }
}

/** Until when the account's limits make a sender wait, and why; null: they let it send. */
function limitCooldown(
  env: SendingEnv,
  sender: SenderKind,
  { account, app, accountLimits, cap, now }: LockedLimits,
  { lastAt, leavesAt, appTurnAt }: Before,
): Cooldown | null {
  if (account?.unreadSince) return unreadCooldown(now)
  const before = {
    lastAt: sender.hasInterval ? lastAt : null,
    leavesAt,
    restsUntil: sender.byApi ? (account?.restsUntil ?? null) : null,
    fundsUntil: sender.byApi ? (account?.fundsUntil ?? null) : null,
    appUntil: sender.byApi ? latest(app?.restsUntil ?? null, appTurnAt) : null,
  }
  return cooldownOf(sender.byHand ? allDay(accountLimits) : accountLimits, env, cap, before, now)
}

/** Until when a sender must wait before it claims, and why; null: it may claim. */
export function claimCooldown(
  env: SendingEnv,
  sender: SenderKind,
  locked: LockedLimits,
  before: Before,
): Cooldown | null {
  const { account, now } = locked
  const cooldown = limitCooldown(env, sender, locked, before)
  const intervalEnds = (before.lastAt?.getTime() ?? 0) + 1_000 * intervalSeconds(env, sender, locked)
  const until = new Date(sender.hasInterval ? Math.min(account?.nextSendAt?.getTime() ?? 0, intervalEnds) : 0)
  return until > (cooldown?.until ?? now) ? { until, reason: 'pause' } : cooldown
}

/** Jitter lengthens the interval by up to this share. */
const JITTER = 0.2

/** The interval to the next message with jitter, in seconds. @param random from 0 to 1 */
export function withJitter(intervalSeconds: number, random: number): number {
  return intervalSeconds * (1 + JITTER * random)
}

/**
 * Seconds to wait after a temporary failure at X; doubles each time, up to 300.
 * @param failures consecutive failures, from 1
 */
export function backoffSeconds(failures: number): number {
  return Math.min(300, 5 * 2 ** (Math.max(1, failures) - 1))
}

/**
 * Seconds from an account's last message to the next. Until the time that the last claim scheduled,
 * the longest possible: workers also move it to wait for a turn or for X.
 */
export function intervalSeconds(
  env: SendingEnv,
  { hasInterval }: SenderKind,
  { account, accountLimits, now }: LockedLimits,
): number {
  if (!hasInterval) return 0
  const seconds = pauseSecondsOf(accountLimits, env)
  return account?.nextSendAt && account.nextSendAt > now ? withJitter(seconds, 1) : seconds
}

/**
 * Renews an old claim of a locked message right before sending: limits then count from now.
 * @returns null, or the time before which the account must not send
 */
export async function renewClaim(
  tx: Db,
  env: SendingEnv,
  sender: SenderKind,
  { id, ...whose }: { id: string; workspaceId: string; xAccountId: string | null },
): Promise<Date | null> {
  const locked = limitsOf(env, sender, await lockLimits(tx, env, sender, whose))
  const { account, app, accountLimits, cap, now, claimedAt } = locked
  const others = sql`${locked.claims} and id <> ${id}`
  const { rows } = await tx.execute<Record<keyof Before, string | null>>(
    sql`select (${lastHandOver(others)}) as "lastAt", (${claimThatLeavesTheDay(others, cap.cap)}) + interval '1 day' as "leavesAt",
      (${appTurn(app, account?.id ?? null, id)}) as "appTurnAt"`,
  )
  const { lastAt, leavesAt, appTurnAt } = one(rows)
  // The account's schedule does not count: this message's own claim set it.
  const cooldown = limitCooldown(env, sender, locked, {
    lastAt: parseTime(lastAt),
    leavesAt: parseTime(leavesAt),
    appTurnAt: parseTime(appTurnAt),
  })
  if (cooldown) return cooldown.until
  const renewed = sql`${claimedAt}::timestamptz`
  await tx.execute(sql`
    update dms set claimed_at = ${renewed}, lease_expires_at = ${renewed} + make_interval(secs => ${LEASE_SECONDS}), updated_at = ${renewed}
    where id = ${id}`)
  if (app?.dailyLimit != null)
    await tx.execute(sql`update x_app_claims set claimed_at = ${renewed} where dm_id = ${id}`)
  if (!sender.isAnswer)
    await tx.execute(sql`
    update leads set last_claimed_at = ${renewed} where id = (
      select l.id from dms d join leads l on l.id = d.lead_id where d.id = ${id} for no key update of l skip locked)`)
  if (account?.nextSendAt) {
    const next = nextSend(now, pauseSecondsOf(accountLimits, env))
    if (next > account.nextSendAt)
      await tx.update(xAccounts).set({ nextSendAt: next }).where(eq(xAccounts.id, account.id))
  }
  return null
}

/** When an account may send again after a message at `now`, with jitter. */
export function nextSend(now: Date, pauseSeconds: number): Date {
  return new Date(now.getTime() + 1_000 * withJitter(pauseSeconds, Math.random()))
}

// The schedule

/** NOTIFY channel that makes workers look for due messages. */
export const SENDING_CHANNEL = 'sending'

/** An account scheduled later than this is woken. If it has a long interval, its claim checks it. */
const FAR = sql`interval '2 minutes'`

/**
 * Schedules the account if it is not scheduled soon, and notifies workers when the transaction
 * commits. A time soon stays, so overdue messages keep the interval.
 */
export async function wakeAccount(tx: Db, accountId: string): Promise<void> {
  // Always update, to lock the row: a worker that unschedules the account runs before or after,
  // never in between.
  await tx
    .update(xAccounts)
    .set({
      nextSendAt: sql`case when ${xAccounts.nextSendAt} <= now() + ${FAR} then ${xAccounts.nextSendAt} else now() end`,
    })
    .where(eq(xAccounts.id, accountId))
  await notifySenders(tx)
}

/** Schedules a campaign's account, and those that have its queued follow-ups. */
export async function wakeCampaign(tx: Db, campaignId: string, accountId: string): Promise<void> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select ${accountId}::uuid as id
    union select x_account_id from dms where campaign_id = ${campaignId} and ${isInQueue} and is_follow_up order by 1`)
  for (const { id } of rows) await wakeAccount(tx, id)
}

/**
 * Seconds until a campaign that waits for its turn is checked again. Usually `endTurn` wakes it
 * earlier.
 */
export const TURN_SECONDS = 15

/**
 * Makes the account due now, because a campaign on it stopped and the next one may send.
 * Never waits: an account that is locked right now is checked after TURN_SECONDS.
 */
export async function endTurn(tx: Db, accountId: string | null): Promise<void> {
  if (accountId === null) return
  const { rowCount } = await tx.execute(sql`
    update x_accounts set next_send_at = now()
    where id = (select id from x_accounts where id = ${accountId} for update skip locked) and next_send_at > now()`)
  if (rowCount) await notifySenders(tx)
}

export async function notifySenders(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_notify(${SENDING_CHANNEL}, '')`)
}

// Reads of X before follow-ups

/** A worker's claim leaves this much of the time for which a read counts to the hand-over. */
const CLAIM_KNOWN_SECONDS = READ_COUNTS_SECONDS - 5
/** An extension takes longer from its claim to pressing Send. */
const EXTENSION_KNOWN_SECONDS = 30

/** How recently a read must have begun for a sender to claim a follow-up, in seconds. */
export const knownSecondsOf = ({ byApi }: SenderKind) => (byApi ? CLAIM_KNOWN_SECONDS : EXTENSION_KNOWN_SECONDS)

/** How soon follow-ups are looked at again while their account is being read; the read itself wakes workers. */
export const BLIND_SECONDS = 15
const EXTENSION_BLIND_SECONDS = 3
export const blindSecondsOf = ({ byApi }: SenderKind) => (byApi ? BLIND_SECONDS : EXTENSION_BLIND_SECONDS)

/** How soon a follow-up is looked at again whose person's conversation in X Chat has to be read. */
export const CHAT_UNREAD_SECONDS = 15

/** SQL: an account is not read, and nobody has asked for it. @param xUserId SQL @param seconds as of `isRead` */
export function needsRead(xUserId: SQL, seconds: number): SQL<boolean> {
  return sql`(not ${isRead(xUserId, seconds)} and exists (
    select from reply_watches w where w.x_user_id = ${xUserId} and w.next_poll_at > greatest(now(), w.rests_until)))`
}

/** Has an account read as soon as X allows it, because a follow-up waits for that. Never in a claim's transaction. */
export async function requestRead(
  { db, jobs }: { db: Db; jobs: Pick<JobQueue, 'reschedule'> },
  xUserId: string,
): Promise<void> {
  const { rows } = await db.execute<{ restsUntil: string | null }>(sql`
    update reply_watches set next_poll_at = greatest(now(), rests_until)
    where x_user_id = ${xUserId} and next_poll_at > greatest(now(), rests_until)
    returning case when rests_until > now() then rests_until end as "restsUntil"`)
  for (const { restsUntil } of rows) {
    const later = restsUntil ? { at: new Date(restsUntil) } : {}
    await jobs.reschedule(db, 'watch-replies', { xUserId }, { key: xUserId, group: xUserId, ...later })
  }
}

/** Makes an account due in every workspace, once its follow-ups may be sent. */
export async function wakeFollowUps(db: Db, xUserId: string): Promise<void> {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from x_accounts where x_user_id = ${xUserId} and status = 'connected' and next_send_at > now()`,
  )
  // Waits for a claim that has just found the account unread.
  for (const { id } of rows)
    await db.execute(sql`update x_accounts set next_send_at = now() where id = ${id} and next_send_at > now()`)
  if (rows.length > 0) await notifySenders(db)
}

/** A campaign that is being paused or edited, or a locked message, is tried again this soon. */
export const RETRY_MS = 50

/**
 * SQL over an X account's alias: when its next message is due, of what active campaigns have queued;
 * null: nothing. Soon after `now` at the earliest.
 */
function nextDue(account: string, now: Date): SQL {
  const a = sql.raw(account)
  const soon = new Date(now.getTime() + RETRY_MS).toISOString()
  const turn = new Date(now.getTime() + TURN_SECONDS * 1_000).toISOString()
  const blind = new Date(now.getTime() + BLIND_SECONDS * 1_000).toISOString()
  return sql`(
    select least((
      select min(case when ${waitsForOlder('c')} then ${turn}::timestamptz else greatest(d.due_at, ${soon}::timestamptz) end)
      from campaigns c cross join lateral (
        select due_at from dms where campaign_id = c.id and ${isFirstInQueue} order by due_at, id limit 1
      ) d
      where c.x_account_id = ${a}.id and c.status = 'active' and c.channel = 'api' and c.dms_queued_count > 0
    ), (
      select greatest(due_at, case when ${isRead(sql`${a}.x_user_id`, CLAIM_KNOWN_SECONDS)} then ${soon}::timestamptz
          else greatest(${blind}::timestamptz, (select rests_until from reply_watches w where w.x_user_id = ${a}.x_user_id)) end)
      from ${followUps(account)} f limit 1
    )))`
}

/** Sets when a locked account is due again: at `until`, or else when its next message is. */
export async function reschedule(tx: Db, accountId: string, now: Date, until: Date | null): Promise<void> {
  const next = until
    ? sql`${(until > now ? until : new Date(now.getTime() + RETRY_MS)).toISOString()}::timestamptz`
    : nextDue('a', now)
  await tx.execute(sql`update x_accounts a set next_send_at = ${next} where id = ${accountId}`)
}

/**
 * When a connected account sends next, if its queue and its limits stay as they are; null: nothing is
 * queued. Its schedule alone can be earlier, because it is made before anything is due.
 */
export async function findNextSend(
  db: Db,
  account: { id: string; nextSendAt: Date | null },
  { cooldown, now }: SendingState,
): Promise<Date | null> {
  if (!account.nextSendAt) return null
  const { rows } = await db.execute<{ dueAt: string | null }>(
    sql`select ${nextDue('a', now)} as "dueAt" from x_accounts a where id = ${account.id}`,
  )
  const dueAt = parseTime(one(rows).dueAt)
  return dueAt && latest(latest(dueAt, account.nextSendAt), cooldown?.until ?? null)
}

/**
 * On start, makes every delayed account due again: limits may have changed. X's own limits
 * (`rests_until`) still apply.
 */
export async function resetSchedules(db: Db): Promise<void> {
  await db.execute(sql`update x_accounts set next_send_at = now() where next_send_at > now() and status = 'connected'`)
}

/** Messages whose outcome is unknown are settled within this time, unless X or its bill delays it. */
const SETTLED_WITHIN = sql`interval '2 minutes'`

/** Makes the workspace's accounts and unsettled messages due that waited for X's bill. */
export async function resumeSending(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`
    update dms set due_at = now() where id in (
      select d.id from dms d where d.workspace_id = ${workspaceId} and d.lease_expires_at is not null and d.outcome_unknown
        and d.due_at > now() + ${SETTLED_WITHIN} order by d.id for no key update)`)
  await tx.execute(sql`
    update x_accounts set next_send_at = now() where id in (
      select id from x_accounts where workspace_id = ${workspaceId} and next_send_at > now() order by id for no key update)`)
  await notifySenders(tx)
}

/** Milliseconds until an account is due; null if no account has anything to send. */
export async function nextDueInMs(db: Db): Promise<number | null> {
  const { rows } = await db.execute<{ ms: number | null }>(
    sql`select (extract(epoch from min(next_send_at) - now()) * 1000)::float as ms from x_accounts where next_send_at is not null and status = 'connected'`,
  )
  return one(rows).ms
}
