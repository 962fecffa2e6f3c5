import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/open.ts'
import { reasonSql, skippedReason } from '../../db/reasons.ts'
import { countedColumns, countMessages } from '../messages/counts.ts'
import { leads } from '../tables/leads.ts'
import { dms } from '../tables/messages.ts'
import { enrollments, isEnrollmentOf, isOpen } from '../tables/sequences.ts'
import { suppressionReason } from '../tables/suppressions.ts'

const lead = alias(leads, 'l')
const enrollment = alias(enrollments, 'e')
const message = alias(dms, 'd')

/** How an enrollment ends or pauses. */
export interface End {
  /** SQL condition on an enrollment `e` and its lead `l`. */
  which: SQL
  /** SQL over `e` and `l`: the new state. */
  state: SQL
  /** SQL over `e` and `l`: the reason. */
  reason: SQL
  /** SQL: the end of the pause. Without it, the pause has no end date. */
  until?: SQL
  /** SQL: the step to continue with after the pause. Without it, the next one. */
  next?: SQL
}

/** Suppressed people leave every sequence. */
export const SUPPRESSED: End = {
  which: sql`(${isOpen(enrollment)} or e.state = 'finished') and ${suppressionReason(lead)} is not null`,
  state: sql`
    case
      when ${suppressionReason(lead)} -> 'params' ->> 'reason' in ('opted_out', 'replied_stop') then 'opted_out'
      else 'stopped' end`,
  reason: sql`
    case
      when ${suppressionReason(lead)} -> 'params' ->> 'reason' in ('opted_out', 'replied_stop')
      then ${reasonSql('opt_out')}
    else ${skippedReason(suppressionReason(lead))} end`,
}

/**
 * Ends or pauses enrollments of these leads, and holds the queued messages of paused ones. Call it
 * before locking messages. @returns the campaigns that may now be complete
 */
export async function endEnrollments(tx: Db, workspaceId: string, leadIds: SQL, end: End): Promise<string[]> {
  const { rows } = await tx.execute<{ campaignId: string }>(sql`
    with old as materialized (
      select e.*, ${end.state} as to_state, ${end.reason} as to_reason, ${end.next ?? sql`null::int`} as to_number
      from enrollments e join leads l on l.id = e.lead_id
      where e.workspace_id = ${workspaceId} and e.lead_id in (${leadIds}) and ${end.which}
      order by e.id for no key update of e
    ), changed as (
      update enrollments e set state = old.to_state, reason = old.to_reason, updated_at = now(),
        next_step_number = case when old.to_state = 'paused' then coalesce(old.to_number, e.next_step_number) end,
        paused_until = case when old.to_state = 'paused' then ${end.until ?? sql`null::timestamptz`} end,
        next_at = case when old.to_state = 'paused' then ${end.until ?? sql`null::timestamptz`} end
      from old where e.workspace_id = ${workspaceId} and e.id = old.id
      returning e.*, ${isOpen(alias(enrollments, 'old'))}::int - ${isOpen(enrollment)}::int as closed
    ), queued as (
      select ${countedColumns(message)}
      from changed e
      join dms d on d.lead_id = e.lead_id and ${isEnrollmentOf(enrollment, message)}
      where e.state = 'paused' and d.status = 'queued' and d.lease_expires_at is null
      order by d.id
      for no key update of d
    ), held as (
      update dms d
      set is_held = true, updated_at = now()
      from queued
      where d.id = queued.id
      returning ${countedColumns(message)}
    ), ended as (
      select campaign_id, -sum(closed)::int as opened, min(next_at) as next_at
      from changed
      group by 1
    ), ${countMessages({ before: 'queued', after: 'held' }, 'ended')}
    select id as "campaignId" from counted_campaigns`)
  return rows.map(({ campaignId }) => campaignId)
}

/** Ends the open enrollments of messages that failed in this transaction, with the same reason. */
export async function endEnrollmentsOf(tx: Db, workspaceId: string, dmIds: readonly string[]): Promise<void> {
  const message = sql`
    (
      select d.reason
      from dms d
      where d.enrollment_id = e.id and d.id = any(${sql.param([...dmIds])}::uuid[])
      limit 1
    )`
  const code = sql`${message} ->> 'code'`
  await endEnrollments(tx, workspaceId, sql`select lead_id from dms where id = any(${sql.param([...dmIds])}::uuid[])`, {
    which: sql`
      ${isOpen(enrollment)}
      and e.id in (select enrollment_id from dms where id = any(${sql.param([...dmIds])}::uuid[]))`,
    state: sql`
      case
        when ${code} in ('replied', 'written_by_hand') then 'replied'
        when ${code} is null then 'failed'
        else 'stopped' end`,
    reason: sql`
      case ${code}
        when 'replied' then ${reasonSql('reply')}
        when 'written_by_hand' then ${reasonSql('written_by_hand')}
      else case when ${code} is not null then ${skippedReason(message)} end end`,
  })
}
