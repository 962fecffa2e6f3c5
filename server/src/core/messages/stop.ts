import type { SkipReason } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/open.ts'
import { reasonSql, reasonValue, skippedReason } from '../../db/reasons.ts'
import { completeIfDone } from '../campaigns/run.ts'
import { endEnrollments, endEnrollmentsOf, SUPPRESSED } from '../sequences/end.ts'
import { leads } from '../tables/leads.ts'
import { dms } from '../tables/messages.ts'
import { enrollments, isEnrollmentOf, isOpen } from '../tables/sequences.ts'
import { countedColumns, countMessages, updateMessages } from './counts.ts'
import { reasonToStop } from './eligibility.ts'
import { lockEnrollmentsOf, lockLeads } from './locks.ts'
import { refund } from './quota.ts'
import { resetLeadStatus } from './release.ts'

const lead = alias(leads, 'l')
const enrollment = alias(enrollments, 'e')
const message = alias(dms, 'd')

/** Why a message was skipped, or a text that says why it failed. */
export type Failure = { reason: SkipReason; errorMessage?: never } | { errorMessage: string; reason?: never }

/** SQL over unclaimed dms: archiving their campaign has not refunded them yet. */
const isNotRefunded = sql`exists (select from campaigns c where c.id = dms.campaign_id and c.status <> 'archived')`

/**
 * Fails unclaimed messages to leads who were suppressed or replied. Completes finished campaigns.
 * @param leadIds a query; leads without a reason are not affected @returns the number of failed
 * messages
 */
export async function stopMessages(tx: Db, workspaceId: string, leadIds: SQL): Promise<number> {
  const ended = await endEnrollments(tx, workspaceId, leadIds, SUPPRESSED)
  // Queueing a list locks its leads, so this waits for it and sees its messages.
  await lockLeads(tx, leadIds)
  const waiting = sql`
    from dms d join leads l on l.id = d.lead_id
    where d.workspace_id = ${workspaceId}
      and d.lead_id in (${leadIds})
      and d.status = 'queued'
      and d.lease_expires_at is null
      and not (
        d.is_held and exists (
          select from enrollments e where ${isEnrollmentOf(enrollment, message)} and e.state = 'paused'
        )
      )`
  // Lock campaigns before messages, and skip locked messages: the transaction that locked them may
  // be waiting for a lead.
  const { rows: locked } = await tx.execute<{ id: string }>(sql`
    select id
    from campaigns
    where id in (select d.campaign_id ${waiting} union all select unnest(${sql.param(ended)}::uuid[]))
    order by id
    for no key update`)
  if (locked.length === 0) return 0
  const { rows: stopped } = await tx.execute<{ id: string }>(sql`
    with queued as (
      select ${reasonToStop(lead, message)} as stop_reason, ${countedColumns(message)}
      ${waiting} and d.campaign_id = any(${sql.param(locked.map(({ id }) => id))}::uuid[])
      for update of d skip locked
    ), stopped as (
      update dms
      set status = 'failed', reason = stop_reason, updated_at = now()
      from queued
      where dms.id = queued.id and stop_reason is not null
      returning ${countedColumns()}
    ), ${countMessages({ before: 'queued', after: 'stopped' })}
    select id from stopped`)
  await resetLeadStatus(tx, leadIds)
  await endEnrollmentsOf(
    tx,
    workspaceId,
    stopped.map(({ id }) => id),
  )
  for (const { id } of locked) await completeIfDone(tx, id)
  await refund(tx, sql`id = any(${sql.param(stopped.map(({ id }) => id))}::uuid[]) and ${isNotRefunded}`)
  return stopped.length
}

/**
 * Fails an unclaimed queued message, for example because its lead has replied. If the reply has
 * paused the enrollment until a date, only holds the message.
 */
export async function skipMessage(tx: Db, id: string, { reason, errorMessage }: Failure): Promise<void> {
  await lockEnrollmentsOf(tx, sql`select ${id}::uuid`)
  const { rows } = await tx.execute<{ workspaceId: string; campaignId: string; leadId: string }>(sql`
    select workspace_id as "workspaceId", campaign_id as "campaignId", lead_id as "leadId" from dms
    where id = ${id} and status = 'queued' and lease_expires_at is null and lead_id is not null for update`)
  const [skipped] = rows
  if (!skipped) return
  // The message was claimed when its enrollment was paused until a date, for example by an automatic reply.
  const isPaused = sql`exists (
    select
    from enrollments e
    where ${isEnrollmentOf(enrollment, dms)} and e.state = 'paused' and e.paused_until is not null)`
  const held =
    reason?.code === 'replied' &&
    (await updateMessages(tx, sql`id = ${id} and ${isPaused}`, sql`is_held = true, updated_at = now()`))
  if (held && held.length > 0) return
  const leadId = sql`select ${skipped.leadId}::uuid`
  // Lock the lead before the campaign, whose counts the update changes.
  await lockLeads(tx, leadId)
  await updateMessages(
    tx,
    sql`id = ${id}`,
    sql`status = 'failed', reason = ${reasonValue(reason ?? null)}, error_message = ${errorMessage ?? null},
      updated_at = now()`,
  )
  await resetLeadStatus(tx, leadId)
  await endEnrollments(tx, skipped.workspaceId, leadId, {
    which: sql`${isOpen(enrollment)} and e.campaign_id = ${skipped.campaignId}`,
    state: sql`
      case
        when ${reason?.code ?? ''} in ('replied', 'written_by_hand') then 'replied'
        when ${reason?.code ?? ''} = '' then 'failed'
        else 'stopped' end`,
    reason: sql`
      case ${reason?.code ?? ''}
        when 'replied' then ${reasonSql('reply')}
        when 'written_by_hand' then ${reasonSql('written_by_hand')}
      when 'person' then ${reasonSql('person')}
        when '' then null
        else ${skippedReason(reasonValue(reason ?? null))} end`,
  })
  await completeIfDone(tx, skipped.campaignId)
  await refund(tx, sql`id = ${id} and ${isNotRefunded}`)
}
