import type { InputOf } from '@x-automated/contract/contract'
import { DEFAULT_MESSAGE } from '@x-automated/contract/leads/lead-limits'
import type { Template } from '@x-automated/contract/outreach/template'
import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor, Author } from '../../actor.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { countedLead, countLeads } from '../people/lead-counts.ts'
import { choosePart } from '../people/selection.ts'
import { campaigns, WITHOUT_REASON } from '../tables/campaigns.ts'
import { leads } from '../tables/leads.ts'
import { requireConnectedAccount } from './accounts.ts'
import { countedColumns, countMessages } from './counts.ts'
import { lockLeads, lockQueueing } from './locks.ts'
import { dueAfterHold } from './queue.ts'
import { requireQuota, spend, writable } from './quota.ts'
import { readTemplate, renderedMessage } from './render.ts'
import { wakeAccount } from './schedule.ts'

/**
 * Queues one direct message per lead, except for leads who are suppressed, have one queued or may
 * have been messaged. @throws Refusal X_NOT_CONNECTED, INVALID_INPUT (placeholder), PLAN_LIMIT
 * (parts that are already queued stay)
 */
export async function queueDirect(
  db: Db,
  actor: Actor,
  { message, holdSeconds = 0, undoId, ...selection }: Partial<InputOf<'leads', 'queue'>>,
): Promise<{ success: true; queued: number; cursor: string | null }> {
  const template = readTemplate('message', message || DEFAULT_MESSAGE)
  return transact(db, async (tx) => {
    await requireConnectedAccount(tx, actor.workspaceId)
    await lockQueueing(tx, actor.workspaceId)
    const { leads: chosen, cursor } = await choosePart(tx, actor, selection)
    const order = { template, undoId, dueAt: dueAfterHold(holdSeconds, sql`0`) }
    const { queued, campaignId } = await queueChosen(tx, actor, chosen, order)
    if (holdSeconds > 0)
      await tx
        .update(campaigns)
        .set({ undoUntil: dueAfterHold(holdSeconds, sql`0`) })
        .where(eq(campaigns.id, campaignId))
    return { success: true as const, queued: queued.length, cursor }
  })
}

/**
 * Checks that an X account is connected, and that the plan allows a direct message to each lead.
 * @param chosen subquery of lead ids @throws Refusal X_NOT_CONNECTED, PLAN_LIMIT
 */
export async function requireQueueable(tx: Db, workspaceId: string, chosen: SQL): Promise<void> {
  await requireConnectedAccount(tx, workspaceId)
  await requireQuota(tx, workspaceId, sql`select ${writable(workspaceId, chosen)}`)
}

interface ChosenOrder {
  template: Template
  dueAt: SQL
  undoId?: string | undefined
}

/**
 * Queues a direct message to each chosen lead. The caller holds `lockQueueing`.
 * @returns the messages' ids @throws Refusal X_NOT_CONNECTED, PLAN_LIMIT
 */
export async function queueChosen(
  tx: Db,
  actor: Author,
  chosen: SQL,
  { template, dueAt, undoId }: ChosenOrder,
): Promise<{ queued: string[]; campaignId: string }> {
  const account = await requireConnectedAccount(tx, actor.workspaceId)
  const allowance = await requireQuota(tx, actor.workspaceId, sql`select ${writable(actor.workspaceId, chosen)}`)
  // Lock leads before the campaign, as recording an outcome does.
  await lockLeads(tx, chosen)
  const campaignId = await openDirectCampaign(tx, actor, account.id)
  const { rows } = await tx.execute<{ id: string }>(sql`
    with added as (
      insert into dms (workspace_id, user_id, lead_id, campaign_id, step, message, is_filled, undo_id, due_at)
      select l.workspace_id, ${actor.userId}::uuid, l.id, ${campaignId}::uuid,
        coalesce((select max(d.step) + 1 from dms d where d.campaign_id = ${campaignId}::uuid and d.lead_id = l.id), 0),
        ${renderedMessage(alias(leads, 'l'), template, null)}, true, ${undoId ?? null}::uuid, ${dueAt}
      ${writable(actor.workspaceId, chosen)}
      order by l.created_at, l.id
      returning lead_id, ${countedColumns()}
    ), ${countMessages({ after: 'added' })}, old as (
      select ${countedLead()}
      from leads
      where id in (select lead_id from added)
      for no key update
    ), marked as (
      update leads
      set dm_status = 'queued', updated_at = now()
      from old
      where leads.id = old.id
      returning ${countedLead()}
    ), ${countLeads({ before: 'old', after: 'marked' }, 'counted_campaigns')}
    select id from added`)
  await wakeAccount(tx, account.id)
  await spend(tx, actor.workspaceId, allowance, rows.length)
  return { queued: rows.map(({ id }) => id), campaignId }
}

/** Returns the workspace's campaign 'Direct', which holds messages outside campaigns, and creates it if needed. */
export async function openDirectCampaign(
  tx: Db,
  actor: Author,
  xAccountId: string,
  { isAnswer = false } = {},
): Promise<string> {
  const rows = await tx
    .insert(campaigns)
    .values({
      workspaceId: actor.workspaceId,
      userId: actor.userId,
      kind: 'direct',
      name: 'Direct',
      messageTemplate: '',
      channel: 'api',
      status: 'active',
      xAccountId,
    })
    // A new message moves all queued messages to the current account, and ends a pause caused by X.
    // An answer does neither, because it may belong to another account.
    .onConflictDoUpdate({
      target: campaigns.workspaceId,
      targetWhere: sql`kind = 'direct'`,
      set: { ...(!isAnswer && { xAccountId, status: 'active', ...WITHOUT_REASON }), updatedAt: sql`now()` },
    })
    .returning({ id: campaigns.id })
  return one(rows).id
}
