import type { InputOf } from '@x-automated/contract/contract'
import { BAD_CURSOR, isId } from '@x-automated/contract/fields'
import { PART_MAX } from '@x-automated/contract/leads/lead-limits'
import { sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { type Changes, change, lockMessages } from '../../../core/conversations/changes.ts'
import { lockEnrollmentsOfLeads } from '../../../core/messages/locks.ts'
import { pauseForReengagement } from '../../../core/replies/stop-answered.ts'
import { allowLongStatements } from '../../../db/long-statements.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import { findConversation, matching } from './conversations.ts'

/** Changes a conversation. @throws Refusal as the contract declares */
export async function update(
  db: Db,
  actor: Actor,
  { id, reengage = false, undoId, ...changes }: InputOf<'conversations', 'update'>,
) {
  return transact(db, async (tx) => {
    await checkChanges(tx, actor, changes)
    const { rows } = await tx.execute<{ leadId: string; accountXUserId: string; campaignId: string | null }>(sql`
      select lead_id as "leadId", account_x_user_id as "accountXUserId", campaign_id as "campaignId"
      from conversations where workspace_id = ${actor.workspaceId} and id = ${id}`)
    const [conversation] = rows
    if (!conversation) throw new Refusal('CONVERSATION_NOT_FOUND')
    let enrollment: object | null = null
    if (reengage && changes.snoozedUntil) {
      const until = new Date(changes.snoozedUntil)
      // Pausing locks campaigns, and labeling locks the lead. Enrollments must be locked before both.
      await lockEnrollmentsOfLeads(tx, actor.workspaceId, sql`select ${conversation.leadId}::uuid`)
      await lockMessages(tx, sql`select ${conversation.leadId}::uuid`)
      enrollment = await pauseForReengagement(tx, actor.workspaceId, conversation, until)
      if (!enrollment) throw new Refusal('ENROLLMENT_STATE', NOTHING_TO_SEND)
    }
    await change(tx, actor, sql`select ${id}::uuid`, changes, undoId, enrollment && { enrollment })
    return findConversation(tx, actor, id)
  })
}

const NOTHING_TO_SEND = 'No campaign has a re-engagement message for this person.'

/**
 * Changes the given conversations, or at most `most` that match the filter. @throws Refusal
 * PERSON_NOT_FOUND, INVALID_INPUT
 */
export async function updateMany(
  db: Db,
  actor: Actor,
  { conversationIds, filter, cursor, undoId, ...changes }: InputOf<'conversations', 'updateMany'>,
  most = PART_MAX,
) {
  if (cursor !== undefined && !(filter && isId(cursor))) throw invalidField('cursor', BAD_CURSOR)
  return transact(db, async (tx) => {
    await checkChanges(tx, actor, changes)
    await allowLongStatements(tx)
    const behind = cursor === undefined ? sql`` : sql`and c.id > ${cursor}::uuid`
    const ids = conversationIds
      ? [...new Set(conversationIds)]
      : (
          await tx.execute<{ id: string }>(sql`
            select c.id
            from conversations c
            where ${matching(actor, filter ?? {})} ${behind}
            order by c.id
            limit ${most + 1}`)
        ).rows.map(({ id }) => id)
    const part = filter ? ids.slice(0, most) : ids
    const chosen = sql`select unnest(${sql.param(part)}::uuid[])`
    const changed = await change(tx, actor, chosen, changes, undoId)
    const last = ids.length > part.length ? (part.at(-1) ?? null) : null
    return { success: true as const, changed, cursor: last }
  })
}

/** @throws Refusal INVALID_INPUT: the end of a snooze has passed; PERSON_NOT_FOUND: the assignee is not a member */
async function checkChanges(db: Db, { workspaceId }: Actor, { snoozedUntil, assigneeId }: Changes): Promise<void> {
  if (snoozedUntil !== undefined && new Date(snoozedUntil) <= new Date())
    throw invalidField('snoozedUntil', 'must be in the future')
  if (!assigneeId) return
  // Viewers cannot be assigned, because they have no inbox.
  const { rows } = await db.execute(sql`
    select from workspace_members where workspace_id = ${workspaceId} and user_id = ${assigneeId} and role <> 'viewer'`)
  if (rows.length === 0) throw new Refusal('PERSON_NOT_FOUND')
}
