import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { XError } from '../../outside/x.ts'
import { hadReplied, wasContacted } from '../leads/service.ts'
import { HAS_REPLIED } from '../replies/tables.ts'
import { CONNECTION_LOST, withAccount } from '../x-account/service.ts'
import type { Claimed, Needs, Timing } from './engine.ts'
import { backoffSeconds, findSentMessage } from './rules.ts'
import { renewClaim } from './service-claims.ts'
import { LEAD_MISSING, recordOutcome } from './service-outcomes.ts'
import { wakeAccount } from './service-schedule.ts'
import {
  includesReplied,
  reasonToStop,
  releaseIfArchived,
  skipMessage,
  WRITTEN_TO_AS_TWIN,
} from './service-stopping.ts'
import { mayGoOut } from './tables.ts'

// Send and record: what engine.ts says of them.

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
  /** Not sent: so much time has passed since its claim that its account has to rest first. */
  | { kind: 'late'; until: Date }
  /** Nobody knows. */
  | { kind: 'unknown' }
  /** Another has taken it over. */
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
class Stopped extends Error {}

/** Hands a claimed message to X, unless its conversation shows that an attempt before has gone through. */
export async function send(needs: Needs, claimed: Claimed, timing: Timing): Promise<Verdict> {
  const { lead } = claimed
  if (!lead) return { kind: 'failed', reason: LEAD_MISSING }
  if (claimed.suppressed) return { kind: 'skipped', reason: claimed.suppressed }
  let mayBeSent = false
  try {
    const recipientId = lead.xUserId ?? (await lookUp(needs, claimed.accountId, lead.handle))
    if (!recipientId) return { kind: 'failed', reason: `There is nobody on X called @${lead.handle}.` }
    const twin = lead.xUserId ? null : await keepXUserId(needs.database.db, claimed, recipientId)
    if (claimed.triedSince) {
      const found = await findInConversation(needs, { ...claimed, recipientId, since: claimed.triedSince })
      if (found) return { kind: 'sent', eventId: found }
    }
    if (twin) return { kind: 'failed', reason: twin }
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
    if (error instanceof Stopped) return { kind: 'skipped', reason: error.message }
    if (error instanceof CampaignPaused) return { kind: 'paused' }
    if (error instanceof TooLate) return { kind: 'late', until: error.until }
    if (mayBeSent) return { kind: 'unknown' }
    if (error instanceof XError) return verdictOf(error, lead.handle)
    throw error
  }
}

/** An X error of a call that has certainly not sent anything (x-network.md, Errors). */
export function verdictOf(error: XError, handle: string): Verdict {
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

export async function lookUp(needs: Needs, accountId: string, handle: string): Promise<string | null> {
  const user = await withAccount(needs, accountId, (x, accessToken) => x.findUser(accessToken, handle))
  return user?.id ?? null
}

const CONTACTED = 'Skipped: a message has gone to this person already.'

/**
 * Keeps X's id of an imported lead.
 * @returns why not to write, as far as X's id shows it: this person has replied, or is another lead that has a message of this campaign or of any that counts, or was
 *   written to when no lead was known by that id
 */
async function keepXUserId(db: Db, claimed: Claimed, xUserId: string): Promise<string | null> {
  const { workspaceId, campaignId } = claimed
  const { rows } = await db.execute<{ replied: boolean; wrote: boolean; contacted: boolean }>(sql`
    with campaign as (
      select allow_repeat, ${includesReplied} as includes_replied from campaigns c where id = ${campaignId}
    ), twin as (
      select id, replied_at from leads where workspace_id = ${workspaceId} and x_user_id = ${xUserId} and id <> ${claimed.lead?.id}
    ), kept as (
      update leads set x_user_id = ${xUserId}, updated_at = now()
      where id = ${claimed.lead?.id} and x_user_id is null and not exists (select from twin)
    )
    select not includes_replied and (
        exists (select from twin where replied_at is not null) or ${hadReplied(workspaceId, xUserId)}
      ) as replied, exists (
        select from dms d join campaigns c on c.id = d.campaign_id
        where d.lead_id in (select id from twin) and (d.sent_at is not null or d.outcome_unknown or d.status = 'queued')
          and (d.campaign_id = ${campaignId} or not campaign.allow_repeat) and ${mayGoOut}
      ) as wrote, not allow_repeat and ${wasContacted(workspaceId, xUserId)} as contacted
    from campaign`)
  const [known] = rows
  if (known?.replied) return HAS_REPLIED
  if (known?.wrote) return WRITTEN_TO_AS_TWIN
  return known?.contacted ? CONTACTED : null
}

/** X's id of our message in the conversation, or null where it is not there. @throws XError */
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

/** However short the interval, a claim of this age may be handed over: else claims would be renewed over and over. */
const HAND_OVER_MS_MIN = 500

/** The age up to which a claim may be handed over. Half the interval, so that the account's next claim, an interval after this one, leaves the other half. */
function longestHandOver(pauseSeconds: number, handOverMs: number): number {
  return pauseSeconds > 0 ? Math.min(handOverMs, Math.max(HAND_OVER_MS_MIN, pauseSeconds * 500)) : handOverMs
}

/**
 * Settling counts on a message being handed over soon after its claim, and so do the cap and the interval. If looking up and reading took longer, or this process
 * was stopped for a while, the claim is renewed: meanwhile the message may have become another's, its campaign paused, or its place on the account taken.
 * @throws LeaseLost, CampaignPaused, TooLate, Stopped: it must not go out
 */
async function prepareHandOver(needs: Needs, claimed: Claimed, { handOverMs }: Timing): Promise<void> {
  const age = () => performance.now() - claimed.claimedAt
  const longestMs = longestHandOver(claimed.pauseSeconds, handOverMs)
  do {
    if (age() > longestMs / 2) await renew(needs, claimed)
    if (claimed.pauseSeconds > 0) await storeHandOver(needs.database.db, claimed)
    // Last: an opt-out that is stored by now stops the message.
    await requireSendable(needs.database.db, claimed)
  } while (age() > longestMs)
}

/** The lease and the campaign are still good, and nothing was said since. @throws LeaseLost, CampaignPaused, Stopped */
async function requireSendable(db: Db, { id, lease }: Claimed): Promise<void> {
  const { rows } = await db.execute<{ isActive: boolean; reason: string | null }>(sql`
    select c.status = 'active' as "isActive", ${reasonToStop} as reason
    from dms d join campaigns c on c.id = d.campaign_id left join leads l on l.id = d.lead_id
    where d.id = ${id} and d.lease = ${lease} and d.status = 'queued' and d.lease_expires_at > clock_timestamp() and not d.outcome_unknown`)
  const [row] = rows
  if (!row) throw new LeaseLost()
  if (!row.isActive) throw new CampaignPaused()
  if (row.reason) throw new Stopped(row.reason)
}

/** The interval to the account's next message counts from here. @throws LeaseLost */
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
      // Found by reading, it may stand here already without a lead: X names nobody by handle (service-restored.ts).
      if (claimed.triedSince)
        await tx.execute(
          sql`delete from dms where x_event_id = ${verdict.eventId} and lead_id is null and id <> ${claimed.id}`,
        )
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
    case 'late':
      await giveBack(tx, claimed)
      // While it was in hand its account may have found nothing else, and left the schedule.
      await wakeAccount(tx, claimed.accountId)
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
  const { rowCount } = await tx.execute(sql`
    update dms set lease = null, holder = null, lease_expires_at = null, claimed_at = null, attempts = attempts - 1,
      tried_at = ${claimed.triedSince?.toISOString() ?? null}::timestamptz, updated_at = now()
    where id = ${claimed.id} and lease = ${claimed.lease} and status = 'queued' and not outcome_unknown`)
  if (rowCount) await releaseIfArchived(tx, sql`${claimed.id}`)
}

/** The account sends nothing before that moment. */
export async function rest(tx: Db, accountId: string, until: ReturnType<typeof sql>): Promise<void> {
  await tx.execute(sql`
    update x_accounts set rests_until = ${until}, next_send_at = greatest(next_send_at, ${until}) where id = ${accountId}`)
}

/** Pauses what the account sends, with the reason on the screen. Direct messages wait too, until somebody queues more or connects the account again. */
export async function pauseCampaignsOf(tx: Db, accountId: string, reason: string): Promise<void> {
  await tx.execute(sql`
    update campaigns set status = 'paused', pause_reason = ${reason}, updated_at = now()
    where id in (select id from campaigns where x_account_id = ${accountId} and status = 'active' and channel = 'api' order by id for update)`)
}
