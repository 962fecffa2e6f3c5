import { LEASE_SECONDS } from '@x-automated/contract/outreach/campaigns'
import type { SkipReason } from '@x-automated/contract/reason'
import { sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { X_TIMEOUT_MS } from '../../../outside/x.ts'
import { suppressionReason } from '../../leads/suppressions/tables.ts'
import type { withAccount } from '../../platform/x-account/service.ts'
import { waitsForOlder } from '../campaigns/tables.ts'
import {
  capOf,
  claimThatLeavesTheDay,
  type LimitsRow,
  lastHandOver,
  parseLimits,
  pauseSecondsOf,
  type Rest,
  restOf,
  type SendingEnv,
  unreadRest,
} from '../sending-settings/service.ts'
import { withJitter } from './rules.ts'
import { campaignGate, xUserLock } from './service-locks.ts'
import { TURN_SECONDS, wakeAccount } from './service-schedule.ts'
import { releaseIfArchived } from './service-stopping.ts'

/*
 * Workers send each message exactly once, even if processes die. A claim leases an account's next
 * message in a short transaction; several run in parallel.
 *
 * Send: outside any transaction, within HAND_OVER_MS of the claim, after a last check of the lease,
 * the campaign and the lead. Record: one transaction, only under a valid lease.
 *
 * Settle: an unknown outcome is read from the conversation. A message that is not there is queued
 * again once no call can still be running, because a call may take effect late.
 *
 * Pause: `blockNewClaims`, then `waitForInFlight` outside any transaction, until no sender owns a
 * message. A worker that has not called X yet finds the campaign paused and releases its message.
 */

export type Needs = Parameters<typeof withAccount>[0] & { env: SendingEnv }

/** Milliseconds. */
export interface Timing {
  /** Maximum time from claim to hand-over. */
  handOverMs: number
  /** After this time since the claim, an unanswered call to X can no longer take effect. */
  settleAfterMs: number
}

const HAND_OVER_MS = 3_000
const SETTLE_MARGIN_MS = 2_000
export const TIMING: Timing = {
  handOverMs: HAND_OVER_MS,
  settleAfterMs: HAND_OVER_MS + X_TIMEOUT_MS + SETTLE_MARGIN_MS,
}

/** A message that this process has claimed. */
export interface Claimed {
  id: string
  lease: string
  campaignId: string
  workspaceId: string
  message: string
  /** The X account that sends it. */
  accountId: string
  /** That account's user id at X. */
  senderId: string
  /** Null if the lead was deleted. */
  lead: { id: string; handle: string; xUserId: string | null } | null
  /**
   * Why the lead may not be messaged; null if it was not suppressed when the message was claimed.
   */
  suppressed: SkipReason | null
  /** The interval to the account's next message, in seconds. */
  pauseSeconds: number
  /** When an earlier attempt may first have sent it; null if none can have. */
  triedSince: Date | null
  /** `performance.now()` before the claim began. */
  claimedAt: number
  /** A person sends it and is waiting for the result. */
  byHand?: true
}

// Claiming

/**
 * Claims the next message of the account that has been due longest.
 * @returns `claimed`: null if that account must wait. `isIdle`: no due account is free to claim.
 */
export async function claimDue(
  db: Db,
  workerId: number,
  env: SendingEnv,
): Promise<{ claimed: Claimed | null; isIdle: boolean }> {
  const claimedAt = performance.now()
  const next = await db.transaction((tx) => claimNext(tx, workerId, env))
  if (next === 'idle') return { claimed: null, isIdle: true }
  return { claimed: next && { ...next, claimedAt }, isIdle: false }
}

async function claimNext(
  tx: Db,
  workerId: number,
  env: SendingEnv,
): Promise<Omit<Claimed, 'claimedAt'> | 'idle' | null> {
  const { rows: due } = await tx.execute<DueAccount>(sql`
      select a.id, a.x_user_id as "xUserId", a.workspace_id as "workspaceId", a.rests_until as "restsUntil", a.unread_since is not null as "isUnread",
        to_jsonb(p) as limits,
        array(select s.id::text from x_accounts s where s.x_user_id = a.x_user_id) as ids
      from x_accounts a left join sending_limits p on p.x_account_id = a.id
      where a.next_send_at <= now() and a.status = 'connected'
      order by a.next_send_at limit 1 for update of a skip locked`)
  const account = due[0]
  if (!account) return 'idle'
  const next = await findNext(tx, account, env)
  if (next.waitUntil) {
    await tx.execute(
      sql`update x_accounts set next_send_at = ${next.waitUntil.toISOString()}::timestamptz where id = ${account.id}`,
    )
    return null
  }
  if (!next.dmId) {
    await tx.execute(sql`
        update x_accounts set next_send_at = (
          select min(case when ${waitsForOlder(sql`c`)} then now() + make_interval(secs => ${TURN_SECONDS}) else d.due_at end)
          from campaigns c cross join lateral (
            select due_at from dms where campaign_id = c.id and status = 'queued' and lease_expires_at is null order by due_at, id limit 1
          ) d
          where c.x_account_id = ${account.id} and c.status = 'active' and c.channel = 'api' and c.dms_queued_count > 0
        ) where id = ${account.id}`)
    return null
  }
  if (!next.isOpen) {
    await retrySoon(tx, account.id)
    return null
  }
  // No pause can start while this transaction holds the gate, and an earlier one is visible here.
  // `skip locked`: a transaction that edits the message may wait for this account's row.
  const pauseSeconds = pauseSecondsOf(parseLimits(account.limits, env), env)
  const { rows: claims } = await tx.execute<ClaimRow>(sql`
      with claimed as (
        update dms d set lease = gen_random_uuid(), holder = ${`worker:${workerId}`}, claimed_at = clock_timestamp(),
          lease_expires_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), x_account_id = ${account.id},
          attempts = d.attempts + 1, tried_at = coalesce(d.tried_at, now()), updated_at = now()
        from campaigns c
        where d.id = (
            select id from dms where id = ${next.dmId} and status = 'queued' and lease_expires_at is null for update skip locked
          )
          and c.id = d.campaign_id and c.status = 'active' and c.channel = 'api' and c.x_account_id = ${account.id}
          and not ${waitsForOlder(sql`c`)}
        returning d.id, d.lease, d.campaign_id, d.workspace_id, d.message, d.lead_id
      ), moved as (
        update x_accounts set next_send_at = clock_timestamp() + make_interval(secs => ${withJitter(pauseSeconds, Math.random())})
        where id = ${account.id} and exists (select from claimed)
      )
      select c.id, c.lease, c.campaign_id as "campaignId", c.workspace_id as "workspaceId", c.message,
        l.id as "leadId", l.twitter_handle as handle, l.x_user_id as "leadXUserId", ${suppressionReason('l')} as suppressed
      from claimed c left join leads l on l.id = c.lead_id`)
  const row = claims[0]
  if (!row) {
    await retrySoon(tx, account.id)
    return null
  }
  return {
    id: row.id,
    lease: row.lease,
    campaignId: row.campaignId,
    workspaceId: row.workspaceId,
    message: row.message,
    accountId: account.id,
    senderId: account.xUserId,
    lead: row.leadId ? { id: row.leadId, handle: row.handle, xUserId: row.leadXUserId } : null,
    suppressed: row.suppressed,
    pauseSeconds,
    triedSince: next.triedAt ? new Date(next.triedAt) : null,
  }
}

/**
 * Releases claims that committed after the worker lost its connection. Call it only while the
 * worker is not claiming. @param knownIds messages that the worker may have handed to X
 */
export async function releaseLostClaims(db: Db, workerId: number, knownIds: readonly string[]): Promise<void> {
  await transact(db, async (tx) => {
    const { rows } = await tx.execute<{ id: string; accountId: string }>(sql`
      update dms set lease = null, holder = null, lease_expires_at = null, claimed_at = null, attempts = attempts - 1,
        tried_at = case when attempts > 1 then tried_at end, updated_at = now()
      where lease_expires_at is not null and holder = ${`worker:${workerId}`} and not outcome_unknown
        and id <> all(${sql.param([...knownIds])}::uuid[])
      returning id, x_account_id as "accountId"`)
    if (rows.length === 0) return
    await releaseIfArchived(tx, sql`select unnest(${sql.param(rows.map(({ id }) => id))}::uuid[])`)
    for (const id of [...new Set(rows.map(({ accountId }) => accountId))].sort()) await wakeAccount(tx, id)
  })
}

/** The campaign is being paused or its message edited right now, so other accounts go first. */
async function retrySoon(tx: Db, accountId: string): Promise<void> {
  await tx.execute(sql`update x_accounts set next_send_at = now() + interval '50 milliseconds' where id = ${accountId}`)
}

type DueAccount = {
  id: string
  xUserId: string
  workspaceId: string
  restsUntil: string | null
  isUnread: boolean
  limits: LimitsRow | null
  ids: string[]
}
type Next = {
  waitUntil: Date | null
  dmId: string | null
  campaignId: string
  triedAt: string | null
  /** New claims are allowed, and stay allowed until the transaction ends. */
  isOpen: boolean
}
type NextRow = Omit<Next, 'waitUntil'> & { lastAt: string | null; leavesAt: string | null; now: string }
type ClaimRow = {
  id: string
  lease: string
  campaignId: string
  workspaceId: string
  message: string
  leadId: string | null
  handle: string
  leadXUserId: string | null
  suppressed: SkipReason | null
}

/**
 * The time at which the account may send again, or else its next message: direct messages first,
 * then its oldest active campaign.
 */
async function findNext(tx: Db, account: DueAccount, env: SendingEnv): Promise<Next> {
  if (account.isUnread) return { ...NOTHING, waitUntil: unreadRest(new Date()).until }
  const isShared = account.ids.length > 1
  if (isShared) {
    // Several workspaces share this X account, so its claims count together and run one at a time.
    const { rows } = await tx.execute<{ hasLock: boolean }>(
      sql`select pg_try_advisory_xact_lock(${xUserLock(account.xUserId)}) as "hasLock"`,
    )
    if (!rows[0]?.hasLock) return { ...NOTHING, waitUntil: new Date(Date.now() + 20) }
  }
  const limits = parseLimits(account.limits, env)
  const { cap, growsAt } = await capOf(tx, env, limits, { workspaceId: account.workspaceId, account })
  const claims = isShared
    ? sql`x_account_id = any(${`{${account.ids.join()}}`}::uuid[])`
    : sql`x_account_id = ${account.id}`
  const { rows } = await tx.execute<NextRow>(sql`
    select clock_timestamp() as now, sent.*, next.*,
      next."campaignId" is not null and pg_try_advisory_xact_lock_shared(${campaignGate(sql`next."campaignId"::text`)}) as "isOpen"
    from (
      select (${lastHandOver(claims)}) as "lastAt",
        (${claimThatLeavesTheDay(claims, cap)}) + interval '1 day' as "leavesAt"
    ) sent
    left join lateral (
      select d.id as "dmId", c.id as "campaignId", d.tried_at as "triedAt"
      from campaigns c cross join lateral (
        select id, tried_at from dms
        where campaign_id = c.id and status = 'queued' and lease_expires_at is null and due_at <= now()
        order by due_at, id limit 1
      ) d
      where c.x_account_id = ${account.id} and c.status = 'active' and c.channel = 'api' and c.dms_queued_count > 0 and not ${waitsForOlder(sql`c`)}
      order by c.kind = 'direct' desc limit 1
    ) next on true`)
  const [row] = rows
  if (!row) return NOTHING
  const moment = (text: string | null) => (text === null ? null : new Date(text))
  const sent = { lastAt: moment(row.lastAt), leavesAt: moment(row.leavesAt), restsUntil: moment(account.restsUntil) }
  const rest: Rest | null = restOf(limits, env, { cap, growsAt }, sent, new Date(row.now))
  return { ...row, waitUntil: rest?.until ?? null }
}

const NOTHING: Next = { waitUntil: null, dmId: null, campaignId: '', triedAt: null, isOpen: false }

/**
 * On start, makes every delayed account due again: limits may have changed. X's own limits
 * (`rests_until`) still apply.
 */
export async function resetSchedules(db: Db): Promise<void> {
  await db.execute(sql`update x_accounts set next_send_at = now() where next_send_at > now() and status = 'connected'`)
}

/** Milliseconds until an account is due; null if no account has anything to send. */
export async function nextDueInMs(db: Db): Promise<number | null> {
  const { rows } = await db.execute<{ ms: number | null }>(
    sql`select (extract(epoch from min(next_send_at) - now()) * 1000)::float as ms from x_accounts where next_send_at is not null and status = 'connected'`,
  )
  return rows[0]?.ms ?? null
}
