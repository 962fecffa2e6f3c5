import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import { allowLongStatements } from '../../db/long-statements.ts'
import type { Db } from '../../db/open.ts'
import { reasonSql } from '../../db/reasons.ts'
import { lockRows, transact } from '../../db/transact.ts'
import type { JobQueue } from '../../ports.ts'
import { countedLead, countLeads } from '../people/lead-counts.ts'
import { deleteAppClaims } from '../tables/app-claims.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leads } from '../tables/leads.ts'
import { dms, isInQueue, mayGoOut, wasTried } from '../tables/messages.ts'
import { enrollments, isEnrollmentOf, isOpen } from '../tables/sequences.ts'
import { countedColumns, countMessages, deleteMessages } from './counts.ts'
import { lockLeads, lockQueuedLeads } from './locks.ts'
import { refund } from './quota.ts'
import { endTurn, wakeAccount } from './schedule.ts'
import { SIMULATED_HOLDER } from './sender.ts'

const lead = alias(leads, 'l')
const enrollment = alias(enrollments, 'e')
const message = alias(dms, 'd')
const campaign = alias(campaigns, 'c')

/**
 * Releases the leads of an archived campaign and refunds its queued messages, which are never sent.
 */
export async function releaseLeads(tx: Db, campaignId: string): Promise<void> {
  // The caller has locked most leads before the campaign, but messages may have been queued since then.
  await lockQueuedLeads(tx, campaignId)
  await resetLeadStatus(tx, sql`select lead_id from dms where campaign_id = ${campaignId} and status = 'queued'`)
  await refund(tx, sql`campaign_id = ${campaignId} and status = 'queued'`)
  await tx.execute(sql`
    with ended as (
      update enrollments e
      set state = 'stopped', reason = ${reasonSql('archived')}, next_step_number = null, next_at = null,
        paused_until = null, updated_at = now()
      where e.workspace_id = (select workspace_id from campaigns where id = ${campaignId})
        and e.campaign_id = ${campaignId}
        and ${isOpen(enrollment)}
      returning e.id
    )
    update campaigns
    set open_enrollments = open_enrollments - (select count(*) from ended), follow_up_due_at = null
    where id = ${campaignId}`)
}

/**
 * Returns claimed messages, which were certainly not sent, to the queue. They no longer count
 * toward the cap. @param which condition on dms @param change runs before the X accounts are woken,
 * and may lock campaigns
 */
export async function release(
  tx: Db,
  which: SQL,
  change?: (isReleased: boolean) => Promise<unknown>,
): Promise<{ id: string }[]> {
  // Keep `tried_at` if an earlier attempt may have succeeded. A simulated claim was no attempt.
  const { rows } = await tx.execute<{ id: string }>(sql`
    with released as (
      update dms set lease = null, holder = null, lease_expires_at = null, claimed_at = null, updated_at = now(),
        attempts = attempts - case when holder = ${SIMULATED_HOLDER} then 0 else 1 end,
        tried_at = case when holder = ${SIMULATED_HOLDER} or attempts > 1 then tried_at end
      where status = 'queued' and ${which}
      returning id
    ), uncounted as (${deleteAppClaims(sql`select id from released`)})
    select id from released`)
  const isReleased = rows.length > 0
  const dmIds = sql`select unnest(${sql.param(rows.map(({ id }) => id))}::uuid[])`
  if (isReleased) await afterRelease(tx, dmIds)
  await change?.(isReleased)
  if (isReleased) await wakeReleased(tx, dmIds)
  return rows
}

/**
 * Stops the claims of released messages from delaying others. If their campaign has been archived
 * in the meantime, works like `releaseLeads`. @param dmIds messages released in this transaction
 */
export async function afterRelease(tx: Db, dmIds: SQL): Promise<void> {
  // Archiving a campaign and queueing lock the leads too, so this statement waits and sees their changes.
  const leadIds = sql`select lead_id from dms where id in (${dmIds})`
  await lockLeads(tx, leadIds)
  await resetLastClaims(tx, leadIds)
  const isReleased = sql`id in (${dmIds}) and status = 'queued'
    and exists (select from campaigns c where c.id = dms.campaign_id and not ${mayGoOut(dms, campaign)})`
  await resetLeadStatus(tx, sql`select lead_id from dms where ${isReleased}`)
  await refund(tx, isReleased)
}

/**
 * Wakes accounts of released messages. While the messages were claimed, their account, or the
 * campaign's new one, may have found nothing to send and been unscheduled.
 */
export async function wakeReleased(tx: Db, dmIds: SQL): Promise<void> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select distinct a.id
    from dms d
    join campaigns c on c.id = d.campaign_id
    join x_accounts a on a.id in (c.x_account_id, d.x_account_id)
    where d.id in (${dmIds}) and d.status = 'queued' order by 1`)
  for (const { id } of rows) await wakeAccount(tx, id)
}

/** Restores the last claim time of locked leads, after claims that sent nothing. */
export async function resetLastClaims(tx: Db, leadIds: SQL): Promise<void> {
  await tx.execute(sql`
    update leads l set last_claimed_at = last.claimed_at, last_claimed_campaign_id = last.campaign_id
    from leads own left join lateral (
      select claimed_at, campaign_id
      from dms
      where lead_id = own.id and claimed_at is not null and not is_answer
      order by claimed_at desc
      limit 1
    ) last on true
    where own.id in (${leadIds}) and l.id = own.id and l.last_claimed_at is distinct from last.claimed_at`)
}

/**
 * Sets the status of leads whose queued message will not be sent, based on their other messages.
 * The caller has locked the leads, so that each transaction sees what an earlier one ended.
 */
export async function resetLeadStatus(tx: Db, leadIds: SQL): Promise<void> {
  await tx.execute(sql`
    with known as (
      select o.id as lead_id, bool_or(d.sent_at is not null) as contacted,
        bool_or(d.status = 'failed' and ${wasTried(message)}) as failed,
        coalesce(bool_or(d.status = 'queued' and ${mayGoOut(message, campaign)}), false) as still_queued
      from leads o
      left join dms d on d.lead_id = o.id
      left join campaigns c on c.id = d.campaign_id
      where o.id in (${leadIds})
      group by o.id
    ), old as (
      select known.contacted, known.failed, ${countedLead(lead)}
      from known
      join leads l on l.id = known.lead_id and l.dm_status = 'queued' and not known.still_queued
      for no key update of l
    ), changed as (
      update leads l set updated_at = now(),
        dm_status = case
          when old.contacted or l.contacted_before_at is not null then 'contacted'
          when old.failed then 'failed_contact'
          else 'not_sent' end
      from old
      where l.id = old.id
      returning ${countedLead(lead)}
    ), ${countLeads({ before: 'old', after: 'changed' })}
    select from changed`)
}

// Undoing

/*
 * A launch may hold its messages for a few seconds, that is, make them due later. The launch can be
 * undone until a sender claims one of them.
 */

/** Makes held messages due and ends the undo. @param which SQL over a campaign `c` */
export async function endHolds(tx: Db, which: SQL): Promise<void> {
  const { rows } = await tx.execute<{ id: string; xAccountId: string | null }>(sql`
    select id, x_account_id as "xAccountId" from campaigns c where ${which} and undo_until > now() order by id`)
  for (const { id, xAccountId } of rows) {
    await allowLongStatements(tx)
    await tx.execute(sql`
      update dms set due_at = now(), updated_at = now()
      where campaign_id = ${id}
        and ${isInQueue}
        and due_at > now()
        and due_at <= (select undo_until from campaigns where id = ${id})`)
    await tx.execute(sql`update campaigns set undo_until = null where id = ${id}`)
    await endTurn(tx, xAccountId)
  }
}

/** Deletes what a launch queued. The caller has locked the campaign and the leads of its messages. */
export async function unqueue(tx: Db, workspaceId: string, campaignId: string): Promise<void> {
  const enrolled = sql`from enrollments where workspace_id = ${workspaceId} and campaign_id = ${campaignId}`
  await allowLongStatements(tx)
  await refund(tx, sql`campaign_id = ${campaignId} and status = 'queued'`)
  await deleteMessages(tx, sql`campaign_id = ${campaignId}`)
  await resetLeadStatus(tx, sql`select lead_id ${enrolled}`)
  await tx.execute(sql`delete ${enrolled}`)
}

/**
 * Undoes the queueing of direct messages: deletes those that no sender has claimed. @param undoId
 * chosen by the caller who queued them
 */
export async function undoQueue(db: Db, actor: Actor, undoId: string) {
  return transact(db, async (tx) => {
    const undone = await deleteUnclaimed(tx, actor.workspaceId, sql`undo_id = ${undoId}`)
    return { success: true as const, undone }
  })
}

/** Deletes direct messages that nobody has claimed. @param which SQL over dms @returns their number */
export async function deleteUnclaimed(tx: Db, workspaceId: string, which: SQL): Promise<number> {
  await allowLongStatements(tx)
  const { rows } = await tx.execute<{ id: string; leadId: string }>(sql`
    select id, lead_id as "leadId" from dms
    where workspace_id = ${workspaceId} and ${which} and status = 'queued' and claimed_at is null and tried_at is null
    order by id for update`)
  const undone = sql`any(${sql.param(rows.map(({ id }) => id))}::uuid[])`
  const leadIds = sql`select unnest(${sql.param(rows.map(({ leadId }) => leadId))}::uuid[])`
  await lockLeads(tx, leadIds)
  await refund(tx, sql`id = ${undone}`)
  await deleteMessages(tx, sql`id = ${undone}`)
  await resetLeadStatus(tx, leadIds)
  return rows.length
}

/**
 * Queues messages again that failed because their leads were deleted, and continues the
 * enrollments. The caller has locked enrollments, messages and campaigns, and has restored the
 * leads.
 */
export async function requeueRestored(
  { db: tx, jobs }: { db: Db; jobs: JobQueue },
  workspaceId: string,
  leadIds: SQL,
): Promise<void> {
  const { rows } = await tx.execute<{ id: string; campaignId: string }>(sql`
    with failed as (
      select ${countedColumns(message)}
      from dms d
      join campaigns c on c.id = d.campaign_id and c.status <> 'archived'
      where d.lead_id in (${leadIds}) and d.status = 'failed' and d.reason ->> 'code' = 'lead_missing'
      order by d.id
      for no key update of d
    ), queued as (
      update dms d
      set status = 'queued', reason = null, updated_at = now()
      from failed
      where d.id = failed.id
      returning d.lead_id, ${countedColumns(message)}
    ), ${countMessages({ before: 'failed', after: 'queued' })}, old as (
      -- Anyone who gets a follow-up has been contacted.
      select ${countedLead()}
      from leads
      where id in (select lead_id from queued where not is_follow_up)
      for no key update
    ), marked as (
      update leads l
      set dm_status = 'queued', updated_at = now()
      from old
      where l.id = old.id
      returning ${countedLead(lead)}
    ), ${countLeads({ before: 'old', after: 'marked' }, 'counted_campaigns')}
    select id, campaign_id as "campaignId" from queued`)
  // Follow-ups whose time came while the leads were deleted are due now.
  await tx.execute(sql`
    update campaigns c set follow_up_due_at = least(c.follow_up_due_at, waiting.next_at)
    from (
      select campaign_id, min(next_at) as next_at
      from enrollments
      where workspace_id = ${workspaceId} and lead_id in (${leadIds})
      group by 1
    ) waiting where c.id = waiting.campaign_id and waiting.next_at <= now()`)
  // The launch part to which the leads belong may have been queued while they were deleted.
  const { rowCount: areWaiting } = await tx.execute(sql`
    select
    from enrollments e
    where e.workspace_id = ${workspaceId} and e.lead_id in (${leadIds}) and e.is_unqueued and e.state = 'active'
      and (select c.status = 'active' and c.next_part_at <= now() from campaigns c where c.id = e.campaign_id) limit 1`)
  if (areWaiting) await jobs.enqueue(tx, 'launch-parts', {}, { key: workspaceId })
  if (rows.length === 0) return
  const ids = sql`any(${sql.param(rows.map(({ id }) => id))}::uuid[])`
  await release(tx, sql`id = ${ids}`)
  await tx.execute(sql`
    with continued as (
      update enrollments e set state = 'active', next_step_number = d.step_number, updated_at = now() from dms d
      where d.id = ${ids} and e.workspace_id = ${workspaceId} and ${isEnrollmentOf(enrollment, message)}
        and e.state = 'failed'
      returning e.campaign_id
    )
    update campaigns c set status = case when status = 'completed' then 'active' else status end, updated_at = now(),
      open_enrollments = open_enrollments + (select count(*) from continued where campaign_id = c.id)
    where id = any(${sql.param(rows.map(({ campaignId }) => campaignId))}::uuid[])`)
}

/** Makes messages due at `at`, unless they are due earlier, and wakes their accounts. */
export async function setDue(tx: Db, workspaceId: string, ids: readonly string[], at: Date): Promise<void> {
  const due = sql`${at.toISOString()}::timestamptz`
  await lockRows(
    tx,
    'dms',
    sql`id = any(${sql.param(ids)}::uuid[]) and workspace_id = ${workspaceId} and ${isInQueue} and due_at > ${due}`,
  )
  const { rows } = await tx.execute<{ xAccountId: string | null }>(sql`
    with changed as (
      update dms set due_at = ${due}, updated_at = now()
      where id = any(${sql.param(ids)}::uuid[]) and workspace_id = ${workspaceId} and ${isInQueue} and due_at > ${due}
      returning campaign_id
    )
    select distinct x_account_id as "xAccountId" from campaigns where id in (select campaign_id from changed)`)
  for (const { xAccountId } of rows) if (xAccountId) await wakeAccount(tx, xAccountId)
}
