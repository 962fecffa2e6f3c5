import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { attemptEach } from '../../attempt-each.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { reasonSql, skippedReason } from '../../db/reasons.ts'
import { transact } from '../../db/transact.ts'
import { countedColumns, countMessages } from '../messages/counts.ts'
import { reasonToSkip } from '../messages/eligibility.ts'
import { lockLeads, lockQueueing } from '../messages/locks.ts'
import { spend } from '../messages/quota.ts'
import { readOpenersAgain } from '../messages/render.ts'
import { wakeAccount } from '../messages/schedule.ts'
import { isBasisRequired, type SendingEnv } from '../messages/sending-state.ts'
import { allowanceOf, planOf, publishEvents, usageOf } from '../neighbors.ts'
import { countedLead, countLeads } from '../people/lead-counts.ts'
import { findSteps, queuedStep, unreadableIn } from '../sequences/sequence.ts'
import { findTests } from '../sequences/tests.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leads } from '../tables/leads.ts'
import { isRestorable } from '../tables/removals.ts'
import { enrollments } from '../tables/sequences.ts'
import { pauseForPlaceholder } from './pause.ts'
import { completeIfDone } from './run.ts'

// If the plan limits a launch, everyone is enrolled, but only the first people are queued. A job
// queues the others.

type Row = typeof campaigns.$inferSelect

/** Maximum number of people queued in one transaction. */
const PART = 1_000

/** Returns the columns to set on a campaign while people wait for their first message. */
export async function nextPart(tx: Db, { workspaceId }: Pick<Row, 'workspaceId'>) {
  const { plan, usage } = await usageOf(tx, workspaceId, 'dms')
  return { nextPartAt: usage.resetsAt, partPlan: plan }
}

/**
 * Queues waiting people in launch order, once the plan's limit has reset or the plan has changed.
 * Any number of processes may run this.
 */
export async function queueNextParts(db: Db, env: SendingEnv): Promise<void> {
  const waiting = await db
    .select()
    .from(campaigns)
    .where(sql`status = 'active' and next_part_at is not null`)
    .orderBy(campaigns.queuedAt, campaigns.id)
  await attemptEach(waiting, async (campaign) => {
    const isReset = campaign.nextPartAt !== null && campaign.nextPartAt <= new Date()
    if (!isReset && (await planOf(db, campaign.workspaceId)) === campaign.partPlan) return
    while (await transact(db, (tx) => queuePart(tx, env, campaign)));
  })
}

/** SQL over an enrollment `e`: the deletion of its lead can still be undone, so its first message waits. */
const isRemoved = sql`
  (not exists (select from leads l where l.id = e.lead_id) and ${isRestorable(alias(enrollments, 'e'))})`

/** Queues the next waiting people of a campaign. @returns whether to continue with more people now */
async function queuePart(tx: Db, env: SendingEnv, { id, workspaceId }: Row): Promise<boolean> {
  const { rows: waiting } = await tx.execute<{ id: string; leadId: string }>(sql`
    select id, lead_id as "leadId" from enrollments e
    where workspace_id = ${workspaceId} and campaign_id = ${id} and is_unqueued and state = 'active' and next_at is null
      and not ${isRemoved}
      and not exists (select from dms d where d.campaign_id = e.campaign_id and d.step = 0 and d.lead_id = e.lead_id)
    order by id limit ${PART} for no key update`)
  await lockQueueing(tx, workspaceId)
  const allowance = await allowanceOf(tx, workspaceId, 'dms')
  const rows = waiting.slice(0, allowance.left)
  // Read the campaign only while holding the locks, because an edit takes the same locks.
  const [campaign] = await tx
    .select()
    .from(campaigns)
    .where(and(eq(campaigns.id, id), eq(campaigns.status, 'active')))
  if (!campaign) return false
  const [first] = await findSteps(tx, campaign)
  if (rows.length === 0 || !first) {
    const left = sql`from enrollments e where workspace_id = ${workspaceId} and campaign_id = ${id} and is_unqueued`
    const isAwaited = sql`
      ${allowance.left > 0}::boolean and exists (select ${left} and state = 'active' and ${isRemoved})`
    const { nextPartAt, partPlan } = await nextPart(tx, campaign)
    await tx.execute(sql`
      update campaigns set part_plan = ${partPlan}, next_part_at = case when ${isAwaited} then now()
        when exists (select ${left}) then ${nextPartAt.toISOString()}::timestamptz end where id = ${id}`)
    return false
  }
  const leadIds = sql`select unnest(${sql.param(rows.map(({ leadId }) => leadId))}::uuid[])`
  await lockLeads(tx, leadIds)
  const unreadable = unreadableIn([first])
  if (unreadable) {
    await pauseForPlaceholder(tx, { ...campaign, campaignId: id }, unreadable)
    return false
  }
  const step = queuedStep(id, first, 1, (await findTests(tx, campaign)).get(first.id)?.shares)
  const skip = reasonToSkip(alias(leads, 'l'), campaign, await isBasisRequired(tx, env, workspaceId), env)
  const { rows: counts } = await tx.execute<{ queued: number; stopped: number }>(sql`
    with chosen as materialized (
      select e.id as enrollment_id, l.id as lead_id, ${step.variantId} as variant_id, ${step.message} as message,
        case when l.id is null then ${reasonSql('lead_missing')} else skip.reason end as reason
      from enrollments e left join leads l on l.id = e.lead_id left join lateral (${skip}) skip on true
      where e.workspace_id = ${workspaceId}
        and e.id = any(${sql.param(rows.map((row) => row.id))}::uuid[])
        and not ${isRemoved}
      order by e.id
    ), enrolled as (
      update enrollments e set is_unqueued = false, version = ${campaign.version}, updated_at = now(),
        state = case when chosen.reason is null then 'active' else 'stopped' end,
        next_step_number = case when chosen.reason is null then 1 end,
        reason = case
          when chosen.reason is not null then ${skippedReason(sql`chosen.reason`)} end
      from chosen where e.workspace_id = ${workspaceId} and e.id = enrollment_id
    ), added as (
      insert into dms (
        workspace_id, user_id, lead_id, campaign_id, enrollment_id, step_id, step_number, variant_id, message,
        is_filled, status, reason
      )
      select ${workspaceId}::uuid, ${campaign.userId}::uuid, lead_id, ${id}::uuid, enrollment_id, ${step.id}::uuid, 1,
        variant_id, message, true,
        case when reason is null then 'queued' else 'failed' end, reason
      from chosen where lead_id is not null
      returning lead_id, ${countedColumns()}
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
    select (count(*) filter (where reason is null))::int as queued,
      (count(*) filter (where reason is not null))::int as stopped
    from chosen`)
  const { queued, stopped } = one(counts)
  await tx.execute(sql`
    update campaigns set open_enrollments = open_enrollments - ${stopped}::int, updated_at = now() where id = ${id}`)
  await completeIfDone(tx, id)
  await publishEvents(tx, workspaceId, 'campaign', [id])
  if (campaign.xAccountId) await wakeAccount(tx, campaign.xAccountId)
  await spend(tx, workspaceId, allowance, queued)
  await readOpenersAgain(tx, campaign, step, sql`dms.lead_id in (${leadIds})`)
  return true
}
