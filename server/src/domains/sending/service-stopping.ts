import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { answeredBecause, repliedBecause } from '../replies/tables.ts'
import { suppressedBecause } from '../suppressions/tables.ts'
import { refund } from './service-allowance.ts'
import { lockLeads, lockQueuedLeads } from './service-locks.ts'
import { completeIfDone } from './service-outcomes.ts'
import { mayGoOut, wasTried } from './tables.ts'

export const WRITTEN_TO_AS_TWIN = 'Skipped: this person is among your leads twice and is written to already.'

/**
 * Over a lead `l` and a message `d`: another message has gone to them, or is in hands that took it before, though neither campaign may write to those whom
 * another has written to. Queueing sees to that; later it comes about where two leads turn out to be one person. What is written by hand is not looked at.
 */
const twinBecause = sql`(
  select ${WRITTEN_TO_AS_TWIN}::text from campaigns c
  where c.id = d.campaign_id and c.kind = 'campaign' and not c.allow_repeat and (
    l.contacted_before_at is not null or exists (
      select from dms o join campaigns other on other.id = o.campaign_id
      where o.lead_id = l.id and o.id <> d.id and not other.allow_repeat and (o.sent_at is not null or o.outcome_unknown
        or (o.lease_expires_at is not null and (d.claimed_at is null or (o.claimed_at, o.id) < (d.claimed_at, d.id)))))))`

/** Over a message that was queued, in nobody's hands, and its campaign `c`: where that was archived, it counts no more since the message came to rest in it. */
const isNotYetGivenBack = sql`c.status <> 'archived'`

/** Over a campaign `c`: it messages people who have replied. What a person writes by hand always may. */
export const includesReplied = sql`(c.allow_replied or c.kind = 'direct')`

/** Over a lead `l` and a message `d`: they have replied, and its campaign does not include such people. Queueing checks it too; what is known may change in between. */
const repliedBefore = sql`(select ${repliedBecause('l', includesReplied)} from campaigns c where c.id = d.campaign_id)`

/** Over a lead `l` and a message `d`: why it must not go out; null where it may. */
export const reasonToStop = sql`coalesce(
  ${suppressedBecause('l')}, ${answeredBecause('l', 'd')}, ${repliedBefore}, ${twinBecause})`

/**
 * Ends what waits for leads that are on the suppression list now, or in whose conversation something was said since it was queued: their messages fail, with why,
 * in every campaign, and a campaign with nothing left is complete.
 * What is in somebody's hands is passed over: senders look at the list themselves before they hand a message over, and so does who queues one again.
 * @param leadIds a query for them; others among them are left alone
 * @returns how many messages were stopped
 */
export async function stopMessages(tx: Db, workspaceId: string, leadIds: SQL): Promise<number> {
  // Whoever is just queueing a list holds its leads: their messages are seen here once that is done.
  await lockLeads(tx, leadIds)
  const waiting = sql`
    from dms d join leads l on l.id = d.lead_id
    where d.workspace_id = ${workspaceId} and d.lead_id in (${leadIds}) and d.status = 'queued' and d.lease_expires_at is null`
  // Campaigns before the messages, and no message is waited for: who holds one may wait for a lead.
  const { rows: held } = await tx.execute<{ id: string }>(sql`
    select id from campaigns where id in (select d.campaign_id ${waiting}) order by id for no key update`)
  if (held.length === 0) return 0
  const { rows: stopped } = await tx.execute<{ id: string }>(sql`
    update dms set status = 'failed', error_message = found.reason, updated_at = now()
    from (
      select d.id, ${reasonToStop} as reason ${waiting} and d.campaign_id = any(${sql.param(held.map(({ id }) => id))}::uuid[])
      for update of d skip locked
    ) found
    where dms.id = found.id and found.reason is not null
    returning dms.id`)
  await settleLeads(tx, leadIds)
  for (const { id } of held) await completeIfDone(tx, id)
  await refund(tx, sql`d.id = any(${sql.param(stopped.map(({ id }) => id))}::uuid[]) and ${isNotYetGivenBack}`)
  return stopped.length
}

/** Fails a queued message that is in nobody's hands because its lead was suppressed, or answered, after it was queued. It counts as never tried. */
export async function skipMessage(tx: Db, id: string, reason: string): Promise<void> {
  const { rows } = await tx.execute<{ campaignId: string; leadId: string }>(sql`
    select campaign_id as "campaignId", lead_id as "leadId" from dms
    where id = ${id} and status = 'queued' and lease_expires_at is null and lead_id is not null for update`)
  const [skipped] = rows
  if (!skipped) return
  const leadId = sql`select ${skipped.leadId}::uuid`
  // Before the campaign, which the message's count changes.
  await lockLeads(tx, leadId)
  await tx.execute(
    sql`update dms set status = 'failed', error_message = ${reason}, updated_at = now() where id = ${id}`,
  )
  await settleLeads(tx, leadId)
  await completeIfDone(tx, skipped.campaignId)
  await refund(tx, sql`d.id = ${id} and ${isNotYetGivenBack}`)
}

/** Why a message must not go out at this moment; null where it may. */
export async function findReasonToStop(db: Db, dmId: string): Promise<string | null> {
  const { rows } = await db.execute<{ reason: string | null }>(
    sql`select ${reasonToStop} as reason from dms d join leads l on l.id = d.lead_id where d.id = ${dmId}`,
  )
  return rows[0]?.reason ?? null
}

/** Lets go of the leads of an archived campaign: nothing it has queued is ever sent, so they may be written to by others, and it counts no more. */
export async function releaseLeads(tx: Db, campaignId: string): Promise<void> {
  // Most are held already, since before the campaign's row; one of them may have been queued since.
  await lockQueuedLeads(tx, campaignId)
  await settleLeads(tx, sql`select lead_id from dms where campaign_id = ${campaignId} and status = 'queued'`)
  await refund(tx, sql`d.campaign_id = ${campaignId} and d.status = 'queued'`)
}

/**
 * As `releaseLeads`, for messages of archived campaigns that were in a sender's hands then and have come back unsent. Others are left alone.
 * @param dmIds of those that have come back in this transaction: each counts no more from then on
 */
export async function releaseIfArchived(tx: Db, dmIds: SQL): Promise<void> {
  // Whoever is just archiving their campaign, or another that has queued something for them, holds them: what it did is seen here once that is done.
  await lockLeads(tx, sql`select lead_id from dms where id in (${dmIds})`)
  const isAtRest = sql`d.id in (${dmIds}) and d.status = 'queued' and not ${mayGoOut}`
  await settleLeads(tx, sql`select d.lead_id from dms d join campaigns c on c.id = d.campaign_id where ${isAtRest}`)
  await refund(tx, isAtRest)
}

/**
 * Gives leads whose queued message will not be sent the status that their other messages leave them in.
 * The caller has locked them before: of two that each end one of a lead's messages, the second has to see what the first did.
 */
async function settleLeads(tx: Db, leadIds: SQL): Promise<void> {
  await tx.execute(sql`
    with known as (
      select d.lead_id, bool_or(d.sent_at is not null) as contacted, bool_or(d.status = 'failed' and ${wasTried}) as failed,
        bool_or(d.status = 'queued' and ${mayGoOut}) as still_queued
      from dms d join campaigns c on c.id = d.campaign_id where d.lead_id in (${leadIds})
      group by d.lead_id
    )
    update leads l set updated_at = now(),
      dm_status = case when known.contacted or l.contacted_before_at is not null then 'contacted' when known.failed then 'failed_contact' else 'not_sent' end
    from known where l.id = known.lead_id and l.dm_status = 'queued' and not known.still_queued`)
}
