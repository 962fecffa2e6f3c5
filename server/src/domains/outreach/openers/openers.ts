import type { InputOf } from '@x-automated/contract/contract'
import { BAD_CURSOR, isId } from '@x-automated/contract/fields'
import { and, asc, eq, gt } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { find, lock, select, store } from '../../../core/openers/openers.ts'
import { findCampaign } from '../../../core/sequences/sequence.ts'
import { openerCounts, openers } from '../../../core/tables/openers.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { findLatest } from '../../platform/jobs/jobs.ts'
import { settle } from '../writer/budget.ts'
import { writeOne } from './writing.ts'

/** @throws Refusal CAMPAIGN_NOT_FOUND */
export async function list(db: Db, actor: Actor, { id, status, leadId, pageSize, cursor }: InputOf<'openers', 'list'>) {
  const campaign = await findCampaign(db, actor, id)
  if (cursor !== undefined && !isId(cursor)) throw invalidField('cursor', BAD_CURSOR)
  const ofCampaign = and(eq(openers.workspaceId, actor.workspaceId), eq(openers.campaignId, campaign.id))
  const rows = await select(db)
    .where(
      and(
        ofCampaign,
        status && eq(openers.status, status),
        leadId === undefined ? undefined : eq(openers.leadId, leadId),
        cursor ? gt(openers.id, cursor) : undefined,
      ),
    )
    .orderBy(asc(openers.id))
    .limit(pageSize + 1)
  const [counts] = await db
    .select({ draft: openerCounts.draft, approved: openerCounts.approved, failed: openerCounts.failed })
    .from(openerCounts)
    .where(and(eq(openerCounts.workspaceId, actor.workspaceId), eq(openerCounts.campaignId, campaign.id)))
  const job = await findLatest(db, actor, { kind: 'openers', input: { campaignId: campaign.id } })
  const visible = rows.slice(0, pageSize)
  return {
    openers: visible,
    counts: counts ?? { draft: 0, approved: 0, failed: 0 },
    job,
    cursor: rows.length > pageSize ? (visible.at(-1)?.id ?? null) : null,
  }
}

/** @throws Refusal OPENER_NOT_FOUND; INVALID_INPUT: an opener without a text cannot be approved */
export async function update(db: Db, actor: Actor, { id, text, isApproved }: InputOf<'openers', 'update'>) {
  return transact(db, async (tx) => {
    const before = await lock(tx, actor, id)
    const isNew = text !== undefined && text !== before.text
    if (isApproved && (text ?? before.text) === '')
      throw invalidField('isApproved', 'An opener without a text cannot be approved. Write one first.')
    const wasApproved = before.status === 'approved'
    const status =
      (isApproved ?? (wasApproved && !isNew)) ? 'approved' : (text ?? before.text) === '' ? 'failed' : 'draft'
    await store(tx, actor, before, { text: text ?? before.text, status, isNew })
    return find(tx, actor, id)
  })
}

/**
 * Rewrites an opener. Existing text is kept if the model fails or writes nothing, or if the text
 * was changed in the meantime. @throws Refusal OPENER_NOT_FOUND
 */
export async function regenerate(context: RequestContext, actor: Actor, id: string, signal?: AbortSignal) {
  const { db } = context
  const { campaignId, lead, version } = await find(db, actor, id)
  const written = await writeOne(context, actor, { campaignId, leadId: lead.id, signal })
  if (signal?.aborted && written.fault) {
    await settle(db, written.calls)
    // The client has disconnected. A retry with the same key writes the opener again.
    throw new Refusal('UNAVAILABLE')
  }
  return transact(db, async (tx) => {
    const before = await lock(tx, actor, id)
    const isBetter = written.text !== '' && (written.fault === null || before.text === '')
    if (isBetter && before.version === version)
      await store(tx, actor, before, { ...written, status: 'draft', isNew: true })
    await settle(tx, written.calls)
    const result = { ...(await find(tx, actor, id)), fault: written.fault }
    await context.remember(tx, result)
    return result
  })
}
