import { LEASE_SECONDS } from '@x-automated/contract/campaigns'
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import { campaigns } from '../campaigns/tables.ts'
import { leads } from '../leads/tables.ts'
import { findRest, type Pace, paceOf, pauseSecondsOf } from '../sending-settings/service.ts'
import { findCurrentAccount } from '../x-account/service.ts'
import { xAccounts } from '../x-account/tables.ts'
import { restSeconds } from './rules.ts'
import { xUserLock } from './service-locks.ts'
import { expireLeases, LEAD_MISSING, recordOutcome, SIMULATED_HOLDER } from './service-outcomes.ts'
import { reasonToStop, skipMessage } from './service-stopping.ts'
import { dms } from './tables.ts'

type Campaign = typeof campaigns.$inferSelect

/** NOTIFY channel that tells senders to look for work at once. */
export const SENDING_CHANNEL = 'sending'

/**
 * Puts the account on the senders' schedule, where it is not, and tells them when the transaction commits.
 * A pause that the account is in the middle of stays: work that was overdue is paced like any other.
 */
export async function wakeAccount(tx: Db, accountId: string): Promise<void> {
  // Unconditional, so that the row is locked: a sender that is just taking the account off the schedule comes before or after, never between.
  await tx
    .update(xAccounts)
    .set({ nextSendAt: sql`coalesce(${xAccounts.nextSendAt}, now())` })
    .where(eq(xAccounts.id, accountId))
  await tx.execute(sql`select pg_notify(${SENDING_CHANNEL}, '')`)
}

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
      }
    }
  | { status: 204; headers?: Record<string, string> }

/**
 * Hands the next message of one campaign to an extension.
 * @throws Refusal CAMPAIGN_NOT_FOUND, CAMPAIGN_CHANNEL (ours to send), CAMPAIGN_STATE (not active)
 */
export async function claim(
  db: Db,
  pace: Pace,
  actor: Actor,
  { id, holder }: { id: string; holder: string },
): Promise<ClaimAnswer> {
  await expireLeases(db)
  return transact(db, async (tx) => {
    // Keeps a pause off: either it comes first and this sees it, or it waits for this to end.
    const [campaign] = await tx
      .select()
      .from(campaigns)
      .where(and(eq(campaigns.id, id), eq(campaigns.workspaceId, actor.workspaceId), eq(campaigns.kind, 'campaign')))
      .for('no key update')
    if (!campaign) throw new Refusal('CAMPAIGN_NOT_FOUND')
    if (campaign.channel === 'api') throw new Refusal('CAMPAIGN_CHANNEL')
    if (campaign.status !== 'active')
      throw new Refusal('CAMPAIGN_STATE', `The campaign is ${campaign.status}, so nothing is sent.`)
    return claimFrom(tx, pace, campaign, `extension:${holder}`)
  })
}

/** As `claim`, from the oldest active campaign that the extension sends and that has a message due. */
export async function claimAny(db: Db, pace: Pace, actor: Actor, holder: string): Promise<ClaimAnswer> {
  await expireLeases(db)
  return transact(db, async (tx) => {
    const active = await tx
      .select()
      .from(campaigns)
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
      .for('no key update')
    let soonest = Number.POSITIVE_INFINITY
    for (const campaign of active) {
      const answer = await claimFrom(tx, pace, campaign, `extension:${holder}`)
      if (answer.status === 200) return answer
      soonest = Math.min(soonest, Number(answer.headers?.['retry-after'] ?? Number.POSITIVE_INFINITY))
    }
    return nothingDue(Number.isFinite(soonest) ? soonest : null)
  })
}

/**
 * Takes the next message of a campaign, whose row the caller has locked, at the pace and under the cap of its account.
 * @param holder who takes it, as `dms.holder` says it
 */
export async function claimFrom(tx: Db, pace: Pace, campaign: Campaign, holder: string): Promise<ClaimAnswer> {
  const account = await lockPace(tx, campaign)
  for (;;) {
    const [next] = await tx
      .select({
        dm: dms,
        lead: leads,
        stopped: sql<
          string | null
        >`(select ${reasonToStop} from leads l join dms d on d.id = ${dms.id} where l.id = ${dms.leadId})`,
        dueInSeconds: sql<number>`extract(epoch from ${dms.dueAt} - clock_timestamp())::float`,
      })
      .from(dms)
      .leftJoin(leads, eq(leads.id, dms.leadId))
      .where(and(eq(dms.campaignId, campaign.id), eq(dms.status, 'queued'), sql`${dms.leaseExpiresAt} is null`))
      .orderBy(asc(dms.dueAt), asc(dms.id))
      .limit(1)
      .for('update', { of: dms, skipLocked: true })
    if (!next) return nothingDue(null)
    if (next.stopped) {
      await skipMessage(tx, next.dm.id, next.stopped)
      continue
    }
    const waitSeconds = Math.max(next.dueInSeconds, await secondsToWait(tx, pace, campaign.workspaceId, account))
    if (waitSeconds > 0) return nothingDue(waitSeconds)
    const [row] = await tx
      .update(dms)
      .set({
        lease: sql`gen_random_uuid()`,
        holder,
        leaseExpiresAt: sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`,
        claimedAt: sql`clock_timestamp()`,
        ...(holder === SIMULATED_HOLDER ? {} : { triedAt: sql`coalesce(${dms.triedAt}, now())` }),
        xAccountId: account?.id ?? null,
        attempts: sql`${dms.attempts} + 1`,
        updatedAt: sql`now()`,
      })
      .where(eq(dms.id, next.dm.id))
      .returning({ lease: dms.lease, leaseExpiresAt: dms.leaseExpiresAt })
    if (!row?.lease || !row.leaseExpiresAt) throw new Error('the claimed message has no lease')
    if (!next.lead) {
      await recordOutcome(tx, { id: next.dm.id, lease: row.lease }, { wasSent: false, errorMessage: LEAD_MISSING })
      continue
    }
    if (account) {
      const pauseSeconds = pauseSecondsOf(await paceOf(tx, pace, campaign.workspaceId, account.id), pace)
      await tx
        .update(xAccounts)
        .set({
          nextSendAt: sql`clock_timestamp() + make_interval(secs => ${restSeconds(pauseSeconds, Math.random())})`,
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
      },
    }
  }
}

type PacedAccount = typeof xAccounts.$inferSelect

/** Locks what paces the campaign: its X account in every workspace, or where the extension's account is not known to us, the workspace. */
async function lockPace(tx: Db, campaign: Campaign): Promise<PacedAccount | null> {
  const id = campaign.xAccountId ?? (await findCurrentAccount(tx, campaign.workspaceId))?.id
  if (!id) {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('pace:' || ${campaign.workspaceId}::text, 0))`)
    return null
  }
  const [account] = await tx.select().from(xAccounts).where(eq(xAccounts.id, id)).for('update')
  if (account) await tx.execute(sql`select pg_advisory_xact_lock(${xUserLock(account.xUserId)})`)
  return account ?? null
}

/** Seconds until the account's pace and cap allow one more; 0 or less: now. By the clock, as this transaction may have waited for the one before. */
async function secondsToWait(tx: Db, pace: Pace, workspaceId: string, account: PacedAccount | null): Promise<number> {
  // What X asks of its API is kept by our workers alone; they have written it down as the account's next moment, too.
  const { rest, now } = await findRest(tx, pace, { workspaceId, account: account && { ...account, restsUntil: null } })
  const until = Math.max(rest?.until.getTime() ?? 0, account?.nextSendAt?.getTime() ?? 0)
  return (until - now.getTime()) / 1_000
}

function nothingDue(seconds: number | null): ClaimAnswer {
  return {
    status: 204,
    ...(seconds === null ? {} : { headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) } }),
  }
}
