import type { InputOf } from '@x-automated/contract/contract'
import { type CampaignWait, DEFAULT_PROTECTION, type Protection } from '@x-automated/contract/outreach/sending-settings'
import { DAY_MS, HOUR_MS } from '@x-automated/contract/time'
import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { parseTime } from '../../../db/parse-time.ts'
import type { Env } from '../../../env.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { usageOf } from '../../platform/billing/service.ts'
import { findAccount, findCurrentAccount, list } from '../../platform/x-account/service.ts'
import { unreadSince, xAccounts } from '../../platform/x-account/tables.ts'
import { findAppDay, findAppId, findUse, shareOf } from '../../platform/x-apps/service.ts'
import { OPERATOR_APP_ID } from '../../platform/x-apps/tables.ts'
import { fundsUntil } from '../../platform/x-costs/tables.ts'
import { replySettings, waitsForRead } from '../replies/tables.ts'
import { isFirstInQueue, isInQueue } from '../sending/tables.ts'
import {
  type AccountLimits,
  type Cap,
  type Cooldown,
  capAt,
  clockOf,
  cooldownOf,
  defaultLimits,
  EVERY_DAY,
  holdOf,
  latest,
  minuteOf,
  type ProductLimits,
  type SentBefore,
  secondsFor,
  unreadCooldown,
  withShare,
} from './rules.ts'
import { sendingLimits, sendingSettings } from './tables.ts'

export {
  type AccountLimits,
  type Cap,
  type Cooldown,
  capAt,
  cooldownOf,
  holdOf,
  latest,
  pauseSecondsOf,
  unreadCooldown,
} from './rules.ts'

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

/** Whose limits: an account's, or the extension's if no account is known. */
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

/** Without all that a user can set: only the product's daily cap is left. */
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

/** Condition on dms: messages that count toward the limits, in every workspace of the X account. */
export function claimsOf({ workspaceId, account }: LimitsScope): SQL {
  return account
    ? sql`x_account_id = any(array(select id from x_accounts where x_user_id = ${account.xUserId}))`
    : sql`x_account_id is null and workspace_id = ${workspaceId}`
}

/**
 * SQL: if the cap of the last 24 hours is reached, the claim that makes room when it expires; else
 * no row. Claims count, not outcomes, because a claimed message may have been sent.
 */
export function claimThatLeavesTheDay(claims: SQL, cap: number): SQL {
  return sql`select claimed_at from dms where ${claims} and claimed_at > now() - interval '1 day'
    order by claimed_at desc offset ${Math.max(0, cap - 1)} limit 1`
}

/** Recent claims to check, because they can be handed over in another order. */
const CLAIMS_CHECKED = 5

/**
 * SQL: when a message was last claimed or handed over. The interval starts there. No interval is
 * longer than a day, so older claims are not read.
 */
export function lastHandOver(claims: SQL): SQL {
  return sql`select max(greatest(claimed_at, handed_over_at)) from (
    select claimed_at, handed_over_at from dms where ${claims} and claimed_at > now() - interval '2 days'
    order by claimed_at desc limit ${CLAIMS_CHECKED}) latest`
}

/** SQL over the aliases of an X account and its limits: the claim that began its warm-up, in any workspace. */
export function firstOfWarmUp(account: string, limits: string, { isRealX }: SendingEnv): SQL {
  const [a, p] = [sql.raw(account), sql.raw(limits)]
  return sql`select min(f.claimed_at) from x_accounts s cross join lateral (
      select claimed_at from dms where x_account_id = s.id and claimed_at >= coalesce(${p}.warm_up_since, '-infinity') order by claimed_at limit 1
    ) f where s.x_user_id = ${a}.x_user_id and coalesce(${p}.warm_up, ${isRealX}::boolean)`
}

/** The current cap, and the first message of the warm-up; null: none yet, or no warm-up. */
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
        ? sql`(select min(f.claimed_at) from x_accounts s cross join lateral (${first(sql`x_account_id = s.id`)}) f where s.x_user_id = ${account.xUserId})`
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
  /** Used of the cap, as every screen shows it: all claimed messages, because X may count those it refuses. */
  countedInDay: number
  before: SentBefore
  /** The product's limits, with the account's share of the X app as its cap, if that is lower. */
  limits: ProductLimits
  /** What the X app lets the account send in the next 24 hours; null: it has no daily limit. */
  appShare: number | null
  /** By the database's clock. */
  now: Date
}

interface StateQuery {
  workspaceId: string
  account: { id: string; xUserId: string; restsUntil: Date | null; xAppId: string } | null
  /** X's own limits and its bill apply to its API only, the default. */
  channel?: 'api' | 'extension'
}

/** The sending state of an account: its limits, usage, and until when and why it must wait. */
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
      exists (select from x_accounts a where a.id = ${account?.id ?? null}::uuid and ${unreadSince('a')} is not null) as "isUnread",
      (select ${fundsUntil('a', env.messageMills)} from x_accounts a where a.id = ${account?.id ?? null}::uuid) as "fundsUntil",
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

/** The seconds that an account needs for `messages` from a known state; null: never. */
export function secondsToSendFrom(
  { accountLimits, limits, before, now }: SendingState,
  messages: number,
): number | null {
  return secondsFor(messages, accountLimits, limits, before, now)
}

/** The day of the account's warm-up, from 1; null: it does not warm up. */
export function warmUpDayOf(env: SendingEnv, { accountLimits, cap, before, now }: SendingState): number | null {
  const isWarmingUp = accountLimits.warmUp && cap.cap < capAt({ ...accountLimits, warmUp: false }, env, null, now).cap
  if (!isWarmingUp) return null
  return before.firstAt ? Math.floor((now.getTime() - before.firstAt.getTime()) / DAY_MS) + 1 : 1
}

/** Whether campaigns may only message leads with a contact basis. */
export async function isBasisRequired(db: Db, { isRealX }: SendingEnv, workspaceId: string): Promise<boolean> {
  const [row] = await db
    .select({ required: sendingSettings.basisRequired })
    .from(sendingSettings)
    .where(eq(sendingSettings.workspaceId, workspaceId))
  return row?.required ?? isRealX
}

// The settings

/** The sending settings of each connected X account; without one, of the extension. */
export async function find(db: Db, env: SendingEnv, actor: Actor) {
  const connected = (await list(db, actor)).accounts
  const ids = connected.map(({ id }) => id)
  const rows = ids.length > 0 ? await db.select().from(xAccounts).where(inArray(xAccounts.id, ids)) : []
  const set = await db
    .select({ xAccountId: sendingLimits.xAccountId })
    .from(sendingLimits)
    .where(eq(sendingLimits.workspaceId, actor.workspaceId))
  const senders = ids.length > 0 ? ids.map((id) => rows.find((row) => row.id === id) ?? null) : [null]
  const accounts = []
  for (const account of senders) {
    const state = await findSendingState(db, env, { workspaceId: actor.workspaceId, account, channel: 'api' })
    const { accountLimits, cap, cooldown, sentInDay, countedInDay, appShare } = state
    accounts.push({
      xAccountId: account?.id ?? null,
      handle: account?.handle ?? null,
      timeZone: accountLimits.timeZone,
      workDays: [...accountLimits.workDays],
      hours:
        accountLimits.startMinute === null || accountLimits.endMinute === null
          ? null
          : { start: clockOf(accountLimits.startMinute), end: clockOf(accountLimits.endMinute) },
      dailyCap: accountLimits.dailyCap,
      warmUp: accountLimits.warmUp,
      pauseSeconds: accountLimits.pauseSeconds,
      isDefault: !set.some(({ xAccountId }) => xAccountId === (account?.id ?? null)),
      sentInDay,
      countedInDay,
      capNow: cap.cap,
      warmingUp: accountLimits.warmUp && cap.cap < Math.min(env.dailyDmCap, accountLimits.dailyCap ?? env.dailyDmCap),
      appShare: account?.xAppId === OPERATOR_APP_ID ? appShare : null,
      waitingFor: cooldown,
    })
  }
  const [own] = await db
    .select({ settings: sendingSettings, liftedBy: authUsers.name })
    .from(sendingSettings)
    .leftJoin(authUsers, eq(authUsers.id, sendingSettings.basisLiftedBy))
    .where(eq(sendingSettings.workspaceId, actor.workspaceId))
  const xAppId = await findAppId(db, actor.workspaceId)
  return {
    accounts,
    xApp: { isOwn: xAppId !== OPERATOR_APP_ID, ...(await findUse(db, env, xAppId)) },
    limits: { dailyCap: env.dailyDmCap, pauseSeconds: env.sendIntervalSeconds },
    optOutWords: await optOutWordsOf(db, actor.workspaceId),
    basis: {
      required: own?.settings.basisRequired ?? env.isRealX,
      isRealX: env.isRealX,
      liftedBy: own?.liftedBy ?? null,
      liftedAt: own?.settings.basisLiftedAt ?? null,
    },
    protection: protectionOf(own?.settings),
  }
}

/** Sets an account's limits; a trigger makes it due again. @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function saveLimits(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  { xAccountId, hours, ...input }: InputOf<'sendingSettings', 'saveLimits'>,
) {
  return db.transaction(async (tx) => {
    if (xAccountId) await findAccount(tx, actor.workspaceId, xAccountId)
    // Default warm-up starts with the first message ever; turning it on restarts it now.
    const before = await findLimits(tx, env, actor.workspaceId, xAccountId)
    const accountLimits = {
      ...input,
      startMinute: hours ? minuteOf(hours.start) : null,
      endMinute: hours ? minuteOf(hours.end) : null,
      warmUpSince: !input.warmUp ? null : before.warmUp ? before.warmUpSince : new Date(),
      updatedAt: new Date(),
    }
    await tx
      .insert(sendingLimits)
      .values({ workspaceId: actor.workspaceId, xAccountId, ...accountLimits })
      .onConflictDoUpdate({ target: [sendingLimits.workspaceId, sendingLimits.xAccountId], set: accountLimits })
    return find(tx, env, actor)
  })
}

/** Sets the workspace's own opt-out words, ignoring case and duplicates. */
export async function saveOptOutWords(db: Db, env: SendingEnv, actor: Actor, words: string[]) {
  const own = [...new Map(words.map((word) => [word.toLowerCase(), word])).values()]
  const { workspaceId } = actor
  if (own.length === 0) await db.delete(replySettings).where(eq(replySettings.workspaceId, workspaceId))
  else
    await db
      .insert(replySettings)
      .values({ workspaceId, optOutWords: own })
      .onConflictDoUpdate({ target: replySettings.workspaceId, set: { optOutWords: own } })
  return find(db, env, actor)
}

/**
 * Limits campaigns to leads with a contact basis, or lifts that. Queued messages are not affected.
 */
export async function saveBasis(db: Db, env: SendingEnv, actor: Actor, required: boolean) {
  const basis = {
    basisRequired: required,
    basisLiftedBy: required ? null : actor.userId,
    basisLiftedAt: required ? null : new Date(),
    updatedAt: new Date(),
  }
  await db
    .insert(sendingSettings)
    .values({ workspaceId: actor.workspaceId, ...basis })
    .onConflictDoUpdate({ target: sendingSettings.workspaceId, set: basis })
  return find(db, env, actor)
}

/** Sets when campaigns pause themselves, from the next message on. */
export async function saveProtection(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  protection: InputOf<'sendingSettings', 'saveProtection'>,
) {
  const set = { ...protection, updatedAt: new Date() }
  await db
    .insert(sendingSettings)
    .values({ workspaceId: actor.workspaceId, ...set })
    .onConflictDoUpdate({ target: sendingSettings.workspaceId, set })
  return find(db, env, actor)
}

/** A workspace's protection: what it has set, or the defaults. */
export async function findProtection(db: Db, workspaceId: string): Promise<Protection> {
  const [row] = await db.select().from(sendingSettings).where(eq(sendingSettings.workspaceId, workspaceId))
  return protectionOf(row)
}

function protectionOf(row: typeof sendingSettings.$inferSelect | undefined): Protection {
  return {
    refusalPercent: row?.refusalPercent ?? DEFAULT_PROTECTION.refusalPercent,
    closedInboxPercent: row?.closedInboxPercent ?? DEFAULT_PROTECTION.closedInboxPercent,
    optOutsPerHundred: row?.optOutsPerHundred ?? DEFAULT_PROTECTION.optOutsPerHundred,
  }
}

/** The workspace's own opt-out words, in addition to the built-in ones. */
export async function optOutWordsOf(db: Db, workspaceId: string): Promise<string[]> {
  const [row] = await db
    .select({ words: replySettings.optOutWords })
    .from(replySettings)
    .where(eq(replySettings.workspaceId, workspaceId))
  return row?.words ?? []
}

// What campaigns wait for

interface Sending {
  id: string
  status: string
  dmsQueuedCount: number
  waiting: boolean
  channel: 'api' | 'extension'
  xAccountId: string | null
  /** When people who wait for the plan get their message; null: none wait. */
  nextPartAt: Date | null
  nextFollowUpAt: Date | null
}
type Wait = { reason: CampaignWait['reason']; until: Date | null }
type WithWait<C> = C & { waitingFor: Wait | null }
interface Needs {
  db: Db
  env: SendingEnv
  actor: Pick<Actor, 'workspaceId'>
}

/** Adds what each campaign waits for. Queries once per X account, not per campaign. */
export async function withWaits<C extends Sending>(needs: Needs, campaigns: readonly C[]): Promise<WithWait<C>[]> {
  const { db } = needs
  const { workspaceId } = needs.actor
  const active = campaigns.filter(({ status }) => status === 'active')
  const sending = active.filter((one) => one.dmsQueuedCount > 0 && !one.waiting)
  const ids = [...new Set(active.map(({ xAccountId }) => xAccountId))].filter((id) => id !== null)
  const accounts = ids.length > 0 ? await db.select().from(xAccounts).where(inArray(xAccounts.id, ids)) : []
  const connected = new Set(accounts.filter(({ status }) => status === 'connected').map(({ id }) => id))
  const sendingIds = sending.map(({ id }) => id)
  const [limitsOf, blind, delayed] = await Promise.all([
    findCooldowns(needs, sending),
    findBlind(db, sendingIds),
    findDelayed(db, sendingIds),
  ])
  const soon = new Date(Date.now() + HOUR_MS)
  const mayLackRoom = campaigns.some(({ nextFollowUpAt }) => nextFollowUpAt && nextFollowUpAt < soon)
  const usage = mayLackRoom ? (await usageOf(db, workspaceId, 'dms')).usage : null
  const planResetsAt = usage?.remaining === 0 ? usage.resetsAt : null
  const waitOf = (one: C): Wait | null => {
    if (one.status !== 'active') return null
    if (one.channel === 'api' && !connected.has(one.xAccountId ?? '')) return { reason: 'account', until: null }
    if (one.waiting) return { reason: 'turn', until: null }
    if (!sending.includes(one)) return planWaitOf(one, planResetsAt)
    const own: Wait | null = delayed.get(one.id) ?? (blind.has(one.id) ? { reason: 'detection', until: null } : null)
    return holdOf(limitsOf(one), own)
  }
  return campaigns.map((one) => ({ ...one, waitingFor: waitOf(one) }))
}

/** Campaigns whose next message is a follow-up that waits for a read of its account. */
async function findBlind(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await db.execute<{ id: string }>(sql`
    select c.id from campaigns c cross join lateral (
      select * from dms where campaign_id = c.id and ${isInQueue} and is_follow_up and due_at <= now() order by due_at, id limit 1
    ) d
    where c.id = any(${sql.param(ids)}::uuid[]) and c.firsts_queued_count = 0 and ${waitsForRead('d')}`)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Until when the next people of campaigns are left alone: another campaign messaged them, or X did not
 * show whether they can be messaged.
 */
async function findDelayed(db: Db, ids: readonly string[]): Promise<Map<string, Wait & { until: Date }>> {
  if (ids.length === 0) return new Map()
  const head = (which: SQL) => sql`(
    select lead_id, due_at, inbox_unclear_until from dms where campaign_id = c.id and ${which} order by due_at, id limit 1)`
  const isApart = sql`coalesce(l.last_claimed_at > now() - interval '1 day' and l.last_claimed_campaign_id is distinct from c.id, false)`
  const { rows } = await db.execute<{ id: string; reason: 'day_apart' | 'inbox_unclear'; until: string }>(sql`
    select c.id, case when ${isApart} then 'day_apart' else 'inbox_unclear' end as reason,
      greatest(d.due_at, case when ${isApart} then l.last_claimed_at + interval '1 day' end) as until
    from campaigns c cross join lateral (
      select * from (${head(isFirstInQueue)} union all ${head(sql`${isInQueue} and is_follow_up`)}) heads order by due_at limit 1
    ) d join leads l on l.id = d.lead_id
    where c.id = any(${sql.param(ids)}::uuid[]) and d.due_at > now() and (${isApart} or d.inbox_unclear_until > now())`)
  return new Map(rows.map(({ id, reason, until }) => [id, { reason, until: new Date(until) }]))
}

/** People who get their next message once the plan allows it. @param resetsAt null: it has room */
function planWaitOf(
  { status, dmsQueuedCount, nextPartAt, nextFollowUpAt }: Sending,
  resetsAt: Date | null,
): Cooldown | null {
  const until = nextPartAt ?? (nextFollowUpAt && resetsAt)
  return status === 'active' && dmsQueuedCount === 0 && until ? { until, reason: 'plan' } : null
}

/** Who sends: an X account, or without one the current account. */
type SenderOf = Pick<Sending, 'channel' | 'xAccountId'>

/** The limits that hold each of these senders. Queries once per sender. */
export async function findCooldowns(
  { db, env, actor: { workspaceId } }: Needs,
  senders: readonly SenderOf[],
): Promise<(sender: SenderOf) => Cooldown | null> {
  const keyOf = ({ channel, xAccountId }: SenderOf) => `${channel} ${xAccountId}`
  const found = new Map<string, Cooldown | null>()
  for (const { channel, xAccountId } of senders) {
    const key = keyOf({ channel, xAccountId })
    if (found.has(key)) continue
    const [account = null] = xAccountId
      ? await db.select().from(xAccounts).where(eq(xAccounts.id, xAccountId))
      : [await findCurrentAccount(db, workspaceId)]
    const { cooldown, now } = await findSendingState(db, env, { workspaceId, account, channel })
    // Jitter can delay the next message beyond the pause.
    const next = account?.nextSendAt ?? null
    const isPutOff = next !== null && next > (cooldown?.until ?? now)
    found.set(
      key,
      isPutOff && cooldown?.reason !== 'funds' ? { reason: cooldown?.reason ?? 'pause', until: next } : cooldown,
    )
  }
  return (sender) => found.get(keyOf(sender)) ?? null
}

export async function withWait<C extends Sending>(needs: Needs, campaign: C): Promise<WithWait<C>> {
  return one(await withWaits(needs, [campaign]))
}
