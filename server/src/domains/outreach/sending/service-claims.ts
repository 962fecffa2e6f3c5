import { LEASE_SECONDS } from '@x-automated/contract/outreach/campaigns'
import type { SkipReason } from '@x-automated/contract/reason'
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { Refusal } from '../../../refusal.ts'
import { leads } from '../../leads/leads/tables.ts'
import { findCurrentAccount, isLinked } from '../../platform/x-account/service.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { campaigns, waitsForOlder } from '../campaigns/tables.ts'
import { findRest, pauseSecondsOf, type SendingEnv } from '../sending-settings/service.ts'
import { withJitter } from './rules.ts'
import { xUserLock } from './service-locks.ts'
import { LEAD_MISSING, OUTCOME_UNKNOWN, recordOutcome, SIMULATED_HOLDER } from './service-outcomes.ts'
import { TURN_SECONDS } from './service-schedule.ts'
import { reasonToStop, releaseIfArchived, skipMessage } from './service-stopping.ts'
import { dms } from './tables.ts'

type Campaign = typeof campaigns.$inferSelect

export type ClaimAnswer =
  | {
      status: 200
      body: {
        dmId: string
        lease: string
        leadId: string
        twitterHandle: string
        message: string
        leaseExpiresAt: Date
        sendsAs: string | null
      }
    }
  /** `isTurn`: another campaign on the account sends first. */
  | { status: 204; headers?: Record<string, string>; isTurn?: true }

/**
 * Gives the next message of one campaign to an extension. Leaves expired leases to `expireLeases`,
 * because a refusal would roll that back. @throws Refusal CAMPAIGN_NOT_FOUND, _CHANNEL or _STATE
 */
export async function claim(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  { id, holder }: { id: string; holder: string },
): Promise<ClaimAnswer> {
  return transact(db, async (tx) => {
    // Serializes with a pause: either this sees it, or it waits for this transaction.
    const [campaign] = await tx
      .select()
      .from(campaigns)
      .where(and(eq(campaigns.id, id), eq(campaigns.workspaceId, actor.workspaceId), eq(campaigns.kind, 'campaign')))
      .for('no key update')
    if (!campaign) throw new Refusal('CAMPAIGN_NOT_FOUND')
    if (campaign.channel === 'api') throw new Refusal('CAMPAIGN_CHANNEL')
    if (campaign.status !== 'active')
      throw new Refusal('CAMPAIGN_STATE', `This campaign is ${campaign.status}. Only active campaigns send messages.`)
    const answer = await claimFrom(tx, env, campaign, `extension:${holder}`)
    return answer.status === 204 && !answer.headers
      ? nothingDue(await secondsUntilLeaseExpires(tx, [campaign.id]))
      : answer
  })
}

/** Like `claim`, for the oldest active extension campaign with a due message. */
export async function claimAny(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  { holder, signedInAs }: { holder: string; signedInAs?: string | undefined },
): Promise<ClaimAnswer> {
  return transact(db, async (tx) => {
    const found = await tx
      .select({ campaign: campaigns, handle: xAccounts.handle })
      .from(campaigns)
      .leftJoin(xAccounts, eq(xAccounts.id, campaigns.xAccountId))
      .where(
        and(
          eq(campaigns.workspaceId, actor.workspaceId),
          eq(campaigns.kind, 'campaign'),
          eq(campaigns.status, 'active'),
          eq(campaigns.channel, 'extension'),
          gt(campaigns.dmsQueuedCount, 0),
        ),
      )
      .orderBy(asc(campaigns.createdAt), asc(campaigns.id))
      .for('no key update', { of: campaigns })
    // Campaigns of other accounts come last: claiming one makes the extension report the mismatch.
    const sendable = found.filter(({ handle }) => !isDifferentAccount(handle, signedInAs))
    const active = (sendable.length > 0 ? sendable : found).map(({ campaign }) => campaign)
    let soonest = Number.POSITIVE_INFINITY
    for (const campaign of active) {
      const answer = await claimFrom(tx, env, campaign, `extension:${holder}`)
      if (answer.status === 200) return answer
      soonest = Math.min(soonest, Number(answer.headers?.['retry-after'] ?? Number.POSITIVE_INFINITY))
    }
    const ids = active.map(({ id }) => id)
    soonest = Math.min(soonest, (await secondsUntilLeaseExpires(tx, ids)) ?? Number.POSITIVE_INFINITY)
    return nothingDue(Number.isFinite(soonest) ? soonest : null)
  })
}

function isDifferentAccount(handle: string | null, signedInAs: string | undefined): boolean {
  return handle !== null && signedInAs !== undefined && handle.toLowerCase() !== signedInAs.toLowerCase()
}

/**
 * Seconds until the first lease expires; null if no message is claimed. Until then the campaign is
 * not finished.
 */
async function secondsUntilLeaseExpires(tx: Db, campaignIds: readonly string[]): Promise<number | null> {
  if (campaignIds.length === 0) return null
  const { rows } = await tx.execute<{ seconds: number | null }>(sql`
    select extract(epoch from min(lease_expires_at) - clock_timestamp())::float as seconds from dms
    where lease_expires_at is not null and campaign_id = any(${sql.param(campaignIds)}::uuid[])`)
  return rows[0]?.seconds ?? null
}

/**
 * Claims the next message of a campaign if the account's limits allow it and no older campaign
 * sends first. The caller has locked the campaign. @param holder as in `dms.holder`
 */
export async function claimFrom(tx: Db, env: SendingEnv, campaign: Campaign, holder: string): Promise<ClaimAnswer> {
  const account = await lockAccount(tx, campaign)
  // The campaign was launched without an account, and one was connected since: assign it.
  if (!campaign.xAccountId && isLinked(account))
    await tx.update(campaigns).set({ xAccountId: account.id }).where(eq(campaigns.id, campaign.id))
  for (;;) {
    const [next] = await tx
      .select({
        dm: dms,
        lead: leads,
        stopped: sql<SkipReason | null>`(select ${reasonToStop} from leads l join dms d on d.id = ${dms.id} where l.id = ${dms.leadId})`,
        isWaiting: sql<boolean>`(select ${waitsForOlder(sql`c`)} from campaigns c where c.id = ${campaign.id})`,
        dueInSeconds: sql<number>`extract(epoch from ${dms.dueAt} - clock_timestamp())::float`,
      })
      .from(dms)
      .leftJoin(leads, eq(leads.id, dms.leadId))
      .where(and(eq(dms.campaignId, campaign.id), eq(dms.status, 'queued'), sql`${dms.leaseExpiresAt} is null`))
      .orderBy(asc(dms.dueAt), asc(dms.id))
      .limit(1)
      .for('update', { of: dms, skipLocked: true })
    if (!next) return nothingDue(null)
    if (next.isWaiting) return { status: 204, headers: { 'retry-after': String(TURN_SECONDS) }, isTurn: true }
    if (next.stopped) {
      await skipMessage(tx, next.dm.id, { reason: next.stopped })
      continue
    }
    const limits = await findLimits(tx, env, campaign.workspaceId, account, holder === SIMULATED_HOLDER)
    const waitSeconds = Math.max(next.dueInSeconds, limits.waitSeconds)
    if (waitSeconds > 0) return nothingDue(waitSeconds)
    const [row] = await tx
      .update(dms)
      .set({
        lease: sql`gen_random_uuid()`,
        holder,
        leaseExpiresAt: sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`,
        claimedAt: sql`clock_timestamp()`,
        ...(holder === SIMULATED_HOLDER
          ? {}
          : { triedAt: sql`coalesce(${dms.triedAt}, now())`, attempts: sql`${dms.attempts} + 1` }),
        xAccountId: account?.id ?? null,
        updatedAt: sql`now()`,
      })
      .where(eq(dms.id, next.dm.id))
      .returning({ lease: dms.lease, leaseExpiresAt: dms.leaseExpiresAt })
    if (!row?.lease || !row.leaseExpiresAt) throw new Error('the claimed message has no lease')
    if (!next.lead) {
      await recordOutcome(tx, { id: next.dm.id, lease: row.lease }, { wasSent: false, reason: LEAD_MISSING })
      continue
    }
    if (account) {
      const pauseSeconds = pauseSecondsOf(limits.accountLimits, env)
      await tx
        .update(xAccounts)
        .set({
          nextSendAt: sql`clock_timestamp() + make_interval(secs => ${withJitter(pauseSeconds, Math.random())})`,
        })
        .where(eq(xAccounts.id, account.id))
    }
    return {
      status: 200,
      body: {
        dmId: next.dm.id,
        lease: row.lease,
        leadId: next.lead.id,
        twitterHandle: next.lead.twitterHandle,
        message: next.dm.message,
        leaseExpiresAt: row.leaseExpiresAt,
        // A disconnected account limits unassigned campaigns, but they do not send from it.
        sendsAs: account && (campaign.xAccountId || isLinked(account)) ? account.handle : null,
      },
    }
  }
}

type LockedAccount = typeof xAccounts.$inferSelect

/**
 * Locks the X account whose limits apply, across all workspaces. If the extension's account is
 * unknown, locks the workspace.
 */
async function lockAccount(
  tx: Db,
  { workspaceId, xAccountId }: { workspaceId: string; xAccountId: string | null },
): Promise<LockedAccount | null> {
  const id = xAccountId ?? (await findCurrentAccount(tx, workspaceId))?.id
  if (!id) {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('pace:' || ${workspaceId}::text, 0))`)
    return null
  }
  const [account] = await tx.select().from(xAccounts).where(eq(xAccounts.id, id)).for('update')
  if (account) await tx.execute(sql`select pg_advisory_xact_lock(${xUserLock(account.xUserId)})`)
  return account ?? null
}

interface RenewableClaim {
  id: string
  workspaceId: string
  /** The account that it was claimed for. */
  xAccountId: string | null
  /** A person sends it, so the interval does not apply. */
  byHand: boolean
  /** A worker sends it, so X's API limits apply. */
  byApi: boolean
}

/**
 * Renews an old claim of a locked message right before sending: limits then count from now.
 * @returns null, or the time before which the account must not send
 */
export async function renewClaim(tx: Db, limits: SendingEnv, claimed: RenewableClaim): Promise<Date | null> {
  const { id, workspaceId, xAccountId, byHand, byApi } = claimed
  const account = await lockAccount(tx, { workspaceId, xAccountId })
  // Exclude this message from the limits that are checked below.
  await tx.update(dms).set({ claimedAt: null }).where(eq(dms.id, id))
  const asked = {
    workspaceId,
    account: account && { ...account, restsUntil: byApi ? account.restsUntil : null },
    byHand,
  }
  const { accountLimits, rest, now } = await findRest(tx, limits, asked)
  if (rest && rest.until > now) return rest.until
  await tx
    .update(dms)
    .set({
      claimedAt: sql`clock_timestamp()`,
      leaseExpiresAt: sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`,
      updatedAt: sql`now()`,
    })
    .where(eq(dms.id, id))
  if (account?.nextSendAt) {
    const seconds = withJitter(pauseSecondsOf(accountLimits, limits), Math.random())
    await tx
      .update(xAccounts)
      .set({
        nextSendAt: sql`greatest(${xAccounts.nextSendAt}, clock_timestamp() + make_interval(secs => ${seconds}))`,
      })
      .where(eq(xAccounts.id, account.id))
  }
  return null
}

/**
 * The account's sending limits, and the seconds until they allow a message (0 or less: now). Uses
 * the clock, since this transaction may have waited for a lock.
 */
async function findLimits(
  tx: Db,
  limits: SendingEnv,
  workspaceId: string,
  account: LockedAccount | null,
  withoutPause: boolean,
) {
  // X's API limits apply only to workers.
  const asked = { workspaceId, account: account && { ...account, restsUntil: null }, withoutPause }
  const { accountLimits, rest, now, before } = await findRest(tx, limits, asked)
  // Workers also move `nextSendAt` to wait for a turn or for X. Cap it at the longest interval
  // after the last message, or extensions and simulations could wait forever.
  const longestIntervalMs = withJitter(pauseSecondsOf(accountLimits, limits), 1) * 1_000
  const paced = withoutPause
    ? 0
    : Math.min(account?.nextSendAt?.getTime() ?? 0, (before.lastAt?.getTime() ?? 0) + longestIntervalMs)
  const until = Math.max(rest?.until.getTime() ?? 0, paced)
  return { accountLimits, waitSeconds: (until - now.getTime()) / 1_000 }
}

function nothingDue(seconds: number | null): ClaimAnswer {
  return {
    status: 204,
    ...(seconds === null ? {} : { headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) } }),
  }
}

/**
 * Ends expired leases. An extension's message fails with an unknown outcome, for a person to check.
 * A simulated one was not sent, so it is queued again.
 */
export async function expireLeases(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    const { rows: back } = await tx.execute<{ id: string }>(sql`
      update dms set lease = null, holder = null, lease_expires_at = null, claimed_at = null, updated_at = now()
      where lease_expires_at < now() and holder = ${SIMULATED_HOLDER} and status = 'queued' returning id`)
    if (back.length > 0) await releaseIfArchived(tx, sql`select unnest(${sql.param(back.map(({ id }) => id))}::uuid[])`)
  })
  const { rows } = await db.execute<{ id: string; lease: string }>(
    sql`select id, lease from dms where lease_expires_at < now() and holder like 'extension:%' limit 500`,
  )
  for (const dm of rows) {
    await transact(db, (tx) =>
      recordOutcome(tx, dm, { wasSent: false, errorMessage: OUTCOME_UNKNOWN, outcomeUnknown: true }),
    )
  }
}
