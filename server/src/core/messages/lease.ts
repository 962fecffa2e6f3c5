import { randomUUID } from 'node:crypto'
import { LEASE_SECONDS } from '@x-automated/contract/outreach/sending'
import type { SkipReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { parseTime } from '../../db/parse-time.ts'
import { executePrepared } from '../../db/prepared.ts'
import { campaigns, waitsForOlder } from '../tables/campaigns.ts'
import { leads, lostHandleReason, sampleReason } from '../tables/leads.ts'
import { dms, isFirstInQueue, isFollowUpOf } from '../tables/messages.ts'
import { isChatUnread, isReplyKnown } from '../tables/replies.ts'
import { suppressionReason } from '../tables/suppressions.ts'
import { type AccountApp, type Locked, needsRead } from './account-lock.ts'
import { reasonToStop } from './eligibility.ts'
import { pauseSecondsOf } from './limits.ts'
import { appTurn, claimCooldown, intervalSeconds, nextSend } from './pace.ts'
import { RETRY_MS, TURN_SECONDS } from './schedule.ts'
import { blindSecondsOf, CHAT_UNREAD_SECONDS, knownSecondsOf, type Sender } from './sender.ts'
import { claimThatLeavesTheDay, lastHandOver, type SendingEnv } from './sending-state.ts'

const lead = alias(leads, 'l')
const message = alias(dms, 'd')
const campaign = alias(campaigns, 'c')

// Chooses the next message of a campaign and leases it, in one statement.

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
  /** Another transaction has locked the lead. */
  isLocked: boolean
  stopped: SkipReason | null
  isClaimed: boolean
  /** The message was postponed. */
  isDelayed: boolean
  /** The account has to be read before this message is sent. */
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
 * Finds the campaign's next unlocked message, and leases it if it is due and nothing prevents it.
 * @param dmId only this message @returns null: there is no such message
 */
export async function leaseNext(tx: Db, env: SendingEnv, sender: Sender, locked: Locked, dmId?: string | null) {
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
  // Messages of one campaign are kept apart by the step's delay instead.
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
    waitMs: waitMsOf(row, sender),
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
    triedSince: parseTime(row.triedAt),
    isDecided: row.isDecided,
  }
}

/** Milliseconds until the message is checked again; null: its due time and the limits decide. */
function waitMsOf({ isWaiting, isLocked, isBlind }: NextRow, sender: Sender): number | null {
  if (isWaiting) return TURN_SECONDS * 1_000
  if (isLocked) return RETRY_MS
  return isBlind ? blindSecondsOf(sender) * 1_000 : null
}
