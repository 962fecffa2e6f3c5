import type { PauseReason, SkipReason } from '@x-automated/contract/reason'
import { sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { reasonValue } from '../../../db/reasons.ts'
import { transact } from '../../../db/transact.ts'
import { XError } from '../../../outside/x.ts'
import { hadReplied, wasContacted } from '../../leads/leads/service.ts'
import { withAccount } from '../../platform/x-account/service.ts'
import type { Claimed, Needs, Timing } from './engine.ts'
import { backoffSeconds, findSentMessage } from './rules.ts'
import { renewClaim } from './service-claims.ts'
import { type Failure, LEAD_MISSING, recordOutcome } from './service-outcomes.ts'
import { wakeAccount } from './service-schedule.ts'
import { includesReplied, reasonToStop, releaseIfArchived, skipMessage } from './service-stopping.ts'
import { mayGoOut } from './tables.ts'

// The send and record steps described in engine.ts.

/** Why campaigns are paused, with what X said. */
export interface Pause {
  reason: PauseReason
  xMessage: string | null
}

/** The result of trying to send a claimed message. */
export type Verdict =
  | { kind: 'sent'; eventId: string }
  /** `forbidden`: X may mean the account rather than this lead. */
  | ({ kind: 'failed'; forbidden?: true } & Failure)
  /** Not sent: the lead may no longer be messaged. */
  | { kind: 'skipped'; reason: SkipReason }
  /** Not sent: X's rate limit is reached. */
  | { kind: 'wait'; until: Date }
  /** Not sent: X cannot be reached. */
  | { kind: 'later' }
  /** Not sent: X has blocked the account. */
  | ({ kind: 'stop' } & Pause)
  /** Not sent: its campaign was paused. */
  | { kind: 'paused' }
  /** Not sent: the claim was too old, and the account's limits do not allow a new one yet. */
  | { kind: 'late'; until: Date }
  /** It may have been sent. */
  | { kind: 'unknown' }
  /** The lease was lost: another process owns the message. */
  | { kind: 'lost' }

class LeaseLost extends Error {}
class CampaignPaused extends Error {}
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
    const recipientId = lead.xUserId ?? (await lookUp(needs, claimed.accountId, lead.handle))
    if (!recipientId) return { kind: 'failed', errorMessage: `@${lead.handle} doesn't exist on X.` }
    const reasonNotToSend = lead.xUserId ? null : await saveXUserId(needs.database.db, claimed, recipientId)
    if (claimed.triedSince) {
      const found = await findInConversation(needs, { ...claimed, recipientId, since: claimed.triedSince })
      if (found) return { kind: 'sent', eventId: found }
    }
    if (reasonNotToSend) return { kind: 'failed', reason: reasonNotToSend }
    const { eventId } = await withAccount(needs, claimed.accountId, async (x, accessToken) => {
      await prepareHandOver(needs, claimed, timing)
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
    if (error instanceof Stopped) return { kind: 'skipped', reason: error.reason }
    if (error instanceof CampaignPaused) return { kind: 'paused' }
    if (error instanceof TooLate) return { kind: 'late', until: error.until }
    if (mayBeSent) return { kind: 'unknown' }
    if (error instanceof XError) return verdictOf(error, lead.handle)
    throw error
  }
}

/** Maps an X error to a verdict. Only for calls that cannot have sent the message. */
export function verdictOf(error: XError, handle: string): Verdict {
  switch (error.kind) {
    case 'recipient':
      return { kind: 'failed', errorMessage: `X rejected the message to @${handle}: ${error.message}` }
    case 'not-found':
      return { kind: 'failed', errorMessage: `@${handle} doesn't exist on X.` }
    case 'invalid':
      return { kind: 'failed', errorMessage: `X rejected the message: ${error.message}` }
    case 'forbidden':
      return { kind: 'failed', errorMessage: `X does not allow it: ${error.message}`, forbidden: true }
    case 'rate-limit':
      return { kind: 'wait', until: error.retryAt ?? new Date(Date.now() + 15 * 60_000) }
    case 'unauthorized':
    case 'credentials':
      return { kind: 'stop', reason: { code: 'x_disconnected', params: {} }, xMessage: null }
    case 'account':
      return { kind: 'stop', reason: { code: 'x_locked', params: {} }, xMessage: error.message }
    case 'unavailable':
    case 'unknown':
      return { kind: 'later' }
  }
}

/** The user's id at X; null if X has no such user. @throws XError */
export async function lookUp(needs: Needs, accountId: string, handle: string): Promise<string | null> {
  const user = await withAccount(needs, accountId, (x, accessToken) => x.findUser(accessToken, handle))
  return user?.id ?? null
}

/**
 * Saves the X id of an imported lead. @returns why not to send, if the id shows that this person
 * replied or was already messaged as another lead; else null
 */
async function saveXUserId(db: Db, claimed: Claimed, xUserId: string): Promise<SkipReason | null> {
  const { workspaceId, campaignId } = claimed
  const { rows } = await db.execute<{ replied: boolean; wrote: boolean; contacted: boolean }>(sql`
    with campaign as (
      select allow_repeat, ${includesReplied} as includes_replied from campaigns c where id = ${campaignId}
    ), duplicate as (
      select id, replied_at from leads where workspace_id = ${workspaceId} and x_user_id = ${xUserId} and id <> ${claimed.lead?.id}
    ), kept as (
      update leads set x_user_id = ${xUserId}, updated_at = now()
      where id = ${claimed.lead?.id} and x_user_id is null and not exists (select from duplicate)
    )
    select not includes_replied and (
        exists (select from duplicate where replied_at is not null) or ${hadReplied(workspaceId, xUserId)}
      ) as replied, exists (
        select from dms d join campaigns c on c.id = d.campaign_id
        where d.lead_id in (select id from duplicate) and (d.sent_at is not null or d.outcome_unknown or d.status = 'queued')
          and (d.campaign_id = ${campaignId} or not campaign.allow_repeat) and ${mayGoOut}
      ) as wrote, not allow_repeat and ${wasContacted(workspaceId, xUserId)} as contacted
    from campaign`)
  const [known] = rows
  if (known?.replied) return { code: 'replied', params: {} }
  if (known?.wrote) return { code: 'duplicate', params: {} }
  return known?.contacted ? { code: 'contacted', params: { how: 'x_user' } } : null
}

/** X's id of our message in the conversation, or null if it is not there. @throws XError */
export async function findInConversation(
  needs: Needs,
  sent: Pick<Claimed, 'id' | 'accountId' | 'senderId' | 'message'> & { recipientId: string; since: Date },
): Promise<string | null> {
  const messages = await withAccount(needs, sent.accountId, (x, accessToken) =>
    x.listMessages(accessToken, sent.recipientId),
  )
  const { rows } = await needs.database.db.execute<{ id: string }>(
    sql`select x_event_id as id from dms where x_event_id = any(${sql.param(messages.map(({ id }) => id))}::text[]) and id <> ${sent.id} and lead_id is not null`,
  )
  const known = new Set(rows.map(({ id }) => id))
  const found = findSentMessage(messages, { text: sent.message, senderId: sent.senderId, since: sent.since }, known)
  return found?.id ?? null
}

/** A lower bound: with very short intervals, claims would otherwise be renewed forever. */
const MIN_HAND_OVER_MS = 500

/**
 * Maximum age of a claim at hand-over, in ms: half the interval, so that two messages are at least
 * the other half apart.
 */
function maxClaimAgeMs(pauseSeconds: number, handOverMs: number): number {
  return pauseSeconds > 0 ? Math.min(handOverMs, Math.max(MIN_HAND_OVER_MS, pauseSeconds * 500)) : handOverMs
}

/**
 * Renews an old claim: settling, caps and intervals assume a hand-over soon after the claim.
 * @throws LeaseLost, CampaignPaused, TooLate, Stopped: the message must not be sent
 */
async function prepareHandOver(needs: Needs, claimed: Claimed, { handOverMs }: Timing): Promise<void> {
  const age = () => performance.now() - claimed.claimedAt
  const maxAgeMs = maxClaimAgeMs(claimed.pauseSeconds, handOverMs)
  do {
    if (age() > maxAgeMs / 2) await renew(needs, claimed)
    if (claimed.pauseSeconds > 0) await storeHandOver(needs.database.db, claimed)
    // Last: an opt-out that is stored by now stops the message.
    await requireSendable(needs.database.db, claimed)
  } while (age() > maxAgeMs)
}

/**
 * Requires a valid lease, an active campaign and a lead who may be messaged.
 * @throws LeaseLost, CampaignPaused, Stopped
 */
async function requireSendable(db: Db, { id, lease }: Claimed): Promise<void> {
  const { rows } = await db.execute<{ isActive: boolean; reason: SkipReason | null }>(sql`
    select c.status = 'active' as "isActive", ${reasonToStop} as reason
    from dms d join campaigns c on c.id = d.campaign_id left join leads l on l.id = d.lead_id
    where d.id = ${id} and d.lease = ${lease} and d.status = 'queued' and d.lease_expires_at > clock_timestamp() and not d.outcome_unknown`)
  const [row] = rows
  if (!row) throw new LeaseLost()
  if (!row.isActive) throw new CampaignPaused()
  if (row.reason) throw new Stopped(row.reason)
}

/**
 * Stores the hand-over time, from which the interval to the account's next message counts.
 * @throws LeaseLost
 */
async function storeHandOver(db: Db, { id, lease }: Claimed): Promise<void> {
  const { rowCount } = await db.execute(sql`
    update dms set handed_over_at = clock_timestamp() where id = ${id} and lease = ${lease} and status = 'queued' and not outcome_unknown`)
  if (!rowCount) throw new LeaseLost()
}

/** @throws LeaseLost, CampaignPaused, TooLate */
async function renew(needs: Needs, claimed: Claimed): Promise<void> {
  const renewedAt = performance.now()
  await transact(needs.database.db, async (tx) => {
    const { rows } = await tx.execute<{ isActive: boolean }>(sql`
      select c.status = 'active' as "isActive" from dms d join campaigns c on c.id = d.campaign_id
      where d.id = ${claimed.id} and d.lease = ${claimed.lease} and d.status = 'queued' and d.lease_expires_at > clock_timestamp() and not d.outcome_unknown
      for update of d`)
    const [row] = rows
    if (!row) throw new LeaseLost()
    if (!row.isActive) throw new CampaignPaused()
    const until = await renewClaim(tx, needs.env, {
      id: claimed.id,
      workspaceId: claimed.workspaceId,
      xAccountId: claimed.accountId,
      byHand: claimed.byHand ?? false,
      byApi: true,
    })
    if (until) throw new TooLate(until)
  })
  claimed.claimedAt = renewedAt
}

/**
 * A verdict to record. `failures` counts the account's consecutive failures, for the backoff of
 * `later`.
 */
export interface Done {
  claimed: Claimed
  verdict: Verdict
  failures: number
}

/** Records verdicts of one campaign. Mixing campaigns could deadlock two processes. */
export async function record(db: Db, done: readonly Done[]): Promise<void> {
  await transact(db, async (tx) => {
    for (const one of done) await recordOne(tx, one)
  })
}

async function recordOne(tx: Db, { claimed, verdict, failures }: Done): Promise<void> {
  switch (verdict.kind) {
    case 'sent':
      await recordOutcome(tx, claimed, { wasSent: true, eventId: verdict.eventId })
      // A restore may have recorded this message without a lead, because X lists user ids and no
      // handles.
      if (claimed.triedSince)
        await tx.execute(
          sql`delete from dms where x_event_id = ${verdict.eventId} and lead_id is null and id <> ${claimed.id}`,
        )
      return
    case 'failed':
      await recordOutcome(tx, claimed, { wasSent: false, reason: verdict.reason, errorMessage: verdict.errorMessage })
      return
    case 'skipped':
      await release(tx, claimed)
      await skipMessage(tx, claimed.id, { reason: verdict.reason })
      return
    case 'wait':
      await release(tx, claimed)
      await delayAccount(tx, claimed.accountId, sql`${verdict.until.toISOString()}::timestamptz`)
      return
    case 'later':
      await release(tx, claimed)
      await delayAccount(tx, claimed.accountId, sql`now() + make_interval(secs => ${backoffSeconds(failures)})`)
      return
    case 'paused':
    case 'late':
      await release(tx, claimed)
      // With this message claimed, the account may have found nothing to send and left the
      // schedule.
      await wakeAccount(tx, claimed.accountId)
      return
    case 'stop':
      await release(tx, claimed)
      await pauseCampaignsOf(tx, claimed.accountId, verdict)
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

/** Returns an unsent message to the queue. It does not count toward the cap. */
async function release(tx: Db, claimed: Claimed): Promise<void> {
  const { rowCount } = await tx.execute(sql`
    update dms set lease = null, holder = null, lease_expires_at = null, claimed_at = null, attempts = attempts - 1,
      tried_at = ${claimed.triedSince?.toISOString() ?? null}::timestamptz, updated_at = now()
    where id = ${claimed.id} and lease = ${claimed.lease} and status = 'queued' and not outcome_unknown`)
  if (rowCount) await releaseIfArchived(tx, sql`${claimed.id}`)
}

/** Keeps the account from sending before `until`. */
export async function delayAccount(tx: Db, accountId: string, until: ReturnType<typeof sql>): Promise<void> {
  await tx.execute(sql`
    update x_accounts set rests_until = ${until}, next_send_at = greatest(next_send_at, ${until}) where id = ${accountId}`)
}

/**
 * Pauses the account's campaigns and shows why. Direct messages wait until more are queued or the
 * account is reconnected.
 */
export async function pauseCampaignsOf(tx: Db, accountId: string, { reason, xMessage }: Pause): Promise<void> {
  await tx.execute(sql`
    update campaigns set status = 'paused', reason = ${reasonValue(reason)}, pause_reason = ${xMessage}, updated_at = now()
    where id in (select id from campaigns where x_account_id = ${accountId} and status = 'active' and channel = 'api' order by id for update)`)
}
