import { LEASE_SECONDS } from '@x-automated/contract/campaigns'
import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { X_TIMEOUT_MS } from '../../outside/x.ts'
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
import { suppressedBecause } from '../suppressions/tables.ts'
import type { withAccount } from '../x-account/service.ts'
import { restSeconds } from './rules.ts'
import { campaignGate, xUserLock } from './service-locks.ts'
import { TURN_SECONDS, wakeAccount } from './service-schedule.ts'
import { releaseIfArchived } from './service-stopping.ts'

/*
 * How our workers send, so that each message goes out once however many processes run and whenever they die.
 *
 * Claim. One short transaction locks one X account that is due, checks its limits, takes its next message under a lease and sets when the account is due again.
 * Several such transactions run side by side.
 * Send (engine-sending.ts). Outside any transaction, and soon after the claim (HAND_OVER_MS), or the claim is renewed first. The moment of the hand-over is stored, as
 * the interval to the account's next message counts from there. The last statement before the call to X checks that the lease, the campaign and the lead are still good.
 * Record. One transaction writes the outcome, if the lease is still the message's own.
 * Settle (engine-settling.ts). If nobody knows whether X took a message (no answer, a worker that died, a lease that ran out), the conversation is read. If the message is
 * there, it was sent. If it is not, it may still take effect late, so the conversation is read again once no call can still be under way, and only then is it queued again.
 *
 * Pause. One short transaction blocks new claims of the campaign (`blockNewClaims`) and sets it paused. Outside any transaction the caller then waits until no sender owns
 * a message of it (`waitForInFlight`). What was claimed before is under a lease, which the wait sees; what is not yet on its way to X finds the campaign paused and goes back.
 */

export type Needs = Parameters<typeof withAccount>[0] & { env: SendingEnv }

/** Milliseconds. */
export interface Timing {
  /** A claimed message is handed to X within this time. */
  handOverMs: number
  /** From this time after its claim on, a message that X never answered for can take effect no more. */
  settleAfterMs: number
}

const HAND_OVER_MS = 3_000
const SETTLE_MARGIN_MS = 2_000
export const TIMING: Timing = {
  handOverMs: HAND_OVER_MS,
  settleAfterMs: HAND_OVER_MS + X_TIMEOUT_MS + SETTLE_MARGIN_MS,
}

/** A message in our hands. */
export interface Claimed {
  id: string
  lease: string
  campaignId: string
  workspaceId: string
  message: string
  /** The X account that sends it, and its id at X. */
  accountId: string
  senderId: string
  /** Null where the lead was deleted. */
  lead: { id: string; handle: string; xUserId: string | null } | null
  /** Why its lead is not to be written to, if it was suppressed by the claim. */
  suppressed: string | null
  /** The interval that its account keeps after it, in seconds. */
  pauseSeconds: number
  /** Since when it may have been sent by an attempt before; null: certainly never. */
  triedSince: Date | null
  /** By performance.now(), before the claim began. */
  claimedAt: number
  /** A person writes it, and waits for it. */
  byHand?: true
}

// Claiming

/**
 * Claims the next message of the account that has been due for longest, in one short transaction.
 * @returns `claimed`: null if that account has to wait; `isIdle`: no account is due that another transaction is not already looking at
 */
export async function claimDue(
  db: Db,
  workerId: number,
  pace: SendingEnv,
): Promise<{ claimed: Claimed | null; isIdle: boolean }> {
  const claimedAt = performance.now()
  const next = await db.transaction((tx) => claimNext(tx, workerId, pace))
  if (next === 'idle') return { claimed: null, isIdle: true }
  return { claimed: next && { ...next, claimedAt }, isIdle: false }
}

async function claimNext(
  tx: Db,
  workerId: number,
  pace: SendingEnv,
): Promise<Omit<Claimed, 'claimedAt'> | 'idle' | null> {
  const { rows: due } = await tx.execute<DueAccount>(sql`
      select a.id, a.x_user_id as "xUserId", a.workspace_id as "workspaceId", a.rests_until as "restsUntil", a.unread_since is not null as "isUnread",
        to_jsonb(p) as pace,
        array(select s.id::text from x_accounts s where s.x_user_id = a.x_user_id) as ids
      from x_accounts a left join sending_limits p on p.x_account_id = a.id
      where a.next_send_at <= now() and a.status = 'connected'
      order by a.next_send_at limit 1 for update of a skip locked`)
  const account = due[0]
  if (!account) return 'idle'
  const next = await findNext(tx, account, pace)
  if (next.restUntil) {
    await tx.execute(
      sql`update x_accounts set next_send_at = ${next.restUntil.toISOString()}::timestamptz where id = ${account.id}`,
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
  // The gate is held until the transaction ends: it cannot be paused any more; whether it was paused just before, this statement sees.
  // Who is changing the message may be about to wake its account, which is locked here: so it is not waited for (db/transact.ts).
  const pauseSeconds = pauseSecondsOf(parseLimits(account.pace, pace), pace)
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
        update x_accounts set next_send_at = clock_timestamp() + make_interval(secs => ${restSeconds(pauseSeconds, Math.random())})
        where id = ${account.id} and exists (select from claimed)
      )
      select c.id, c.lease, c.campaign_id as "campaignId", c.workspace_id as "workspaceId", c.message,
        l.id as "leadId", l.twitter_handle as handle, l.x_user_id as "leadXUserId", ${suppressedBecause('l')} as suppressed
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
 * Gives back what a worker claimed without knowing, as its connection broke while the claim was committed. Call it only while none of its claims is under way.
 * @param knownIds messages that it may have handed over
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

/** Its campaign is being paused, or its message changed, at this moment: meanwhile other accounts have their turn. */
async function retrySoon(tx: Db, accountId: string): Promise<void> {
  await tx.execute(sql`update x_accounts set next_send_at = now() + interval '50 milliseconds' where id = ${accountId}`)
}

type DueAccount = {
  id: string
  xUserId: string
  workspaceId: string
  restsUntil: string | null
  isUnread: boolean
  pace: LimitsRow | null
  ids: string[]
}
type Next = {
  restUntil: Date | null
  dmId: string | null
  campaignId: string
  triedAt: string | null
  /** Nobody blocks new claims of the campaign, and nobody can until the transaction ends. */
  isOpen: boolean
}
type NextRow = Omit<Next, 'restUntil'> & { lastAt: string | null; leavesAt: string | null; now: string }
type ClaimRow = {
  id: string
  lease: string
  campaignId: string
  workspaceId: string
  message: string
  leadId: string | null
  handle: string
  leadXUserId: string | null
  suppressed: string | null
}

/** When the account may send again, if not now; else its next message: those outside campaigns first, then of its oldest active campaign, if that one is ours to send. */
async function findNext(tx: Db, account: DueAccount, limits: SendingEnv): Promise<Next> {
  if (account.isUnread) return { ...NOTHING, restUntil: unreadRest(new Date()).until }
  const isShared = account.ids.length > 1
  if (isShared) {
    // Another workspace has connected the same account of X: its claims count too, so they come one after the other.
    const { rows } = await tx.execute<{ alone: boolean }>(
      sql`select pg_try_advisory_xact_lock(${xUserLock(account.xUserId)}) as alone`,
    )
    if (!rows[0]?.alone) return { ...NOTHING, restUntil: new Date(Date.now() + 20) }
  }
  const pace = parseLimits(account.pace, limits)
  const { cap, growsAt } = await capOf(tx, limits, pace, { workspaceId: account.workspaceId, account })
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
  const rest: Rest | null = restOf(pace, limits, { cap, growsAt }, sent, new Date(row.now))
  return { ...row, restUntil: rest?.until ?? null }
}

const NOTHING: Next = { restUntil: null, dmId: null, campaignId: '', triedAt: null, isOpen: false }

/**
 * Has every account looked at again that was put off, by a process that begins: what its environment says of caps and pauses may be other than what it was.
 * What X asks for stands apart (`rests_until`), and whoever still has to rest is put off anew.
 */
export async function lookAnew(db: Db): Promise<void> {
  await db.execute(sql`update x_accounts set next_send_at = now() where next_send_at > now() and status = 'connected'`)
}

/** Milliseconds until an account is due; null: none has anything to send. */
export async function nextDueInMs(db: Db): Promise<number | null> {
  const { rows } = await db.execute<{ ms: number | null }>(
    sql`select (extract(epoch from min(next_send_at) - now()) * 1000)::float as ms from x_accounts where next_send_at is not null and status = 'connected'`,
  )
  return rows[0]?.ms ?? null
}
