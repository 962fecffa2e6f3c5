import type { InputOf } from '@x-automated/contract/contract'
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { xAccounts } from '../../domains/platform/x-account/tables.ts'
import type { JobQueue } from '../../ports.ts'
import { Refusal } from '../../refusal.ts'
import type { RequestContext } from '../../requests/context.ts'
import { campaigns } from '../tables/campaigns.ts'
import { FIRST_OF, isInQueue } from '../tables/messages.ts'
import { type Answer, type ClaimedMessage, type Scope, secondsOf, unreadAccountOf } from './claim.ts'
import { requestRead } from './schedule.ts'
import { extensionOf, type Sender, SIMULATION } from './sender.ts'
import type { SendingEnv } from './sending-state.ts'
import { claimSendable } from './unsendable.ts'

// Claims by extensions and the simulated queue

/** `remember` stores the response in the transaction that claims, so that a retry gets it again. */
type ClaimContext = Pick<RequestContext, 'db' | 'remember'> & { env: SendingEnv; jobs: Pick<JobQueue, 'reschedule'> }

/**
 * Claims the next message of a campaign for an extension. Leaves expired leases to `expireLeases`.
 * @throws Refusal CAMPAIGN_NOT_FOUND, CAMPAIGN_CHANNEL, CAMPAIGN_STATE
 */
export async function claimOne(context: ClaimContext, actor: Actor, { id, holder }: InputOf<'campaigns', 'claim'>) {
  const { db } = context
  const [campaign] = await db
    .select()
    .from(campaigns)
    .where(and(eq(campaigns.id, id), eq(campaigns.workspaceId, actor.workspaceId)))
  if (campaign?.kind !== 'campaign') throw new Refusal('CAMPAIGN_NOT_FOUND')
  if (campaign.channel === 'api') throw new Refusal('CAMPAIGN_CHANNEL')
  if (campaign.status !== 'active')
    throw new Refusal('CAMPAIGN_STATE', `This campaign is ${campaign.status}. Only active campaigns send messages.`)
  const { taken: claimed, waits } = await claimByExtension(context, actor, holder, [id])
  if (claimed) return toClaimAnswer(claimed)
  return nothingDue(waits.length > 0 ? Math.min(...waits.map(secondsOf)) : await secondsUntilLeaseExpires(db, [id]))
}

/** A candidate to send next: a campaign's first messages, or its follow-ups from one account. */
type Turn = { id: string; isFollowUp: boolean; xAccountId: string | null }

function scopeOf(campaign: typeof campaigns.$inferSelect, { isFollowUp, xAccountId }: Turn): Scope {
  return { campaign: { ...campaign, xAccountId: isFollowUp ? xAccountId : campaign.xAccountId }, isFollowUp }
}

/**
 * The order in which campaigns claim: due follow-ups, longest due first, then first messages in the
 * order of the ids. If it is a first message's turn on an account, the account's follow-ups come
 * last.
 */
async function findTurns(db: Db, ids: readonly string[]): Promise<Turn[]> {
  const { rows } = await db.execute<{ id: string; xAccountId: string; isLast: boolean }>(sql`
    select c.id, f.x_account_id as "xAccountId", a.follow_ups_in_row >= ${FIRST_OF - 1} as "isLast"
    from campaigns c cross join lateral (
      select x_account_id, due_at
      from dms
      where campaign_id = c.id and ${isInQueue} and is_follow_up and due_at <= now()
      order by due_at, id
      limit 1
    ) f join x_accounts a on a.id = f.x_account_id
    where c.id = any(${sql.param(ids)}::uuid[]) order by f.due_at`)
  const followUps = (isLast: boolean) =>
    rows.filter((row) => row.isLast === isLast).map(({ id, xAccountId }) => ({ id, xAccountId, isFollowUp: true }))
  const firsts = ids.map((id) => ({ id, xAccountId: null, isFollowUp: false }))
  return [...followUps(false), ...firsts, ...followUps(true)]
}

/** Locks a campaign. Either this statement sees a concurrent pause, or the pause waits for this transaction. */
async function lockCampaign(tx: Db, { workspaceId }: Actor, id: string) {
  const [campaign] = await tx
    .select()
    .from(campaigns)
    .where(and(eq(campaigns.id, id), eq(campaigns.workspaceId, workspaceId)))
    .for('no key update')
  return campaign
}

/** Like `claimOne`, for the oldest active extension campaign with a due message. */
export async function claimAny(
  context: ClaimContext,
  actor: Actor,
  { holder, signedInAs }: InputOf<'campaigns', 'claimAny'>,
) {
  const { db } = context
  const candidates = await findSendable(
    db,
    actor,
    sql`${campaigns.channel} = 'extension' and ${campaigns.kind} = 'campaign'`,
  )
  // Use campaigns of other accounts only if there are no others: claiming one makes the extension report the mismatch.
  const sendable = candidates.filter(({ handle }) => !isDifferentAccount(handle, signedInAs))
  const ids = (sendable.length > 0 ? sendable : candidates).map(({ id }) => id)
  const { taken: claimed, waits } = await claimByExtension(context, actor, holder, ids)
  if (claimed) return toClaimAnswer(claimed)
  const ends = (await secondsUntilLeaseExpires(db, ids)) ?? Number.POSITIVE_INFINITY
  const soonest = Math.min(ends, ...waits.map(secondsOf))
  return nothingDue(Number.isFinite(soonest) ? soonest : null)
}

function isDifferentAccount(handle: string | null, signedInAs: string | undefined): boolean {
  return handle !== null && signedInAs !== undefined && handle.toLowerCase() !== signedInAs.toLowerCase()
}

/** The workspace's active campaigns with queued messages, oldest first. */
function findSendable(db: Db, { workspaceId }: Actor, which: SQL) {
  return db
    .select({ id: campaigns.id, handle: xAccounts.handle })
    .from(campaigns)
    .leftJoin(xAccounts, eq(xAccounts.id, campaigns.xAccountId))
    .where(
      and(
        eq(campaigns.workspaceId, workspaceId),
        eq(campaigns.status, 'active'),
        gt(campaigns.dmsQueuedCount, 0),
        which,
      ),
    )
    .orderBy(asc(campaigns.createdAt), asc(campaigns.id))
}

async function claimByExtension(context: ClaimContext, actor: Actor, holder: string, ids: readonly string[]) {
  const { db, env, remember } = context
  const keep = (tx: Db, message: ClaimedMessage) => remember(tx, toClaimAnswer(message))
  const claimed = await claimFirst(db, env, actor, extensionOf(holder), ids, keep)
  for (const xUserId of claimed.unread) await requestRead(context, xUserId)
  return claimed
}

/**
 * Claims from the first of these campaigns that has a message to claim. Each transaction locks one
 * account. @param db the pool @param keep runs in the transaction that claims @returns `unread`: X
 * ids of the accounts to read before their follow-ups
 */
async function claimFirst(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  sender: Sender,
  ids: readonly string[],
  keep: (tx: Db, message: ClaimedMessage) => Promise<void> = async () => {},
) {
  const waits: Extract<Answer, { kind: 'wait' }>[] = []
  const unread = new Set<string>()
  for (const turn of await findTurns(db, ids)) {
    const outcome = await transact(db, async (tx): Promise<Answer> => {
      const campaign = await lockCampaign(tx, actor, turn.id)
      // The campaign may have changed since the search.
      if (campaign?.status !== 'active' || (sender.maySend && campaign.channel === 'api'))
        return { kind: 'nothing', locked: null }
      const result = await claimSendable(tx, env, sender, scopeOf(campaign, turn))
      if (result.kind === 'claimed') await keep(tx, result)
      return result
    })
    const account = unreadAccountOf(outcome)
    if (account) unread.add(account)
    if (outcome.kind === 'claimed') return { taken: outcome, waits, unread }
    if (outcome.kind === 'wait') waits.push(outcome)
  }
  return { taken: null, waits, unread }
}

/** A message that the simulated queue has claimed. */
export interface SimulatedClaim {
  dmId: string
  lease: string
  campaignId: string
  handle: string
}

/**
 * Claims the workspace's next message for the simulated queue, oldest campaign first.
 * @returns null if there is nothing to claim or to wait for
 */
export async function claimSimulated(
  db: Db,
  env: SendingEnv,
  actor: Actor,
): Promise<SimulatedClaim | { waitSeconds: number; isTurn: boolean } | null> {
  const ids = (await findSendable(db, actor, sql`true`)).map(({ id }) => id)
  const { taken: claimed, waits } = await claimFirst(db, env, actor, SIMULATION, ids)
  if (claimed?.lead && claimed.locked.campaignId)
    return {
      dmId: claimed.id,
      lease: claimed.lease,
      campaignId: claimed.locked.campaignId,
      handle: claimed.lead.handle,
    }
  if (waits.length === 0) return null
  return {
    waitSeconds: Math.max(1, Math.ceil(Math.min(...waits.map(secondsOf)))),
    isTurn: waits.every(({ isTurn }) => isTurn === true),
  }
}

/**
 * Seconds until the first lease on messages of these campaigns expires; null if no message is
 * claimed. The campaigns are not finished before that.
 */
async function secondsUntilLeaseExpires(db: Db, campaignIds: readonly string[]): Promise<number | null> {
  if (campaignIds.length === 0) return null
  const { rows } = await db.execute<{ seconds: number | null }>(sql`
    select extract(epoch from min(lease_expires_at) - clock_timestamp())::float as seconds from dms
    where lease_expires_at is not null and campaign_id = any(${sql.param(campaignIds)}::uuid[])`)
  return one(rows).seconds
}

function toClaimAnswer({ id: dmId, lease, leaseExpiresAt, lead, message, locked: { sendsAs } }: ClaimedMessage) {
  if (!lead) throw new Error('a message without a lead was claimed')
  const { id: leadId, handle: twitterHandle, xUserId } = lead
  const body = { dmId, lease, leadId, twitterHandle, xUserId, message, leaseExpiresAt, sendsAs }
  return { status: 200 as const, body }
}

function nothingDue(seconds: number | null) {
  return {
    status: 204 as const,
    ...(seconds === null ? {} : { headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) } }),
  }
}
