import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LEASE_SECONDS } from '@x-automated/contract/outreach/sending'
import type { WaitReason } from '@x-automated/contract/outreach/sending-settings'
import { leftoverIn } from '@x-automated/contract/outreach/template'
import type { SkipReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { parseTime } from '../../db/parse-time.ts'
import { executePrepared } from '../../db/prepared.ts'
import { transact } from '../../db/transact.ts'
import { pauseForPlaceholder, shownLeftover } from '../campaigns/pause.ts'
import { campaigns, waitsForOlder } from '../tables/campaigns.ts'
import { leads, lostHandleReason, sampleReason } from '../tables/leads.ts'
import { dms, isFirstInQueue, isFollowUpOf } from '../tables/messages.ts'
import { isChatUnread, isReplyKnown } from '../tables/replies.ts'
import { suppressionReason } from '../tables/suppressions.ts'
import { type AccountApp, type Locked, lockDue, lockFor, needsRead } from './account-lock.ts'
import { reasonToStop } from './eligibility.ts'
import { pauseSecondsOf } from './limits.ts'
import { appTurn, claimCooldown, intervalSeconds, limitsOf, nextSend } from './pace.ts'
import { LEAD_MISSING, recordOutcome } from './record.ts'
import { release } from './release.ts'
import { RETRY_MS, reschedule, TURN_SECONDS } from './schedule.ts'
import { blindSecondsOf, CHAT_UNREAD_SECONDS, knownSecondsOf, type Sender, workerOf } from './sender.ts'
import { claimThatLeavesTheDay, lastHandOver, type SendingEnv } from './sending-state.ts'
import { skipMessage } from './stop.ts'

const lead = alias(leads, 'l')
const message = alias(dms, 'd')
const campaign = alias(campaigns, 'c')

/** What a claim returns: a message, or why there is none. */
export type Answer =
  | ({ kind: 'claimed' } & ClaimedMessage)
  /** `isTurn`: another campaign on the account sends first. */
  | { kind: 'wait'; until: Date; reason: WaitReason | null; now: Date; isTurn?: true; locked: Locked }
  /** Nothing can be claimed now. `locked`: null if the campaign may not send. */
  | { kind: 'nothing'; locked: Locked | null }
  /** No due account is free. */
  | { kind: 'idle' }

export interface ClaimedMessage {
  id: string
  lease: string
  leaseExpiresAt: Date
  message: string
  /** Null if the lead was deleted. */
  lead: { id: string; handle: string; xUserId: string | null; isIdChecked: boolean } | null
  suppressed: SkipReason | null
  /** When an earlier attempt may first have sent it; null: no attempt was made. */
  triedSince: Date | null
  /** Since that attempt, a person has looked at the conversation and queued the message again. */
  isDecided: boolean
  /** The interval to the account's next message, in seconds. */
  pauseSeconds: number
  sender: Sender
  locked: Locked
}

/** The campaign to claim from, which the caller has locked, optionally limited to one message. */
export interface Scope {
  /** `xAccountId` is the account whose follow-ups are claimed, or that sends the first messages. */
  campaign: { id: string; workspaceId: string; xAccountId: string | null }
  isFollowUp?: boolean
  dmId?: string
}

/** How many messages a claim skips because their people must be left alone for now. */
const DELAYS_MAX = 50

/**
 * Claims the next message of a campaign, or of the account that has been due longest, if the
 * account's limits allow it and no older campaign sends first. Every sender claims here.
 */
export async function claim(tx: Db, env: SendingEnv, sender: Sender, scope: Scope | 'due'): Promise<Answer> {
  const row =
    scope === 'due' ? await lockDue(tx, env) : await lockFor(tx, env, sender, scope.campaign, scope.isFollowUp ?? false)
  if (!row) return { kind: 'idle' }
  const locked = limitsOf(env, sender, row)
  const { account, now } = locked
  for (let delays = 0; ; ) {
    const next = locked.campaignId ? await take(tx, env, sender, locked, scope === 'due' ? null : scope.dmId) : null
    const leftover = next?.lease && next.lead && !next.isFilled ? leftoverIn(next.message) : null
    if (leftover && next?.lease && locked.campaignId) {
      await release(tx, sql`id = ${next.id} and lease = ${next.lease}`)
      const { workspaceId, campaignId } = locked
      if (next.isOfCampaign)
        await pauseForPlaceholder(tx, { workspaceId, campaignId, xAccountId: account?.id ?? null }, leftover)
      else
        await skipMessage(tx, next.id, {
          reason: { code: 'placeholder', params: { written: shownLeftover(leftover) } },
        })
    } else if (next?.lease) {
      const claimed = { ...next, lease: next.lease, sender, locked }
      if (claimed.lead || !sender.skips) return { kind: 'claimed', ...claimed }
      await recordOutcome(tx, claimed, { wasSent: false, reason: LEAD_MISSING })
    } else if (next?.stopped && !next.isWaiting && !next.isLocked)
      await skipMessage(tx, next.id, { reason: next.stopped })
    else if (next?.isDelayed && delays < DELAYS_MAX) delays += 1
    else {
      const waitMs = waitMsOf(next, sender)
      const until = waitMs === null ? (next?.until ?? null) : new Date(now.getTime() + waitMs)
      // Even if the limits allow a message, another one may be due before this one.
      const limitedUntil = waitMs === null ? (next?.limitedUntil ?? null) : until
      if (scope === 'due' && account) await reschedule(tx, account.id, now, limitedUntil)
      if (!until) return { kind: 'nothing', locked }
      const reason = waitMs === null ? (next?.limitedBy ?? null) : null
      return { kind: 'wait', until, reason, now, locked, ...(next?.isWaiting ? { isTurn: true } : {}) }
    }
  }
}

/** Milliseconds to wait before the next look; null: the limits decide. */
function waitMsOf(next: Awaited<ReturnType<typeof take>>, sender: Sender): number | null {
  if (next?.isWaiting) return TURN_SECONDS * 1_000
  if (next?.isLocked) return RETRY_MS
  return next?.isBlind ? blindSecondsOf(sender) * 1_000 : null
}

/** The X id of the account that has to be read before its follow-up; null: no read is needed, or one is requested. */
export function unreadAccountOf(result: Answer): string | null {
  if (result.kind === 'idle' || !result.locked?.needsRead) return null
  return result.locked.account?.xUserId ?? null
}

type NextRow = {
  lastAt: string | null
  leavesAt: string | null
  appTurnAt: string | null
  id: string | null
  isOfCampaign: boolean
  /** See `dms.is_filled`. */
  isFilled: boolean
  dueAt: string
  triedAt: string | null
  isDecided: boolean
  message: string
  isWaiting: boolean
  /** Someone else has locked the lead. */
  isLocked: boolean
  stopped: SkipReason | null
  isClaimed: boolean
  /** The message was put off, and is due again later. */
  isDelayed: boolean
  /** The account has to be read before this message goes out. */
  isBlind: boolean
  needsRead: boolean
  leadId: string | null
  handle: string
  leadXUserId: string | null
  /** X has shown this id with the handle. */
  isIdChecked: boolean
  suppressed: SkipReason | null
}

/**
 * Finds the campaign's next unlocked message. Claims it, which gives it a lease, if it is due and
 * nothing prevents it. Null: nothing is queued.
 */
async function take(tx: Db, env: SendingEnv, sender: Sender, locked: Locked, dmId?: string | null) {
  const { byApi, byHand, isAnswer, maySend, skips } = sender
  const { account, cap, campaignId, claims, claimedAt, isFollowUp, now } = locked
  const app = byApi && locked.app?.dailyLimit != null ? locked.app : null
  const lease = randomUUID()
  const pauseSeconds = pauseSecondsOf(locked.accountLimits, env)
  const accountId = sql`${account?.id ?? null}::uuid`
  const isNext = isFollowUp ? isFollowUpOf(accountId) : isFirstInQueue
  const mayBeBlind = isFollowUp && maySend
  const xUserId = sql`${account?.xUserId ?? null}::text`
  // A worker does not lock the campaign that it claims from, so check the campaign again.
  const isSending = [
    ...(isAnswer ? [] : [sql`c.status = 'active'`]),
    ...(byApi ? [sql`c.channel = 'api'`] : []),
    ...(byApi && !isFollowUp && !isAnswer ? [sql`c.x_account_id = ${accountId}`] : []),
  ]
  // Within one campaign, the step's delay decides instead.
  const apartUntil = byHand
    ? sql`null::timestamptz`
    : sql`
      case
        when c.kind = 'direct'
          or l.last_claimed_campaign_id is distinct from c.id then l.last_claimed_at + interval '1 day' end`
  const chatReadAt = mayBeBlind
    ? sql`
      case
        when ${isChatUnread(xUserId, sql`l.x_user_id`)} then before.at + make_interval(secs => ${CHAT_UNREAD_SECONDS}) end`
    : sql`null::timestamptz`
  const isWithinLimits = claimCooldown(env, sender, locked, { lastAt: null, leavesAt: null, appTurnAt: null }) === null
  const isIntervalOver = sender.hasInterval
    ? sql`coalesce(last_at, '-infinity') <= at + make_interval(secs => ${-intervalSeconds(env, sender, locked)})`
    : sql`true`
  const nextSendAt = sql`${nextSend(now, pauseSeconds).toISOString()}::timestamptz`
  const { rows } = await executePrepared<NextRow>(
    tx,
    sql`
    with before as materialized (
      select ${claimedAt}::timestamptz as at, (${lastHandOver(claims)}) as last_at,
        (${claimThatLeavesTheDay(claims, cap.cap)}) + interval '1 day' as leaves_at,
        (${appTurn(app, account?.id ?? null)}) as app_turn_at,
        ${mayBeBlind ? sql`not ${isReplyKnown(xUserId, knownSecondsOf(sender))}` : sql`false`} as is_blind,
        ${mayBeBlind ? needsRead(xUserId, knownSecondsOf(sender)) : sql`false`} as needs_read
    ), head as materialized (
      select * from dms
      where campaign_id = ${campaignId} and ${isNext} ${dmId ? sql`and id = ${dmId}` : sql``}
      order by due_at, id limit 1 for update skip locked
    ), person as materialized (
      -- Two accounts must not message the same person at the same time.
      select l.* from head d join leads l on l.id = d.lead_id for no key update of l skip locked
    ), next as materialized (
      select d.*, c.kind, ${isFollowUp ? sql`false` : waitsForOlder(campaign)} as is_waiting,
        d.lead_id is not null and l.id is null as is_locked,
        coalesce(
          ${sampleReason(lead, env)}, ${maySend && !byApi ? lostHandleReason(lead) : sql`null::jsonb`},
          ${skips ? reasonToStop(lead, message) : sql`null::jsonb`}
        ) as stopped,
        greatest(${apartUntil}, ${chatReadAt}) as later_at
      from head d cross join before join campaigns c on c.id = d.campaign_id left join person l on l.id = d.lead_id
      where ${sql.join([sql`true`, ...isSending], sql` and `)}
    ), free as materialized (
      select next.*, coalesce(later_at > at, false) as is_too_soon from next, before
      where due_at <= at and not is_blind and not is_waiting and not is_locked and stopped is null
    ), delayed as (
      update dms d set due_at = later_at, updated_at = at
      from free, before where d.id = free.id and is_too_soon
      returning d.id
    ), claimed as (
      update dms d set lease = ${lease}, holder = ${sender.holder}, x_account_id = ${accountId},
        ${maySend ? sql`attempts = d.attempts + 1, tried_at = coalesce(d.tried_at, at), is_handed_over = false,` : sql``}
        claimed_at = at, lease_expires_at = at + make_interval(secs => ${LEASE_SECONDS}), updated_at = at
      from free, before
      where d.id = free.id
        and not is_too_soon
        and ${isWithinLimits}::boolean
        and leaves_at is null
        and app_turn_at is null
        and ${isIntervalOver}
      returning d.id, d.lead_id, d.campaign_id, free.kind
    ), contact as (
      update leads l set last_claimed_at = at, last_claimed_campaign_id = claimed.campaign_id
      from claimed, before where l.id = claimed.lead_id ${isAnswer ? sql`and false` : sql``}
    ), schedule as (
      update x_accounts set next_send_at = ${byHand ? sql`greatest(next_send_at, ${nextSendAt})` : nextSendAt},
        follow_ups_in_row = case
          when claimed.kind = 'direct' then follow_ups_in_row
          else ${isFollowUp ? sql`follow_ups_in_row + 1` : sql`0`} end
      from claimed where x_accounts.id = ${accountId} ${byHand ? sql`and next_send_at is not null` : sql``}
    )${app ? sql`, app_claim as (${insertAppClaim(app, accountId)})` : sql``}
    select last_at as "lastAt", leaves_at as "leavesAt", app_turn_at as "appTurnAt",
      n.id, n.kind = 'campaign' as "isOfCampaign", n.is_filled as "isFilled", n.due_at as "dueAt",
      n.tried_at as "triedAt", coalesce(n.requeued_at > coalesce(n.claimed_at, n.tried_at), false) as "isDecided",
      n.message, n.stopped, n.is_waiting as "isWaiting", n.is_locked as "isLocked",
      exists (select from delayed) as "isDelayed", exists (select from claimed) as "isClaimed", is_blind as "isBlind",
      needs_read as "needsRead",
      l.id as "leadId", l.twitter_handle as handle, l.x_user_id as "leadXUserId",
      l.x_user_checked_at is not null as "isIdChecked", ${suppressionReason(lead)} as suppressed
    from before left join next n on true left join person l on l.id = n.lead_id`,
  )
  const row = one(rows)
  locked.needsRead ||= row.needsRead
  if (!row.id) return null
  const cooldown = claimCooldown(env, sender, locked, {
    lastAt: parseTime(row.lastAt),
    leavesAt: parseTime(row.leavesAt),
    appTurnAt: parseTime(row.appTurnAt),
  })
  const untilMs = Math.max(new Date(row.dueAt).getTime(), cooldown?.until.getTime() ?? 0)
  return {
    ...readNext(row),
    id: row.id,
    lease: row.isClaimed ? lease : null,
    leaseExpiresAt: new Date(now.getTime() + LEASE_SECONDS * 1_000),
    pauseSeconds,
    limitedUntil: cooldown?.until ?? null,
    limitedBy: cooldown?.reason ?? null,
    until: new Date(untilMs),
  }
}

/** SQL over `claimed` and `before` that counts the claim toward the app's 24 hours. */
function insertAppClaim({ clientId }: AccountApp, accountId: SQL): SQL {
  return sql`insert into x_app_claims (dm_id, client_id, x_account_id, claimed_at)
      select claimed.id, ${clientId}, ${accountId}, at from claimed, before
      on conflict (dm_id) do update set client_id = excluded.client_id, x_account_id = excluded.x_account_id,
        claimed_at = excluded.claimed_at`
}

function readNext(row: NextRow) {
  return {
    isOfCampaign: row.isOfCampaign,
    message: row.message,
    lead: row.leadId
      ? { id: row.leadId, handle: row.handle, xUserId: row.leadXUserId, isIdChecked: row.isIdChecked }
      : null,
    suppressed: row.suppressed,
    stopped: row.stopped,
    isWaiting: row.isWaiting,
    isLocked: row.isLocked,
    isFilled: row.isFilled,
    isDelayed: row.isDelayed,
    isBlind: row.isBlind,
    triedSince: parseTime(row.triedAt),
    isDecided: row.isDecided,
  }
}

// By workers

/** A message that this process has claimed. */
export interface Claimed extends Omit<ClaimedMessage, 'leaseExpiresAt' | 'locked'> {
  campaignId: string
  workspaceId: string
  /** The X account that sends it. */
  accountId: string
  /** That account's user id at X. */
  senderId: string
  app: AccountApp
  /** `performance.now()` before the claim began. */
  claimedAt: number
  /** `performance.now()` once every other transaction sees the claim; by default `claimedAt`. */
  visibleAt?: number
}

/** A message that was claimed for a connected account. */
export function claimedFrom({ locked, leaseExpiresAt: _, ...message }: ClaimedMessage): Omit<Claimed, 'claimedAt'> {
  const { account, app, campaignId, workspaceId } = locked
  if (!account || !app || !campaignId) throw new Error('a worker claimed without an account')
  return { ...message, campaignId, workspaceId, accountId: account.id, senderId: account.xUserId, app }
}

/** How long this process delays its next claim while replies arrive faster than they are stored. */
const YIELD_MS = 50
/** When the delay ends, in the time of `performance.now()`. */
let yieldsUntil = 0

/**
 * Claims the next message of the account that has been due longest. In a burst of replies it claims
 * more slowly, because each reply may stop a message. @returns `claimed`: null if that account must
 * wait. `isIdle`: no due account is free to claim. `unread`: the X id to call `requestRead` for, or
 * null
 */
export async function claimDue(
  db: Db,
  workerId: number,
  env: SendingEnv,
): Promise<{ claimed: Claimed | null; isIdle: boolean; unread: string | null }> {
  const yieldMs = yieldsUntil - performance.now()
  if (yieldMs > 0) await sleep(yieldMs)
  const claimedAt = performance.now()
  const result = await db.transaction((tx) => claim(tx, env, workerOf(workerId), 'due'))
  if (result.kind !== 'idle' && result.locked?.areRepliesBehind) yieldsUntil = performance.now() + YIELD_MS
  const [isIdle, unread] = [result.kind === 'idle', unreadAccountOf(result)]
  if (result.kind !== 'claimed') return { claimed: null, isIdle, unread }
  return { claimed: { ...claimedFrom(result), claimedAt, visibleAt: performance.now() }, isIdle, unread }
}

/**
 * Releases claims that committed after the worker lost its connection. Call it only while the
 * worker is not claiming. @param knownIds messages that the worker may have handed over to X
 */
export async function releaseLostClaims(db: Db, workerId: number, knownIds: readonly string[]): Promise<void> {
  const isLost = sql`lease_expires_at is not null and holder = ${workerOf(workerId).holder} and not outcome_unknown
    and id <> all(${sql.param([...knownIds])}::uuid[])`
  await transact(db, (tx) => release(tx, isLost))
}

/** Seconds from one time to another. */
export function secondsOf({ until, now }: { until: Date; now: Date }): number {
  return (until.getTime() - now.getTime()) / 1_000
}
