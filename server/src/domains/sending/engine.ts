import { setTimeout as sleep } from 'node:timers/promises'
import { LEASE_SECONDS } from '@x-automated/contract/campaigns'
import { and, eq, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { livingWorkers } from '../../jobs/liveness.ts'
import { X_TIMEOUT_MS, XError } from '../../outside/x.ts'
import { Refusal } from '../../refusal.ts'
import {
  capOf,
  claimThatLeavesTheDay,
  type Pace,
  type PaceRow,
  pauseSecondsOf,
  type Rest,
  readPace,
  restOf,
} from '../sending-settings/service.ts'
import { suppressedBecause } from '../suppressions/tables.ts'
import { CONNECTION_LOST, withAccount } from '../x-account/service.ts'
import { backoffSeconds, findSentMessage, restSeconds } from './rules.ts'
import {
  campaignGate,
  campaignLock,
  claimDirect,
  type DirectMessage,
  findReasonToStop,
  LEAD_MISSING,
  OUTCOME_UNKNOWN,
  recordOutcome,
  skipMessage,
  wakeAccount,
  withdrawDirect,
  X_ALLOWS_NO_MORE,
  xUserLock,
} from './service.ts'
import { dms } from './tables.ts'

/*
 * How our workers send, so that each message goes out once however many processes run and whenever they die.
 *
 * Claim. One short transaction locks an X account that is due, looks at its cap, takes the next message under a lease and moves the account's
 * schedule on. The message is then in one worker's hands.
 * Send. Outside any transaction, and soon after the claim (HAND_OVER_MS), or the claim is renewed first.
 * Record. One transaction writes the outcome, if the lease is still the message's own.
 * Settle. Where nobody knows whether X took a message (no answer, a worker that died, a lease that ran out), the conversation is read. If the message is
 * there, it was sent. If it is not, it may still take effect late, so it is looked for again once no call could still be under way, and only then queued again.
 *
 * Pause. A worker holds the campaign's lock, shared, from before the claim until its outcome is recorded, on the session that claims. A pause (`holdCampaign`) first
 * shuts the campaign's gate, which every claim passes through, and then takes that lock exclusively: so it waits for what is in the hands of every process, and for
 * nothing taken meanwhile. The claims after it see the campaign paused. PostgreSQL gives the locks of a dead process free.
 * It does so too when only the session breaks: then a pause looks at the rows for what is in living hands, and a worker looks at the campaign before it sends.
 */

type Needs = Parameters<typeof withAccount>[0]

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
  /** Since when it may have been sent by an attempt before; null: certainly never. */
  triedSince: Date | null
  /** By performance.now(), before the claim began. */
  claimedAt: number
}

// Claiming

/**
 * Takes messages that are due, `most` of them, in one transaction. The locks of their campaigns are held afterwards, by this session, until `letGoOf`.
 * @param session a connection of its own, not a pool: it carries the locks
 * @returns `isIdle`: no other account is due that another process does not see to
 */
export async function claimDue(
  session: Db,
  workerId: number,
  pace: Pace,
  most: number,
): Promise<{ claimed: Claimed[]; isIdle: boolean }> {
  const claimedAt = performance.now()
  return session.transaction(async (tx) => {
    const claimed: Claimed[] = []
    for (let looks = 0; claimed.length < most && looks < 2 * most + 8; looks += 1) {
      const next = await claimNext(tx, workerId, pace)
      if (next === 'idle') return { claimed, isIdle: true }
      if (next) claimed.push({ ...next, claimedAt })
    }
    return { claimed, isIdle: false }
  })
}

/** The next message of the account that has been due for longest; null: that one has to wait, others may be due. */
async function claimNext(tx: Db, workerId: number, pace: Pace): Promise<Omit<Claimed, 'claimedAt'> | 'idle' | null> {
  const { rows: due } = await tx.execute<DueAccount>(sql`
      select a.id, a.x_user_id as "xUserId", a.workspace_id as "workspaceId", a.rests_until as "restsUntil", to_jsonb(p) as pace,
        array(select s.id::text from x_accounts s where s.x_user_id = a.x_user_id) as ids
      from x_accounts a left join sending_paces p on p.x_account_id = a.id
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
          select min(d.due_at) from campaigns c join dms d on d.campaign_id = c.id and d.status = 'queued' and d.lease_expires_at is null
          where c.x_account_id = ${account.id} and c.status = 'active' and c.channel = 'api' and c.dms_queued_count > 0
        ) where id = ${account.id}`)
    return null
  }
  const campaignId = sql`${next.campaignId}::text`
  const { rows: locks } = await tx.execute<{ held: boolean }>(sql`
    select case when pg_try_advisory_xact_lock_shared(${campaignGate(campaignId)})
      then pg_try_advisory_lock_shared(${campaignLock(campaignId)}) else false end as held`)
  if (!locks[0]?.held) {
    // It is just being paused. Meanwhile other accounts have their turn.
    await tx.execute(
      sql`update x_accounts set next_send_at = now() + interval '50 milliseconds' where id = ${account.id}`,
    )
    return null
  }
  // From here on the campaign cannot be paused; whether it was paused just before, this statement sees.
  const { rows: claims } = await tx.execute<ClaimRow>(sql`
      with claimed as (
        update dms d set lease = gen_random_uuid(), holder = ${`worker:${workerId}`}, claimed_at = now(),
          lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS}), x_account_id = ${account.id},
          attempts = d.attempts + 1, tried_at = coalesce(d.tried_at, now()), updated_at = now()
        from campaigns c
        where d.id = ${next.dmId} and d.status = 'queued' and d.lease_expires_at is null
          and c.id = d.campaign_id and c.status = 'active' and c.channel = 'api' and c.x_account_id = ${account.id}
        returning d.id, d.lease, d.campaign_id, d.workspace_id, d.message, d.lead_id
      ), moved as (
        update x_accounts set next_send_at = now() + make_interval(secs => ${restSeconds(pauseSecondsOf(readPace(account.pace, pace), pace), Math.random())})
        where id = ${account.id} and exists (select from claimed)
      )
      select c.id, c.lease, c.campaign_id as "campaignId", c.workspace_id as "workspaceId", c.message,
        l.id as "leadId", l.twitter_handle as handle, l.x_user_id as "leadXUserId", ${suppressedBecause('l')} as suppressed
      from claimed c left join leads l on l.id = c.lead_id`)
  const row = claims[0]
  if (!row) {
    await letGoOf(tx, [next.campaignId])
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
    triedSince: next.triedAt ? new Date(next.triedAt) : null,
  }
}

type DueAccount = {
  id: string
  xUserId: string
  workspaceId: string
  restsUntil: string | null
  pace: PaceRow | null
  ids: string[]
}
type Next = { restUntil: Date | null; dmId: string | null; campaignId: string; triedAt: string | null }
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

/** When the account may send again, if not now; else its next message: those outside campaigns first, then of its oldest active campaign. */
async function findNext(tx: Db, account: DueAccount, limits: Pace): Promise<Next> {
  const isShared = account.ids.length > 1
  if (isShared) {
    // Another workspace has connected the same account of X: its claims count too, so they come one after the other.
    const { rows } = await tx.execute<{ alone: boolean }>(
      sql`select pg_try_advisory_xact_lock(${xUserLock(account.xUserId)}) as alone`,
    )
    if (!rows[0]?.alone) return { ...NOTHING, restUntil: new Date(Date.now() + 20) }
  }
  const pace = readPace(account.pace, limits)
  const { cap, growsAt } = await capOf(tx, limits, pace, { workspaceId: account.workspaceId, account })
  const claims = isShared
    ? sql`x_account_id = any(${`{${account.ids.join()}}`}::uuid[])`
    : sql`x_account_id = ${account.id}`
  const { rows } = await tx.execute<NextRow>(sql`
    select clock_timestamp() as now, sent.*, next.*
    from (
      select (select claimed_at from dms where ${claims} and claimed_at is not null order by claimed_at desc limit 1) as "lastAt",
        (${claimThatLeavesTheDay(claims, cap)}) + interval '1 day' as "leavesAt"
    ) sent
    left join lateral (
      select d.id as "dmId", c.id as "campaignId", d.tried_at as "triedAt"
      from campaigns c cross join lateral (
        select id, tried_at from dms
        where campaign_id = c.id and status = 'queued' and lease_expires_at is null and due_at <= now()
        order by due_at, id limit 1
      ) d
      where c.x_account_id = ${account.id} and c.status = 'active' and c.channel = 'api' and c.dms_queued_count > 0
      order by c.kind = 'direct' desc, c.created_at, c.id limit 1
    ) next on true`)
  const [row] = rows
  if (!row) return NOTHING
  const moment = (text: string | null) => (text === null ? null : new Date(text))
  const sent = { lastAt: moment(row.lastAt), leavesAt: moment(row.leavesAt), restsUntil: moment(account.restsUntil) }
  const rest: Rest | null = restOf(pace, limits, { cap, growsAt }, sent, new Date(row.now))
  return { ...row, restUntil: rest?.until ?? null }
}

const NOTHING: Next = { restUntil: null, dmId: null, campaignId: '', triedAt: null }

/** Milliseconds until an account is due; null: none has anything to send. */
export async function nextDueInMs(db: Db): Promise<number | null> {
  const { rows } = await db.execute<{ ms: number | null }>(
    sql`select (extract(epoch from min(next_send_at) - now()) * 1000)::float as ms from x_accounts where next_send_at is not null and status = 'connected'`,
  )
  return rows[0]?.ms ?? null
}

/** Lets pauses of these campaigns go on, as far as messages in our hands are concerned: one entry for each message. */
export async function letGoOf(session: Db, campaignIds: string[]): Promise<void> {
  await session.execute(
    sql`select pg_advisory_unlock_shared(${campaignLock(sql`id`)}) from unnest(${textArray(campaignIds)}) as id`,
  )
}

// Sending

/** What became of a message in our hands. */
export type Verdict =
  | { kind: 'sent'; eventId: string }
  /** `forbidden`: X may mean the account rather than this lead. */
  | { kind: 'failed'; reason: string; forbidden?: true }
  /** Not sent: its lead is not to be written to any more. */
  | { kind: 'skipped'; reason: string }
  /** Not sent: X allows no more for now. */
  | { kind: 'wait'; until: Date }
  /** Not sent: X cannot be reached. */
  | { kind: 'later' }
  /** Not sent: X has shut the account out. */
  | { kind: 'stop'; reason: string }
  /** Not sent: its campaign was paused. */
  | { kind: 'paused' }
  /** Nobody knows. */
  | { kind: 'unknown' }
  /** Another has taken it over. */
  | { kind: 'lost' }

class LeaseLost extends Error {}
class CampaignPaused extends Error {}
class Stopped extends Error {}

/**
 * Hands a claimed message to X, unless its conversation shows that an attempt before has gone through.
 * @param holds whether the session that claimed it still stands, and so keeps a pause waiting
 */
export async function send(needs: Needs, claimed: Claimed, timing: Timing, holds: () => boolean): Promise<Verdict> {
  const { lead } = claimed
  if (!lead) return { kind: 'failed', reason: LEAD_MISSING }
  if (claimed.suppressed) return { kind: 'skipped', reason: claimed.suppressed }
  let mayBeSent = false
  try {
    const recipientId = lead.xUserId ?? (await lookUp(needs, claimed.accountId, lead.handle))
    if (!recipientId) return { kind: 'failed', reason: `There is nobody on X called @${lead.handle}.` }
    if (!lead.xUserId) {
      const twin = await keepXUserId(needs.database.db, claimed, recipientId)
      if (twin) return { kind: 'failed', reason: twin }
    }
    if (claimed.triedSince) {
      const found = await findInConversation(needs, { ...claimed, recipientId, since: claimed.triedSince })
      if (found) return { kind: 'sent', eventId: found }
    }
    const { eventId } = await withAccount(needs, claimed.accountId, async (x, accessToken) => {
      await keepFresh(needs.database.db, claimed, timing, holds)
      const reason = await findReasonToStop(needs.database.db, claimed.id)
      if (reason) throw new Stopped(reason)
      mayBeSent = true
      try {
        return await x.sendMessage(accessToken, recipientId, claimed.message)
      } catch (error) {
        if (error instanceof XError && error.kind !== 'unknown') mayBeSent = false
        throw error
      }
    })
    return { kind: 'sent', eventId }
  } catch (error) {
    if (error instanceof LeaseLost) return { kind: 'lost' }
    if (error instanceof Stopped) return { kind: 'skipped', reason: error.message }
    if (error instanceof CampaignPaused) return { kind: 'paused' }
    if (mayBeSent) return { kind: 'unknown' }
    if (error instanceof XError) return verdictOf(error, lead.handle)
    throw error
  }
}

/** An X error of a call that has certainly not sent anything (x-network.md, Errors). */
function verdictOf(error: XError, handle: string): Verdict {
  switch (error.kind) {
    case 'recipient':
      return { kind: 'failed', reason: `X does not deliver to @${handle}: ${error.message}` }
    case 'not-found':
      return { kind: 'failed', reason: `There is nobody on X called @${handle} any more.` }
    case 'invalid':
      return { kind: 'failed', reason: `X refused the message: ${error.message}` }
    case 'forbidden':
      return { kind: 'failed', reason: `X does not allow it: ${error.message}`, forbidden: true }
    case 'rate-limit':
      return { kind: 'wait', until: error.retryAt ?? new Date(Date.now() + 15 * 60_000) }
    case 'unauthorized':
    case 'credentials':
      return { kind: 'stop', reason: CONNECTION_LOST }
    case 'account':
      return { kind: 'stop', reason: error.message }
    case 'unavailable':
    case 'unknown':
      return { kind: 'later' }
  }
}

async function lookUp(needs: Needs, accountId: string, handle: string): Promise<string | null> {
  const user = await withAccount(needs, accountId, (x, accessToken) => x.findUser(accessToken, handle))
  return user?.id ?? null
}

/**
 * Keeps X's id of an imported lead.
 * @returns why not to write, where another lead turns out to be the same person and has a message of this campaign, or of any that counts
 */
async function keepXUserId(db: Db, claimed: Claimed, xUserId: string): Promise<string | null> {
  const { rows } = await db.execute<{ twin: boolean; wrote: boolean }>(sql`
    with twin as (
      select id from leads where workspace_id = ${claimed.workspaceId} and x_user_id = ${xUserId} and id <> ${claimed.lead?.id}
    ), kept as (
      update leads set x_user_id = ${xUserId}, updated_at = now()
      where id = ${claimed.lead?.id} and x_user_id is null and not exists (select from twin)
    )
    select exists (select from twin) as twin, exists (
      select from dms d join campaigns c on c.id = d.campaign_id
      where d.lead_id in (select id from twin) and (d.sent_at is not null or d.outcome_unknown or d.status = 'queued')
        and (d.campaign_id = ${claimed.campaignId} or not (select allow_repeat from campaigns where id = ${claimed.campaignId}))
        and c.status <> 'archived'
    ) as wrote`)
  return rows[0]?.twin && rows[0].wrote
    ? 'Skipped: this person is among your leads twice and is written to already.'
    : null
}

/** X's id of our message in the conversation, or null where it is not there. @throws XError */
async function findInConversation(
  needs: Needs,
  sent: Pick<Claimed, 'id' | 'accountId' | 'senderId' | 'message'> & { recipientId: string; since: Date },
): Promise<string | null> {
  const messages = await withAccount(needs, sent.accountId, (x, accessToken) =>
    x.listMessages(accessToken, sent.recipientId),
  )
  const { rows } = await needs.database.db.execute<{ id: string }>(
    sql`select x_event_id as id from dms where x_event_id = any(${textArray(messages.map(({ id }) => id))}) and id <> ${sent.id}`,
  )
  const known = new Set(rows.map(({ id }) => id))
  const found = findSentMessage(messages, { text: sent.message, senderId: sent.senderId, since: sent.since }, known)
  return found?.id ?? null
}

/**
 * Whoever settles a message counts on it having been handed over soon after its claim. Where looking up and looking through took longer, the claim is made anew;
 * so is it where this process was stopped for a while, and then the message may have become another's, or its campaign paused. Once its session is gone, always.
 */
async function keepFresh(db: Db, claimed: Claimed, { handOverMs }: Timing, holds: () => boolean): Promise<void> {
  let isSure = holds()
  while (!isSure || performance.now() - claimed.claimedAt > handOverMs / 2) {
    const renewedAt = performance.now()
    const { rows } = await db.execute<{ isActive: boolean }>(sql`
      update dms d set claimed_at = now(), lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS}) from campaigns c
      where d.id = ${claimed.id} and d.lease = ${claimed.lease} and d.status = 'queued' and d.lease_expires_at is not null and not d.outcome_unknown
        and c.id = d.campaign_id
      returning c.status = 'active' as "isActive"`)
    const [row] = rows
    if (!row) throw new LeaseLost()
    if (!row.isActive) throw new CampaignPaused()
    claimed.claimedAt = renewedAt
    isSure = true
  }
}

/** A message out of hand: what became of it, and for `later` how many failures of its account that makes in a row. */
export interface Done {
  claimed: Claimed
  verdict: Verdict
  failures: number
}

/** Writes down what became of messages of one campaign. (Of several at once, two processes would wait for each other.) */
export async function record(db: Db, done: readonly Done[]): Promise<void> {
  await transact(db, async (tx) => {
    for (const one of done) await recordOne(tx, one)
  })
}

async function recordOne(tx: Db, { claimed, verdict, failures }: Done): Promise<void> {
  switch (verdict.kind) {
    case 'sent':
      await recordOutcome(tx, claimed, { wasSent: true, eventId: verdict.eventId })
      return
    case 'failed':
      await recordOutcome(tx, claimed, { wasSent: false, errorMessage: verdict.reason })
      return
    case 'skipped':
      await giveBack(tx, claimed)
      await skipMessage(tx, claimed.id, verdict.reason)
      return
    case 'wait':
      await giveBack(tx, claimed)
      await rest(tx, claimed.accountId, sql`${verdict.until.toISOString()}::timestamptz`)
      return
    case 'later':
      await giveBack(tx, claimed)
      await rest(tx, claimed.accountId, sql`now() + make_interval(secs => ${backoffSeconds(failures)})`)
      return
    case 'paused':
      await giveBack(tx, claimed)
      return
    case 'stop':
      await giveBack(tx, claimed)
      await pauseCampaignsOf(tx, claimed.accountId, verdict.reason)
      return
    case 'unknown':
      await tx.execute(
        sql`update dms set outcome_unknown = true, due_at = now(), updated_at = now() where id = ${claimed.id} and lease = ${claimed.lease} and status = 'queued'`,
      )
      return
    case 'lost':
      return
  }
}

/** Back into the queue: certainly not sent, so it does not count for the cap either. */
async function giveBack(tx: Db, claimed: Claimed): Promise<void> {
  await tx.execute(sql`
    update dms set lease = null, holder = null, lease_expires_at = null, claimed_at = null,
      tried_at = ${claimed.triedSince?.toISOString() ?? null}::timestamptz, updated_at = now()
    where id = ${claimed.id} and lease = ${claimed.lease} and status = 'queued' and not outcome_unknown`)
}

/** The account sends nothing before that moment. */
async function rest(tx: Db, accountId: string, until: ReturnType<typeof sql>): Promise<void> {
  await tx.execute(sql`
    update x_accounts set rests_until = ${until}, next_send_at = greatest(next_send_at, ${until}) where id = ${accountId}`)
}

/** Pauses what the account sends, with the reason on the screen. Direct messages wait too, until somebody queues more or connects the account again. */
async function pauseCampaignsOf(tx: Db, accountId: string, reason: string): Promise<void> {
  await tx.execute(sql`
    update campaigns set status = 'paused', pause_reason = ${reason}, updated_at = now()
    where id in (select id from campaigns where x_account_id = ${accountId} and status = 'active' and channel = 'api' order by id for update)`)
}

// Sending at once

/** What a request that sends itself works with. */
type NowContext = Needs & {
  db: Db
  env: Pace
  hands: { workerId(): Promise<number> }
  remember(tx: Db, answer: unknown): Promise<void>
  progress?: { begun: unknown; keep(tx: Db, begun: unknown): Promise<void> }
}

/** How long a request waits for an outcome that has to be read from the conversation: longer than settling takes. */
const SETTLED_WITHIN_MS = 40_000
const LOOK_MS = 250

/**
 * Sends one message while the caller waits, by the same steps as a worker. What is certainly not sent leaves nothing behind, so that it may be asked for again;
 * where nobody knows, the message is settled as any other, and this waits for it. The same Idempotency-Key sends nothing twice, however the first call ended.
 * @throws Refusal those of claimDirect; DM_FAILED, DM_UNSETTLED, X_UNAVAILABLE
 */
export async function sendNow(context: NowContext, actor: Actor, input: DirectMessage, signal?: AbortSignal) {
  const { db } = context.database
  if (!context.x) throw new Refusal('X_UNAVAILABLE')
  const begun = context.progress?.begun
  if (typeof begun === 'string' && (await findOutcome(db, actor, begun)))
    return answerOf(await outcomeOf(db, actor, begun, signal))
  const holder = `worker:${await context.hands.workerId()}`
  const claimedAt = performance.now()
  const made = await claimDirect(db, context.env, actor, input, holder, async (tx, dmId) => {
    await context.progress?.keep(tx, dmId)
  })
  const claimed: Claimed = { ...made, claimedAt }
  // It cannot be paused: nothing but the claim's own age is to be looked at.
  const verdict = await send(context, claimed, TIMING, () => true).catch(async (error): Promise<never> => {
    await transact(db, (tx) => withdrawDirect(tx, claimed))
    throw error
  })
  switch (verdict.kind) {
    case 'sent': {
      const answer = await transact(db, async (tx) => {
        const recorded = await recordOutcome(tx, claimed, { wasSent: true, eventId: verdict.eventId })
        if (!recorded) return null
        const { sentAt } = (await findOutcome(tx, actor, claimed.id)) as DmOutcome
        const sent = sentAnswer(claimed.id, sentAt as Date)
        await context.remember(tx, sent)
        return sent
      })
      return answer ?? answerOf(await outcomeOf(db, actor, claimed.id, signal))
    }
    case 'failed':
      await transact(db, (tx) => recordOutcome(tx, claimed, { wasSent: false, errorMessage: verdict.reason }))
      throw new Refusal('DM_FAILED', verdict.reason, { details: { dmId: claimed.id } })
    case 'unknown':
    case 'lost':
      await record(db, [{ claimed, verdict, failures: 0 }])
      return answerOf(await outcomeOf(db, actor, claimed.id, signal))
    case 'skipped':
      await transact(db, (tx) => withdrawDirect(tx, claimed))
      throw new Refusal('LEAD_STATE', verdict.reason.replace(/^Skipped: this/, 'This'))
    case 'wait':
      await transact(db, async (tx) => {
        await withdrawDirect(tx, claimed)
        await rest(tx, claimed.accountId, sql`${verdict.until.toISOString()}::timestamptz`)
      })
      throw new Refusal('RATE_LIMITED', X_ALLOWS_NO_MORE, {
        retryAfterSeconds: Math.max(1, Math.ceil((verdict.until.getTime() - Date.now()) / 1000)),
      })
    case 'later':
      await transact(db, (tx) => withdrawDirect(tx, claimed))
      throw new Refusal('X_UNAVAILABLE')
    case 'stop':
    case 'paused':
      await transact(db, async (tx) => {
        await withdrawDirect(tx, claimed)
        if (verdict.kind === 'stop') await pauseCampaignsOf(tx, claimed.accountId, verdict.reason)
      })
      throw new Refusal('X_NOT_CONNECTED', verdict.kind === 'stop' ? verdict.reason : CONNECTION_LOST)
  }
}

type DmOutcome = Pick<typeof dms.$inferSelect, 'id' | 'status' | 'sentAt' | 'errorMessage'>

async function findOutcome(db: Db, actor: Actor, id: string): Promise<DmOutcome | null> {
  const [row] = await db
    .select({ id: dms.id, status: dms.status, sentAt: dms.sentAt, errorMessage: dms.errorMessage })
    .from(dms)
    .where(and(eq(dms.id, id), eq(dms.workspaceId, actor.workspaceId)))
  return row ?? null
}

/** What became of a message, once that is known. @throws Refusal DM_UNSETTLED: it still is not */
async function outcomeOf(db: Db, actor: Actor, id: string, signal?: AbortSignal): Promise<DmOutcome> {
  const end = performance.now() + SETTLED_WITHIN_MS
  for (;;) {
    const found = await findOutcome(db, actor, id)
    if (found && found.status !== 'queued') return found
    if (!found || performance.now() > end || signal?.aborted)
      throw new Refusal('DM_UNSETTLED', undefined, { retryAfterSeconds: 5, details: { dmId: id } })
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}

function answerOf({ id, sentAt, errorMessage }: DmOutcome) {
  if (sentAt) return sentAnswer(id, sentAt)
  throw new Refusal('DM_FAILED', errorMessage ?? undefined, { details: { dmId: id } })
}

function sentAnswer(dmId: string, sentAt: Date) {
  return { success: true as const, dmId, status: 'sent' as const, sentAt }
}

// Settling

/**
 * Finds messages whose sender is gone: its process is dead, or the lease ran out. From then on they are being settled, and nobody else's to report on.
 * Also lets direct messages go on where their account was connected again.
 */
export async function takeOver(db: Db): Promise<void> {
  await db.execute(sql`
    update dms set outcome_unknown = true, due_at = now(), lease = gen_random_uuid(), updated_at = now()
    where lease_expires_at is not null and status = 'queued' and not outcome_unknown and holder like 'worker:%'
      and (lease_expires_at < now() or substr(holder, 8)::bigint not in (${livingWorkers}))`)
  const { rows } = await db.execute<{ accountId: string }>(sql`
    update campaigns c set status = 'active', pause_reason = null, updated_at = now()
    from x_accounts a
    where c.kind = 'direct' and c.status = 'paused' and a.id = c.x_account_id and a.status = 'connected' and a.last_connected_at > c.updated_at
    returning a.id as "accountId"`)
  for (const { accountId } of rows) await wakeAccount(db, accountId)
}

/** How many are settled side by side, and how long one that settles a message has it to itself. */
const SETTLE_BATCH = 8
const SETTLE_SECONDS = 60

/**
 * Settles messages whose outcome nobody knows, by their conversations.
 * @returns milliseconds until the next is to be looked at; null: there is none
 */
export async function settle(needs: Needs, timing: Timing): Promise<number | null> {
  const { db } = needs.database
  const { rows } = await db.execute<Unsettled>(sql`
    with taken as (
      update dms set due_at = now() + make_interval(secs => ${SETTLE_SECONDS}), lease = gen_random_uuid()
      where id in (
        select id from dms where lease_expires_at is not null and outcome_unknown and status = 'queued' and due_at <= now()
        order by due_at limit ${SETTLE_BATCH} for update skip locked
      )
      returning *
    )
    select t.id, t.lease, t.campaign_id as "campaignId", t.message, t.tried_at as "triedAt",
      (extract(epoch from now() - t.claimed_at) * 1000)::float as "ageMs",
      a.id as "accountId", a.x_user_id as "senderId", l.twitter_handle as handle, l.x_user_id as "leadXUserId"
    from taken t left join x_accounts a on a.id = t.x_account_id left join leads l on l.id = t.lead_id`)
  await Promise.all(rows.map((dm) => settleOne(needs, timing, dm)))
  const { rows: waiting } = await db.execute<{ ms: number | null }>(
    sql`select (extract(epoch from min(due_at) - now()) * 1000)::float as ms from dms where lease_expires_at is not null and outcome_unknown and status = 'queued'`,
  )
  return waiting[0]?.ms ?? null
}

type Unsettled = {
  id: string
  lease: string
  campaignId: string
  message: string
  triedAt: string
  ageMs: number
  accountId: string | null
  senderId: string
  handle: string | null
  leadXUserId: string | null
}

async function settleOne(needs: Needs, timing: Timing, dm: Unsettled): Promise<void> {
  const { db } = needs.database
  const giveUp = () =>
    db.transaction((tx) =>
      recordOutcome(tx, dm, { wasSent: false, errorMessage: OUTCOME_UNKNOWN, outcomeUnknown: true }),
    )
  const { accountId } = dm
  if (!accountId || !dm.handle) {
    await giveUp()
    return
  }
  let eventId: string | null
  try {
    const recipientId = dm.leadXUserId ?? (await lookUp(needs, accountId, dm.handle))
    eventId = recipientId
      ? await findInConversation(needs, {
          id: dm.id,
          accountId,
          senderId: dm.senderId,
          message: dm.message,
          recipientId,
          since: new Date(dm.triedAt),
        })
      : null
  } catch (error) {
    if (!(error instanceof XError)) throw error
    const verdict = verdictOf(error, dm.handle)
    if (verdict.kind === 'failed') await giveUp()
    else if (verdict.kind === 'wait') await lookAgain(db, dm, (verdict.until.getTime() - Date.now()) / 1000)
    else await lookAgain(db, dm, verdict.kind === 'stop' ? SETTLE_SECONDS : 10)
    if (verdict.kind === 'stop') await db.transaction((tx) => pauseCampaignsOf(tx, accountId, verdict.reason))
    return
  }
  if (eventId) {
    const found = eventId
    await db.transaction((tx) => recordOutcome(tx, dm, { wasSent: true, eventId: found }))
  } else if (dm.ageMs < timing.settleAfterMs) {
    await lookAgain(db, dm, (timing.settleAfterMs - dm.ageMs) / 1000)
  } else {
    await db.transaction(async (tx) => {
      await tx.execute(sql`
        update dms set lease = null, holder = null, lease_expires_at = null, claimed_at = null, outcome_unknown = false, due_at = now(), updated_at = now()
        where id = ${dm.id} and lease = ${dm.lease} and status = 'queued'`)
      await wakeAccount(tx, accountId)
    })
  }
}

async function lookAgain(db: Db, dm: Pick<Unsettled, 'id' | 'lease'>, seconds: number): Promise<void> {
  await db.execute(
    sql`update dms set due_at = now() + make_interval(secs => ${Math.max(0, seconds)}) where id = ${dm.id} and lease = ${dm.lease} and outcome_unknown`,
  )
}

function textArray(values: string[]) {
  return sql`${sql.param(values)}::text[]`
}
