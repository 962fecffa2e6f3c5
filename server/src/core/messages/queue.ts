import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { allowLongStatements } from '../../db/long-statements.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { skippedReason } from '../../db/reasons.ts'
import { countedLead, countLeads } from '../people/lead-counts.ts'
import { selectLeads } from '../people/selection.ts'
import { leads } from '../tables/leads.ts'
import { countedColumns, countMessages } from './counts.ts'
import { type Campaign, reasonToSkip } from './eligibility.ts'
import { lockLeads, lockQueueing } from './locks.ts'
import { requireQuota, spend } from './quota.ts'
import { isBasisRequired, type SendingEnv } from './sending-state.ts'

// Queueing

/** A step of a sequence. `variantId` and `message` are SQL over a lead `l`. */
export interface QueuedStep {
  id: string
  number: number
  variantId: SQL
  message: SQL
}

export interface LaunchOptions {
  /** No sender claims the messages before this time is over; 0: no hold. */
  holdSeconds?: number
  /** How many people get a message now. The others are enrolled without one. */
  limit?: number | undefined
}

/**
 * Enrolls the leads of the list in its order and queues the first step. Excluded leads get a failed
 * message with the reason. @param filter the smart list's filter; null for a manual list @throws
 * Refusal PLAN_LIMIT: not enough DMs left
 */
export async function queueList(
  tx: Db,
  env: SendingEnv,
  campaign: Campaign,
  first: QueuedStep,
  filter: LeadFilter | null,
  { holdSeconds = 0, limit }: LaunchOptions = {},
): Promise<{ queued: number; open: number; total: number; undoUntil: Date | null }> {
  await lockQueueing(tx, campaign.workspaceId)
  const members = filter
    ? selectLeads(campaign, { filter })
    : sql`
      select i.lead_id from lead_list_items i
      join leads own on own.id = i.lead_id and own.workspace_id = ${campaign.workspaceId}
      where i.lead_list_id = ${campaign.leadListId}`
  const basisRequired = await isBasisRequired(tx, env, campaign.workspaceId)
  const skip = reasonToSkip(alias(leads, 'l'), campaign, basisRequired, env)
  await allowLongStatements(tx)
  const allowance = await requireQuota(
    tx,
    campaign.workspaceId,
    sql`
      select from leads l left join lateral (${skip}) skip on true where l.id in (${members}) and skip.reason is null`,
    limit,
  )
  await lockLeads(tx, members)
  const isLater =
    limit === undefined
      ? sql`false`
      : sql`reason is null and count(*) filter (where reason is null) over (rows unbounded preceding) > ${limit}`
  const { rows } = await tx.execute<{ queued: number; open: number; total: number; undoUntil: string }>(sql`
    with chosen as materialized (
      select new_id() as enrollment_id, ${isLater} as is_later, ordered.* from (
        select l.id as lead_id, skip.reason, ${first.variantId} as variant_id, ${first.message} as message
        from leads l
        left join lead_list_items i on i.lead_list_id = ${campaign.leadListId} and i.lead_id = l.id
        left join lateral (${skip}) skip on true
        where l.id in (${members})
        order by coalesce(i.added_at, l.created_at), l.id
      ) ordered
    ), enrolled as (
      insert into enrollments (
        workspace_id, id, campaign_id, lead_id, version, state, reason, next_step_number, is_unqueued
      )
      select ${campaign.workspaceId}::uuid, enrollment_id, ${campaign.id}::uuid, lead_id, ${campaign.version}::int,
        case when reason is null then 'active' else 'stopped' end,
        case when reason is not null then ${skippedReason(sql`reason`)} end,
        case when reason is null then 1 end, is_later
      from chosen
    ), added as (
      insert into dms (
        workspace_id, user_id, lead_id, campaign_id, enrollment_id, step_id, step_number, variant_id, message,
        is_filled, status, reason, due_at
      )
      select ${campaign.workspaceId}::uuid, ${campaign.userId}::uuid, lead_id, ${campaign.id}::uuid, enrollment_id,
        ${first.id}::uuid, 1, variant_id, message, true, case when reason is null then 'queued' else 'failed' end,
        reason,
        ${dueAfterHold(holdSeconds, sql`(select count(*) from chosen)`)}
      from chosen where not is_later
      returning lead_id, due_at, ${countedColumns()}
    ), ${countMessages({ after: 'added' })}, old as (
      select ${countedLead()}
      from leads
      where id in (select lead_id from added where status = 'queued')
      for no key update
    ), marked as (
      update leads
      set dm_status = 'queued', updated_at = now()
      from old
      where leads.id = old.id
      returning ${countedLead()}
    ), ${countLeads({ before: 'old', after: 'marked' }, 'counted_campaigns')}
    select (select count(*)::int from chosen) as total, (select count(*)::int from chosen where reason is null) as open,
      (count(*) filter (where status = 'queued'))::int as queued,
      coalesce(max(due_at) filter (where status = 'queued'), ${dueAfterHold(holdSeconds, sql`0`)}) as "undoUntil"
    from added
  `)
  const { total, open, queued, undoUntil } = one(rows)
  await spend(tx, campaign.workspaceId, allowance, queued)
  return { total, open, queued, undoUntil: holdSeconds > 0 && open > 0 ? new Date(undoUntil) : null }
}

/** Roughly how many messages are inserted per second: queueing itself takes time, too. */
const QUEUED_PER_SECOND = 10_000

/** SQL: the due time of messages queued together: the end of the hold, plus the time to queue `count` messages. */
export function dueAfterHold(holdSeconds: number, count: SQL): SQL {
  if (holdSeconds === 0) return sql`now()`
  return sql`clock_timestamp() + make_interval(secs => ${holdSeconds}::float + ${count} / ${QUEUED_PER_SECOND}::float)`
}
