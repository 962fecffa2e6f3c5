import { setTimeout as sleep } from 'node:timers/promises'
import type { InputOf } from '@x-automated/contract/contract'
import { UNCLEAR_HOURS } from '@x-automated/contract/outreach/sending'
import type { SkipReason } from '@x-automated/contract/reason'
import { HOUR_MS } from '@x-automated/contract/time'
import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { parseTime } from '../../db/parse-time.ts'
import { executePrepared } from '../../db/prepared.ts'
import { transact } from '../../db/transact.ts'
import { OPERATOR_APP_ID } from '../../domains/platform/x-apps/tables.ts'
import { isSpendingLimited } from '../../domains/platform/x-costs/tables.ts'
import type { XApi } from '../../outside/x.ts'
import { XError } from '../../outside/x-errors.ts'
import { Refusal } from '../../refusal.ts'
import { usableToken, withAccount, type XAccountCaller } from '../neighbors.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leads } from '../tables/leads.ts'
import { dms } from '../tables/messages.ts'
import { isBlind, knownForSeconds } from '../tables/replies.ts'
import type { Claimed } from './claim.ts'
import { findReasonToStop, isContested, reasonToStop } from './eligibility.ts'
import { findInConversation, type Reading } from './find.ts'
import { lockEnrollmentsOf, lockLeads } from './locks.ts'
import { renewClaim } from './pace.ts'
import { findLostHandle, findRecipient } from './recipient.ts'
import { LEAD_MISSING, recordOutcome, type Verdict } from './record.ts'
import { release } from './release.ts'
import { EXTENSION } from './sender.ts'
import type { SendingEnv } from './sending-state.ts'
import { skipMessage } from './stop.ts'

const lead = alias(leads, 'l')
const message = alias(dms, 'd')
const campaign = alias(campaigns, 'c')

/*
 * Workers send no message twice, even if processes die.
 * - Claim: one short transaction leases an account's next message. Several run in parallel.
 * - Send: outside any transaction, within HAND_OVER_MS of the claim, after a last check of the
 *   lease, the campaign and the lead.
 * - Record: one transaction, only under a valid lease.
 * - Settle: an unknown outcome is read from the conversation. If the message is certainly not
 *   there, it is queued again, once. A claim that was not handed over to X is released.
 * - Pause: `blockNewClaims`, then `waitForInFlight` outside any transaction, until no sender owns a
 *   message. A worker that has not called X yet finds the campaign paused and releases its message.
 */

export type Needs = Parameters<typeof withAccount>[0] & { env: SendingEnv }

/** Time limits of sending, in milliseconds. */
export interface Timing {
  /** Maximum time from claim to hand-over. */
  handOverMs: number
  /** Time from the claim until reading the conversation can prove that the message did not arrive. */
  absentAfterMs: number
  /** Time from that reading to a second one that confirms it. */
  absentAgainMs: number
}

const HAND_OVER_MS = 3_000
export const TIMING: Timing = {
  handOverMs: HAND_OVER_MS,
  absentAfterMs: HAND_OVER_MS + 30_000,
  absentAgainMs: 60_000,
}

class LeaseLost extends Error {}
class CampaignPaused extends Error {}
/** The account, or the conversation with the lead, has to be read before this follow-up is sent. */
class Blind extends Error {}
class TooLate extends Error {
  readonly until: Date
  constructor(until: Date) {
    super()
    this.until = until
  }
}
class Stopped extends Error {
  readonly reason: SkipReason
  constructor(reason: SkipReason) {
    super()
    this.reason = reason
  }
}

/**
 * Sends a claimed message through X, unless the conversation shows that an earlier attempt
 * succeeded.
 */
export async function send(needs: Needs, claimed: Claimed, timing: Timing): Promise<Verdict> {
  const { lead } = claimed
  if (!lead) return { kind: 'failed', reason: LEAD_MISSING }
  if (claimed.suppressed) return { kind: 'skipped', reason: claimed.suppressed }
  let mayBeSent = false
  try {
    const recipient = await findRecipient(needs, claimed, lead)
    if (!recipient) return { kind: 'failed', errorMessage: `@${lead.handle} doesn't exist on X.` }
    const { recipientId, reasonNotToSend } = recipient
    if (claimed.triedSince) {
      const reading = await readBefore(needs, { ...claimed, recipientId, since: claimed.triedSince })
      if (reading.kind === 'found')
        return { kind: 'found', eventId: reading.id, at: reading.at, mills: needs.xMeters.messageMills }
      // A person who queued the message again has looked at the conversation.
      if (reading.kind === 'uncertain' && !claimed.isDecided) return { kind: 'unread' }
    }
    if (reasonNotToSend)
      return { kind: reasonNotToSend.code === 'identity' ? 'skipped' : 'failed', reason: reasonNotToSend }
    const caller = await prepareHandOver(needs, claimed, timing)
    const token = usableToken(needs, caller)
    const sendMessage = async (x: XApi, accessToken: string) => {
      // Renewing the token took time, so check again.
      if (accessToken !== token) await prepareHandOver(needs, claimed, timing)
      mayBeSent = true
      try {
        return await x.sendMessage(accessToken, recipientId, claimed.message)
      } catch (error) {
        if (error instanceof XError && error.kind !== 'unknown') mayBeSent = false
        throw error
      }
    }
    const { eventId, days } = await withAccount(needs, claimed.accountId, sendMessage, { caller })
    return { kind: 'sent', eventId, mills: needs.xMeters.messageMills, ...(days ? { days } : {}) }
  } catch (error) {
    if (error instanceof LeaseLost) return { kind: 'lost' }
    if (error instanceof Stopped) return { kind: 'skipped', reason: error.reason }
    if (error instanceof CampaignPaused) return { kind: 'paused' }
    if (error instanceof TooLate) return { kind: 'late', until: error.until }
    if (error instanceof Blind) return { kind: 'late', until: new Date() }
    if (mayBeSent) return { kind: 'unknown', mayBeDelivered: error instanceof XError && error.mayBeDelivered }
    if (error instanceof XError) return verdictOf(error, lead.handle)
    throw error
  }
}

/** Maps an X error to a verdict. Use it only for calls that cannot have sent the message. */
export function verdictOf(error: XError, handle: string): Verdict {
  switch (error.kind) {
    case 'recipient':
      return {
        kind: 'failed',
        errorMessage: `X rejected the message to @${handle}: ${error.message}`,
        refusal: 'closed',
      }
    case 'premium':
      return { kind: 'skipped', reason: { code: 'premium_only', params: {} } }
    case 'encrypted':
      return { kind: 'failed', errorMessage: `The conversation with @${handle} is encrypted in X Chat.` }
    case 'not-found':
      return {
        kind: 'failed',
        errorMessage: error.isSuspended ? `@${handle} is suspended on X.` : `@${handle} doesn't exist on X.`,
      }
    case 'invalid':
    case 'duplicate':
      return { kind: 'failed', errorMessage: `X rejected the message: ${error.message}`, refusal: 'invalid' }
    case 'forbidden':
      return { kind: 'failed', errorMessage: `X does not allow it: ${error.message}`, refusal: 'forbidden' }
    case 'rate-limit':
      return {
        kind: 'wait',
        reason: error.limitOf === 'app' ? 'app' : 'x',
        until: error.retryAt ?? new Date(Date.now() + 15 * 60_000),
      }
    case 'unauthorized':
    case 'credentials':
      return { kind: 'stop', reason: { code: 'x_disconnected', params: {} }, xMessage: null }
    case 'account':
      return { kind: 'stop', reason: { code: 'x_locked', params: {} }, xMessage: error.message }
    case 'funds':
      return { kind: 'wait', reason: 'funds', until: error.retryAt ?? inAnHour(), text: error.message }
    case 'app':
    case 'unavailable':
    case 'unknown':
      return { kind: 'later' }
  }
}

const inAnHour = () => new Date(Date.now() + HOUR_MS)

/** Reads the conversation before another attempt. An error of X counts as `uncertain`. */
async function readBefore(needs: Needs, sent: Parameters<typeof findInConversation>[1]): Promise<Reading> {
  try {
    return await findInConversation(needs, sent)
  } catch (error) {
    if (error instanceof XError) return { kind: 'uncertain' }
    throw error
  }
}

/** The minimum for `maxClaimAgeMs`: with very short intervals, claims would otherwise be renewed forever. */
const MIN_HAND_OVER_MS = 500

/**
 * Maximum age of a claim at hand-over, in ms: half the interval, so that two messages are at least
 * the other half apart.
 */
function maxClaimAgeMs(pauseSeconds: number, handOverMs: number): number {
  return pauseSeconds > 0 ? Math.min(handOverMs, Math.max(MIN_HAND_OVER_MS, pauseSeconds * 500)) : handOverMs
}

/**
 * Checks a claim, and renews it if it is old: settling, caps and intervals assume a hand-over soon
 * after the claim.
 * @returns the account as it is now @throws LeaseLost, CampaignPaused, TooLate, Blind or Stopped if
 * the message must not be sent
 */
async function prepareHandOver(needs: Needs, claimed: Claimed, { handOverMs }: Timing): Promise<XAccountCaller> {
  const { db } = needs.database
  const age = () => performance.now() - claimed.claimedAt
  const maxAgeMs = maxClaimAgeMs(claimed.pauseSeconds, handOverMs)
  for (;;) {
    if (age() > maxAgeMs / 2) await renew(needs, claimed)
    const { caller, isContested, isStored } = await checkHandOver(db, claimed)
    if (isContested) await sleep(CONTEST_MS)
    // Another transaction has locked the message. Wait for its commit, to see its change.
    else if (!isStored) await db.execute(sql`select from dms where id = ${claimed.id} for update`)
    else if (age() <= maxAgeMs) return caller
  }
}

/** How soon to check again whether a concurrent claim on the same person has ended. */
const CONTEST_MS = 50

type HandOver = {
  isActive: boolean
  isBlind: boolean
  /** Seconds for which a follow-up's last account read still counts; null: not a follow-up, or never read. */
  knownForSeconds: number | null
  reason: SkipReason | null
  isContested: boolean
  isStored: boolean
  caller: XAccountCaller
}

/**
 * Checks the lease, the campaign, the lead and, for a follow-up, that its account was read
 * recently. Then stores the time of the hand-over, unless the message is locked. From then on, the
 * message may have been sent. @throws LeaseLost, CampaignPaused, Blind, Stopped
 */
async function checkHandOver(db: Db, claimed: Claimed): Promise<HandOver> {
  const { id, lease } = claimed
  const isOwn = sql`
    d.id = ${id} and d.lease = ${lease} and d.status = 'queued' and d.lease_expires_at > now() and not d.outcome_unknown`
  const seenForSeconds = (performance.now() - (claimed.visibleAt ?? claimed.claimedAt)) / 1_000
  const sender = sql`${claimed.senderId}::text`
  const askedAt = performance.now()
  const { rows } = await executePrepared<
    Omit<HandOver, 'caller'> &
      Record<'status' | 'token' | 'expiresAt' | 'appId', string | null> & { isLimited: boolean }
  >(
    db,
    sql`
    with own as materialized (
      select d.id from dms d where ${isOwn} for update skip locked
    ), handed as (
      update dms set handed_over_at = now(), is_handed_over = true from own where dms.id = own.id
    )
    select (c.status = 'active' or d.is_answer) as "isActive", ${reasonToStop(lead, message)} as reason,
      ${isContested(message, campaign, seenForSeconds)} as "isContested",
      exists (select from own) as "isStored", a.status, a.sealed_access_token as token,
      a.access_token_expires_at as "expiresAt",
      a.x_app_id as "appId", ${isSpendingLimited(sql`d.workspace_id`)} as "isLimited",
      ${isBlind(message, lead, sender)} as "isBlind",
      case when d.is_follow_up then ${knownForSeconds(sender)} end as "knownForSeconds"
    from dms d join campaigns c on c.id = d.campaign_id left join leads l on l.id = d.lead_id
      left join x_accounts a on a.id = ${claimed.accountId}
    where ${isOwn}`,
  )
  const [row] = rows
  if (!row) throw new LeaseLost()
  if (!row.isActive) throw new CampaignPaused()
  if (row.reason) throw new Stopped(row.reason)
  const isOver = row.knownForSeconds !== null && performance.now() - askedAt > row.knownForSeconds * 1_000
  if (row.isBlind || isOver) throw new Blind()
  const { workspaceId, accountId, senderId: xUserId } = claimed
  const caller = {
    workspaceId,
    accountId,
    xUserId,
    appId: row.appId ?? OPERATOR_APP_ID,
    isLimited: row.isLimited,
    status: row.status as XAccountCaller['status'],
    sealedAccessToken: row.token,
    accessTokenExpiresAt: parseTime(row.expiresAt),
    isOwnApp: row.appId !== null && row.appId !== OPERATOR_APP_ID,
    // The claim has already checked the funds.
    fundsTryAt: null,
  }
  return { ...row, caller }
}

/** Renews an old claim. @throws LeaseLost, CampaignPaused, TooLate */
async function renew(needs: Needs, claimed: Claimed): Promise<void> {
  const renewedAt = performance.now()
  await transact(needs.database.db, async (tx) => {
    const { rows } = await tx.execute<{ isActive: boolean }>(sql`
      select (c.status = 'active' or d.is_answer) as "isActive" from dms d join campaigns c on c.id = d.campaign_id
      where d.id = ${claimed.id}
        and d.lease = ${claimed.lease}
        and d.status = 'queued'
        and d.lease_expires_at > now()
        and not d.outcome_unknown
      for update of d`)
    const [row] = rows
    if (!row) throw new LeaseLost()
    if (!row.isActive) throw new CampaignPaused()
    const { id, workspaceId, accountId: xAccountId } = claimed
    const until = await renewClaim(tx, needs.env, claimed.sender, { id, workspaceId, xAccountId })
    if (until) throw new TooLate(until)
  })
  claimed.claimedAt = renewedAt
}

// By extensions

/** Locks a message claimed by an extension. @throws Refusal DM_NOT_FOUND, LEASE_LOST */
async function lockClaimed(tx: Db, actor: Actor, { id, lease }: { id: string; lease: string }) {
  const [dm] = await tx
    .select({
      id: dms.id,
      lease: dms.lease,
      holder: dms.holder,
      status: dms.status,
      leadId: dms.leadId,
      campaignId: dms.campaignId,
      xAccountId: dms.xAccountId,
      isHeld: sql<boolean>`coalesce(${dms.leaseExpiresAt} > clock_timestamp(), false)`,
    })
    .from(dms)
    .where(and(eq(dms.id, id), eq(dms.workspaceId, actor.workspaceId)))
    .for('update')
  if (!dm) throw new Refusal('DM_NOT_FOUND')
  const isTheirs = dm.lease === lease.toLowerCase() && dm.holder?.startsWith('extension:')
  if (!isTheirs || dm.status !== 'queued' || !dm.isHeld) throw new Refusal('LEASE_LOST')
  return { ...dm, lease: dm.lease as string }
}

const returnToQueue = (tx: Db, id: string) => release(tx, sql`id = ${id}`)

/**
 * Confirms a claimed message right before it is sent, and renews its lease and interval.
 * @throws Refusal DM_NOT_FOUND, LEASE_LOST
 */
export async function confirm(db: Db, env: SendingEnv, actor: Actor, held: InputOf<'campaigns', 'confirm'>) {
  const no = { success: true as const, maySend: false, leaseExpiresAt: null }
  return transact(db, async (tx) => {
    await lockEnrollmentsOf(tx, sql`select ${held.id}::uuid`)
    const dm = await lockClaimed(tx, actor, held)
    if (!dm.leadId) {
      await recordOutcome(tx, dm, { wasSent: false, reason: LEAD_MISSING })
      return no
    }
    const reason = (await findLostHandle(tx, dm.leadId)) ?? (await findReasonToStop(tx, dm.id))
    if (reason) {
      await release(tx, sql`id = ${dm.id}`, () => skipMessage(tx, dm.id, { reason }))
      return no
    }
    const { rows: blind } = await tx.execute(sql`
      select from dms d join leads l on l.id = d.lead_id join x_accounts a on a.id = d.x_account_id
      where d.id = ${dm.id} and ${isBlind(message, lead, sql`a.x_user_id`)}`)
    if (blind.length > 0) {
      await returnToQueue(tx, dm.id)
      return no
    }
    // Returning the message to the queue locks its lead, which comes before the campaign.
    await lockLeads(tx, sql`select ${dm.leadId}::uuid`)
    // A concurrent pause either commits first, so it is seen here, or waits for this transaction.
    const [campaign] = await tx
      .select({ status: campaigns.status })
      .from(campaigns)
      .where(eq(campaigns.id, dm.campaignId))
      .for('share')
    if (campaign?.status !== 'active') {
      await returnToQueue(tx, dm.id)
      return no
    }
    const { workspaceId } = actor
    const until = await renewClaim(tx, env, EXTENSION, { ...dm, workspaceId })
    if (until) {
      await returnToQueue(tx, dm.id)
      return no
    }
    const [renewed] = await tx.select({ leaseExpiresAt: dms.leaseExpiresAt }).from(dms).where(eq(dms.id, dm.id))
    return { success: true as const, maySend: true, leaseExpiresAt: renewed?.leaseExpiresAt ?? null }
  })
}

/**
 * Releases a claimed message that the extension has not sent. @throws Refusal DM_NOT_FOUND,
 * LEASE_LOST
 */
export async function releaseClaim(db: Db, actor: Actor, { inboxUnclear, ...held }: InputOf<'campaigns', 'release'>) {
  return transact(db, async (tx) => {
    const { id } = await lockClaimed(tx, actor, held)
    // Without a delay, this message would be claimed again and again, before all others.
    if (inboxUnclear)
      await tx.execute(sql`
        update dms set due_at = again.at, inbox_unclear_until = again.at
        from (select now() + make_interval(hours => ${UNCLEAR_HOURS}) as at) again where id = ${id}`)
    await returnToQueue(tx, id)
    return { success: true as const }
  })
}
