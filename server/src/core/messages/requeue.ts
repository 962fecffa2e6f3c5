import { leftoverIn } from '@x-automated/contract/outreach/template'
import { refusalText, type SkipReason } from '@x-automated/contract/reason'
import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import { shownLeftover } from '../campaigns/pause.ts'
import { allowanceOf } from '../neighbors.ts'
import { setLeadStatus } from '../people/lead-counts.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leads } from '../tables/leads.ts'
import { dms } from '../tables/messages.ts'
import { enrollments, isEnrollmentOf, isOpen } from '../tables/sequences.ts'
import { updateMessages } from './counts.ts'
import { type Campaign, reasonToSkip } from './eligibility.ts'
import { lockEnrollmentsOf, lockQueueing } from './locks.ts'
import { spend } from './quota.ts'
import { dmColumns, presentMessages } from './read.ts'
import { wakeAccount } from './schedule.ts'
import { isBasisRequired, type SendingEnv } from './sending-state.ts'

const enrollment = alias(enrollments, 'e')
const message = alias(dms, 'd')

type Message = typeof dms.$inferSelect

/** SQL over dms: now, or the time after which a held launch can no longer be undone. */
export const DUE_NOW = sql`greatest(now(), (select c.undo_until from campaigns c where c.id = dms.campaign_id))`

/**
 * Queues a failed message again and reactivates its campaign if that was completed. Spends quota if
 * the message was never tried. @param renderAgain updates the message's text @throws Refusal
 * DM_NOT_FOUND; DM_STATE: the message has not failed, or its lead is excluded; PLAN_LIMIT
 */
export async function requeue(
  db: Db,
  env: SendingEnv,
  actor: Actor,
  id: string,
  renderAgain: (tx: Db, dm: Message) => Promise<void>,
) {
  return transact(db, async (tx) => {
    // Lock enrollment, message, lead, campaign, as recording an outcome does.
    await lockEnrollmentsOf(tx, sql`select ${id}::uuid`)
    const [row] = await tx
      .select({ dm: dms, campaign: campaigns })
      .from(dms)
      .innerJoin(campaigns, eq(campaigns.id, dms.campaignId))
      .where(and(eq(dms.id, id), eq(dms.workspaceId, actor.workspaceId)))
      .for('update', { of: dms })
    if (!row) throw new Refusal('DM_NOT_FOUND')
    const { dm, campaign } = row
    const leadId = await requireRequeuable(tx, env, dm, campaign)
    // The variables of messages outside sequences are not filled in later.
    const leftover = dm.enrollmentId || dm.isFilled ? null : leftoverIn(dm.message)
    if (leftover) {
      const reason: SkipReason = { code: 'placeholder', params: { written: shownLeftover(leftover) } }
      throw new Refusal('DM_STATE', refusalText(reason))
    }
    await updateMessages(
      tx,
      sql`id = ${id}`,
      sql`status = 'queued', reason = null, error_message = null, refusal = null, outcome_unknown = false,
        is_held = false, lease = null, holder = null, due_at = ${DUE_NOW}, requeued_at = now(), updated_at = now()`,
    )
    // A message that may have been sent keeps its text.
    if (!dm.outcomeUnknown) await renderAgain(tx, dm)
    await setLeadStatus(tx, sql`id = ${leadId}`, 'queued')
    await reopenEnrollment(tx, dm)
    const accountId = dm.isFollowUp ? dm.xAccountId : campaign.xAccountId
    if (accountId) await wakeAccount(tx, accountId)
    if (dm.triedAt === null && dm.claimedAt === null)
      await spend(tx, actor.workspaceId, await allowanceOf(tx, actor.workspaceId, 'dms'), 1)
    const rows = await tx
      .select(dmColumns)
      .from(dms)
      .innerJoin(campaigns, eq(campaigns.id, dms.campaignId))
      .leftJoin(leads, eq(leads.id, dms.leadId))
      .where(eq(dms.id, id))
    return one(await presentMessages(tx, env, actor, rows))
  })
}

/** Locks the lead of a message to queue again, and returns its id. @throws Refusal DM_STATE */
async function requireRequeuable(tx: Db, env: SendingEnv, dm: Message, campaign: Campaign): Promise<string> {
  if (dm.status !== 'failed') throw new Refusal('DM_STATE', 'Only failed messages can be queued again.')
  if (dm.isAnswer) throw new Refusal('DM_STATE', 'Answer this person in the inbox again.')
  if (!dm.leadId) throw new Refusal('DM_STATE', "This message's lead was deleted.")
  if (await isPassed(tx, dm)) throw new Refusal('DM_STATE', 'A later message was already sent to this person.')
  await lockQueueing(tx, dm.workspaceId)
  const basisRequired = await isBasisRequired(tx, env, dm.workspaceId)
  // The person who queues it again may know more about the inbox than X's last response.
  const skip = reasonToSkip(alias(leads, 'l'), { ...campaign, xAccountId: null }, basisRequired, env, dm.id)
  const { rows } = await tx.execute<{ reason: SkipReason | null }>(
    sql`
      select skip.reason
      from leads l
      left join lateral (${skip}) skip
        on true
      where l.id = ${dm.leadId}
      for no key update of l`,
  )
  if (rows[0]?.reason) throw new Refusal('DM_STATE', refusalText(rows[0].reason))
  return dm.leadId
}

/**
 * Continues the enrollment of a message, and its campaign if that was completed. @throws Refusal
 * DM_STATE: archived
 */
async function reopenEnrollment(tx: Db, { id, workspaceId, campaignId }: Message): Promise<void> {
  const { rowCount } = await tx.execute(sql`
    with old as (
      select e.id, d.step_number, ${isOpen(enrollment)} as was_open
      from dms d
      join enrollments e on ${isEnrollmentOf(enrollment, message)}
      where d.id = ${id}
    ), changed as (
      update enrollments e set state = 'active', reason = null, paused_until = null, next_at = null,
        next_step_number = old.step_number, resumed_at = now(), updated_at = now()
      from old where e.workspace_id = ${workspaceId} and e.id = old.id
    )
    update campaigns set status = case when status = 'completed' then 'active' else status end, updated_at = now(),
      open_enrollments = open_enrollments + (select count(*) from old where not was_open)
    where id = ${campaignId} and status <> 'archived'`)
  if (!rowCount) throw new Refusal('DM_STATE', "This message's campaign is archived.")
}

/** Whether a later message of its sequence was sent. */
async function isPassed(tx: Db, dm: Message): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    select
    from enrollments e
    where e.workspace_id = ${dm.workspaceId} and e.id = ${dm.enrollmentId} and e.last_ordinal > ${dm.step}`)
  return rows.length > 0
}
