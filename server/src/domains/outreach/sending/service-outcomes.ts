import type { SkipReason } from '@x-automated/contract/reason'
import { and, eq, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { reasonValue } from '../../../db/reasons.ts'
import { transact } from '../../../db/transact.ts'
import { Refusal } from '../../../refusal.ts'
import { campaigns } from '../campaigns/tables.ts'
import { endTurn } from './service-schedule.ts'
import { dms } from './tables.ts'

export const OUTCOME_UNKNOWN = 'Outcome unknown: check the conversation before sending again'
export const LEAD_MISSING: SkipReason = { code: 'lead_missing', params: {} }
const DEFAULT_FAILURE = 'Send failed via extension.'

/**
 * Holder of messages that the simulated queue claims. It never sends them, so released ones are
 * queued again.
 */
export const SIMULATED_HOLDER = 'simulated'

/** Why a message was skipped, or in words why it failed. */
export type Failure = { reason: SkipReason; errorMessage?: never } | { errorMessage: string; reason?: never }

export interface Outcome {
  wasSent: boolean
  /** X's id of the sent message. */
  eventId?: string | null
  reason?: SkipReason | undefined
  errorMessage?: string | undefined
  /** Failed, but it may have been sent. */
  outcomeUnknown?: boolean
  /** When it was sent; defaults to now. */
  sentAt?: Date | null
}

/**
 * Records the outcome of a claimed message once: on the message, its lead, its list item and its
 * campaign. @returns null if the lease is no longer valid
 */
export async function recordOutcome(
  tx: Db,
  dm: { id: string; lease: string },
  { wasSent, eventId = null, reason, errorMessage, outcomeUnknown = false, sentAt = null }: Outcome,
): Promise<{ campaignCompleted: boolean } | null> {
  const { rows } = await tx.execute<{ campaignId: string }>(sql`
    with dm as (
      update dms set status = ${wasSent ? 'sent' : 'failed'}, sent_at = ${wasSent ? sql`coalesce(${sentAt?.toISOString() ?? null}::timestamptz, now())` : null}, x_event_id = ${eventId},
        reason = ${reasonValue((!wasSent && reason) || null)}, error_message = ${(!wasSent && errorMessage) || null}, outcome_unknown = ${outcomeUnknown}, lease_expires_at = null, updated_at = now()
      where id = ${dm.id} and lease = ${dm.lease} and (status = 'queued' or (status = 'failed' and outcome_unknown))
      returning campaign_id, lead_id
    ), list as (
      -- Its contact count changes last. The lock order is list, lead, list item.
      select l.id from lead_lists l join campaigns c on c.lead_list_id = l.id join dm on dm.campaign_id = c.id
      where ${wasSent}::boolean and l.filter is null for no key update of l
    ), lead as (
      update leads l set dm_status = ${wasSent ? 'contacted' : 'failed_contact'}, updated_at = now()
      from dm left join list on true where l.id = dm.lead_id
    ), item as (
      update lead_list_items i set contact_status = 'contacted'
      from dm cross join list
      where i.lead_list_id = list.id and i.lead_id = dm.lead_id and i.contact_status <> 'contacted'
    )
    select campaign_id as "campaignId" from dm`)
  const campaignId = rows[0]?.campaignId
  if (!campaignId) return null
  if (wasSent) await applyEarlierEvents(tx, dm.id)
  return { campaignCompleted: await completeIfDone(tx, campaignId) }
}

/**
 * Applies reads and replies that arrived before the message was recorded as sent. A separate
 * statement, to see events stored while the previous one waited.
 */
async function applyEarlierEvents(tx: Db, id: string): Promise<void> {
  await tx.execute(sql`
    update dms d set status = case when told.replied_at is null then 'delivered' else 'replied' end,
      replied_at = told.replied_at, delivered_at = coalesce(told.read_at, told.replied_at)
    from dms m cross join lateral (
      select (select min(r.at) from replies r where r.dm_id = m.id and r.kind = 'reply') as replied_at,
        (select s.read_at from lead_reads s join x_accounts a on a.x_user_id = s.account_x_user_id
         where s.lead_id = m.lead_id and a.id = m.x_account_id and s.read_at >= m.claimed_at) as read_at
    ) told
    where m.id = ${id} and d.id = m.id and d.status = 'sent' and coalesce(told.replied_at, told.read_at) is not null`)
}

/**
 * Completes a campaign when sent and failed messages reach the list's total. Also stores when it
 * last ran.
 */
export async function completeIfDone(tx: Db, campaignId: string): Promise<boolean> {
  const done = sql`kind = 'campaign' and queued_at is not null and status not in ('completed', 'archived')
    and dms_sent_count + dms_failed_count >= total_leads_in_list`
  const [row] = await tx
    .update(campaigns)
    .set({
      lastRunAt: sql`now()`,
      updatedAt: sql`now()`,
      status: sql`case when ${done} then 'completed' else status end`,
      reason: sql`case when ${done} then null else reason end`,
      pauseReason: sql`case when ${done} then null else pause_reason end`,
    })
    .where(eq(campaigns.id, campaignId))
    .returning({ status: campaigns.status, xAccountId: campaigns.xAccountId })
  if (row?.status !== 'completed') return false
  await endTurn(tx, row.xAccountId)
  return true
}

/**
 * Records the outcome that an extension reports, once. Late reports count until it is queued again.
 * @throws Refusal DM_NOT_FOUND; LEASE_LOST: another lease, or a different outcome is recorded
 */
export async function reportOutcome(
  db: Db,
  actor: Actor,
  report: {
    id: string
    lease: string
    wasSent: boolean
    reason?: SkipReason
    errorMessage?: string
    outcomeUnknown?: boolean
  },
) {
  const { id, lease, wasSent, reason } = report
  const outcomeUnknown = !wasSent && report.outcomeUnknown === true
  const errorMessage = report.errorMessage || (outcomeUnknown ? OUTCOME_UNKNOWN : DEFAULT_FAILURE)
  return transact(db, async (tx) => {
    const [dm] = await tx
      .select()
      .from(dms)
      .where(and(eq(dms.id, id), eq(dms.workspaceId, actor.workspaceId)))
      .for('update')
    if (!dm) throw new Refusal('DM_NOT_FOUND')
    if (dm.lease !== lease.toLowerCase() || !dm.holder?.startsWith('extension:')) throw new Refusal('LEASE_LOST')
    const recorded = await recordOutcome(
      tx,
      { id, lease: dm.lease },
      { wasSent, ...(reason ? { reason } : { errorMessage }), outcomeUnknown },
    )
    if (recorded) return { success: true as const, ...recorded }
    if (wasSent !== (dm.sentAt !== null))
      throw new Refusal('LEASE_LOST', 'A different outcome is already recorded for this message.')
    const [campaign] = await tx
      .select({ status: campaigns.status })
      .from(campaigns)
      .where(eq(campaigns.id, dm.campaignId))
    return { success: true as const, campaignCompleted: campaign?.status === 'completed' }
  })
}
