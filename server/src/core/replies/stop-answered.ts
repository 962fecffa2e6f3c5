import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import { DAY_MS } from '@x-automated/contract/time'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../db/columns.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { reasonSql } from '../../db/reasons.ts'
import { lockRows } from '../../db/transact.ts'
import { completeIfDone } from '../campaigns/run.ts'
import { countedColumns, countMessages } from '../messages/counts.ts'
import { lockEnrollmentsOfLead } from '../messages/locks.ts'
import { wakeAccount } from '../messages/schedule.ts'
import { stopMessages } from '../messages/stop.ts'
import { type End, endEnrollments } from '../sequences/end.ts'
import { leads } from '../tables/leads.ts'
import { dms } from '../tables/messages.ts'
import { enrollments, followingStep, isEnrollmentOf, isOpen } from '../tables/sequences.ts'
import { suppressionReason } from '../tables/suppressions.ts'

const enrollment = alias(enrollments, 'e')
const message = alias(dms, 'd')

/**
 * Pauses enrollments `e` whose next message may have been sent, or ends them if that was the last
 * step. @param which SQL condition on `e` @returns the campaigns that may now be completed
 */
export async function pauseUnknown(tx: Db, workspaceId: string, leadIds: SQL, which: SQL): Promise<string[]> {
  const next = sql`(
    select following.number
    from dms d
    cross join lateral (${followingStep(enrollment, message)}) following
    where d.lead_id = e.lead_id
      and ${isEnrollmentOf(enrollment, message)}
      and d.outcome_unknown
      and d.step_number = e.next_step_number
    limit 1)`
  return endEnrollments(tx, workspaceId, leadIds, {
    which,
    state: sql`case when ${next} is not null or e.next_at is not null then 'paused' else 'failed' end`,
    reason: sql`case when ${next} is not null or e.next_at is not null then ${reasonSql('outcome_unknown')} end`,
    next,
  })
}

/** A message in a lead's conversation, and what it means for their sequence. */
export interface MessageMeaning {
  /** The lead wrote it, not the account's user. */
  isReply: boolean
  /** Null: any other label. */
  label: 'auto_reply' | 'later' | 'opted_out' | null
  /** When the lead is back or wants to hear more; null: no date is known. */
  until: Date | null
  at: Date
}

/** How an opt-out ends an enrollment. */
const OPTED_OUT = { state: sql`'opted_out'`, reason: reasonSql('opt_out') }

/** How long an automatic reply without a date pauses an enrollment. */
const AWAY_MS = 14 * DAY_MS

/** SQL over an enrollment's alias: the number of its re-engagement step, if that has not been sent; else null. */
function reengagementNumber(enrollment: AliasOf<typeof enrollments>): SQL<number | null> {
  return sql`(
  select s.number::int
  from sequence_versions v
  cross join lateral jsonb_array_elements(v.steps) with ordinality s(step, number)
  where v.workspace_id = ${enrollment.workspaceId}
    and v.campaign_id = ${enrollment.campaignId}
    and v.version = ${enrollment.version}
    and s.step ->> 'kind' = 'reengagement'
    and ${enrollment.lastStepId} <> (s.step ->> 'id')::uuid)`
}

/**
 * Ends or pauses the leads' enrollments after a reply or a manual message. Also closes finished
 * ones, so that steps added later do not reopen them.
 */
export async function endAnswered(
  tx: Db,
  workspaceId: string,
  leadIds: readonly string[],
  meaning: MessageMeaning,
): Promise<void> {
  const chosen = sql`select unnest(${sql.param([...leadIds])}::uuid[])`
  const ended = await endEnrollments(tx, workspaceId, chosen, endOf(meaning))
  for (const id of ended.sort()) await completeIfDone(tx, id)
}

/**
 * Pauses the lead's sequence until a date, when it continues with re-engagement. Chooses the
 * sequence of the given campaign, or else the account's latest one. @returns the former enrollment,
 * for `undoReengagement`; null: there is no such sequence
 */
export async function pauseForReengagement(
  tx: Db,
  workspaceId: string,
  { leadId, accountXUserId, campaignId }: { leadId: string; accountXUserId: string; campaignId: string | null },
  until: Date,
): Promise<{ id: string } | null> {
  await lockEnrollmentsOfLead(tx, workspaceId, leadId)
  const { rows } = await tx.execute<{ before: { id: string } }>(sql`
    select to_jsonb(e) as before from enrollments e join campaigns c on c.id = e.campaign_id and c.status <> 'archived'
      join x_accounts a on a.id = e.x_account_id and a.x_user_id = ${accountXUserId} join leads l on l.id = e.lead_id
    where e.workspace_id = ${workspaceId}
      and e.lead_id = ${leadId}
      and e.state in ('active', 'paused', 'replied', 'finished')
      and ${reengagementNumber(enrollment)} is not null and ${suppressionReason(alias(leads, 'l'))} is null
    order by e.campaign_id = ${campaignId}::uuid desc nulls last, e.last_sent_at desc limit 1`)
  const before = rows[0]?.before
  if (!before) return null
  await lockRows(tx, 'dms', sql`lead_id = ${leadId}`)
  const changed = await endEnrollments(tx, workspaceId, sql`select ${leadId}::uuid`, {
    which: sql`e.id = ${before.id}`,
    state: sql`'paused'`,
    reason: reasonSql('later'),
    until: sql`${until.toISOString()}::timestamptz`,
    next: reengagementNumber(enrollment),
  })
  await tx.execute(sql`
    update campaigns
    set status = 'active', updated_at = now()
    where id = any(${sql.param(changed)}::uuid[]) and status = 'completed'`)
  return before
}

/**
 * Undoes `pauseForReengagement` for enrollments that have not changed since. The caller has locked
 * them and their messages. @param paused a query: each former `enrollment`, and the time `at` of
 * its pause
 */
export async function undoReengagement(tx: Db, workspaceId: string, paused: SQL): Promise<void> {
  const { rows } = await tx.execute<{ campaignIds: string[]; accountIds: string[] }>(sql`
    with restored as (
      update enrollments e set state = before.state, reason = before.reason, next_step_number = before.next_step_number,
        paused_until = before.paused_until, next_at = before.next_at, updated_at = now()
      from (${paused}) p cross join lateral jsonb_populate_record(null::enrollments, p.enrollment) before
      where e.workspace_id = ${workspaceId} and e.id = before.id and e.state = 'paused' and e.updated_at = p.at
      returning e.*, p.at, ${isOpen(enrollment)}::int - 1 as opened
    ), held as (
      select ${countedColumns(message)}
      from restored e
      join dms d on d.lead_id = e.lead_id and ${isEnrollmentOf(enrollment, message)}
      where e.state = 'active' and d.status = 'queued' and d.is_held and d.updated_at = e.at
      order by d.id
      for no key update of d
    ), released as (
      update dms d
      set is_held = false, updated_at = now()
      from held
      where d.id = held.id
      returning ${countedColumns(message)}
    ), opened as (
      select campaign_id, sum(opened)::int as opened, min(next_at) as next_at
      from restored
      group by 1
    ), ${countMessages({ before: 'held', after: 'released' }, 'opened')}
    select array(select id from counted_campaigns order by id) as "campaignIds",
      array(select distinct x_account_id from released where x_account_id is not null order by 1) as "accountIds"`)
  const { campaignIds, accountIds } = one(rows)
  for (const id of campaignIds) await completeIfDone(tx, id)
  for (const id of accountIds) await wakeAccount(tx, id)
}

/** Ends the sequences of a lead if X shows a message to them that the database lacks. */
export async function endContacted(tx: Db, workspaceId: string, leadId: string): Promise<void> {
  const ended = await endEnrollments(tx, workspaceId, sql`select ${leadId}::uuid`, {
    which: sql`(${isOpen(enrollment)} or e.state = 'finished')`,
    state: sql`'stopped'`,
    reason: reasonSql('skipped', { skip: sql`'contacted'` }),
  })
  for (const id of ended.sort()) await completeIfDone(tx, id)
}

/**
 * Ends the enrollments that the former labels of these leads' replies kept open, and stops what is
 * queued. Does nothing if a sequence continues after the new label.
 */
export async function endRelabelled(tx: Db, workspaceId: string, leadIds: SQL, label: ReplyLabel): Promise<void> {
  if (label === 'auto_reply' || label === 'later') return
  const isPaused = sql`e.state = 'paused' and e.reason ->> 'code' in ('auto_reply', 'later')`
  const end: End =
    label === 'opted_out'
      ? { which: sql`(${isOpen(enrollment)} or e.state = 'finished')`, ...OPTED_OUT }
      : { which: isPaused, state: sql`'replied'`, reason: reasonSql('reply') }
  const ended = await endEnrollments(tx, workspaceId, leadIds, end)
  await stopMessages(tx, workspaceId, leadIds)
  for (const id of ended.sort()) await completeIfDone(tx, id)
}

function endOf({ isReply, label, until, at }: MessageMeaning): End {
  const date = (moment: Date) => sql`${moment.toISOString()}::timestamptz`
  if (label === 'auto_reply') {
    const back = until ?? new Date(at.getTime() + AWAY_MS)
    return {
      which: sql`e.state = 'active'`,
      state: sql`'paused'`,
      reason: reasonSql('auto_reply'),
      until: date(back),
    }
  }
  const which = sql`(${isOpen(enrollment)} or e.state = 'finished')`
  const reason = isReply ? reasonSql('reply') : reasonSql('written_by_hand')
  if (label === 'opted_out') return { which, ...OPTED_OUT }
  if (label !== 'later' || !until) return { which, state: sql`'replied'`, reason }
  const continues = sql`${isOpen(enrollment)} and ${reengagementNumber(enrollment)} is not null`
  return {
    which,
    state: sql`case when ${continues} then 'paused' else 'replied' end`,
    reason: sql`case when ${continues} then ${reasonSql('later')} else ${reason} end`,
    until: date(until),
    next: reengagementNumber(enrollment),
  }
}
