import type { InputOf } from '@x-automated/contract/contract'
import { type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { lockRows, transact } from '../../../db/transact.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import { countConversations } from '../../leads/leads/service.ts'
import { storeAnswers } from '../replies/service.ts'
import { pauseForReengagement } from '../sending/service.ts'
import { findConversation } from './service.ts'

type Changes = Omit<InputOf<'conversations', 'update'>, 'id' | 'reengage'>

/** Changes a conversation. @throws Refusal as the contract declares */
export async function update(
  db: Db,
  actor: Actor,
  { id, reengage = false, ...changes }: InputOf<'conversations', 'update'>,
) {
  await checkChanges(db, actor, changes)
  return transact(db, async (tx) => {
    const { rows } = await tx.execute<{ leadId: string; accountXUserId: string; campaignId: string | null }>(sql`
      select lead_id as "leadId", account_x_user_id as "accountXUserId", campaign_id as "campaignId"
      from conversations where workspace_id = ${actor.workspaceId} and id = ${id}`)
    const [found] = rows
    if (!found) throw new Refusal('CONVERSATION_NOT_FOUND')
    if (reengage && changes.snoozedUntil) {
      const until = new Date(changes.snoozedUntil)
      const isPaused = await pauseForReengagement(tx, actor.workspaceId, found, until)
      if (!isPaused) throw new Refusal('ENROLLMENT_STATE', NOTHING_TO_SEND)
    }
    await change(tx, actor, sql`select ${id}::uuid`, changes)
    return findConversation(tx, actor, id)
  })
}

const NOTHING_TO_SEND = 'No campaign has a re-engagement message for this person.'

/** @throws Refusal INVALID_INPUT: the end of a snooze has passed; PERSON_NOT_FOUND: not a member */
async function checkChanges(db: Db, { workspaceId }: Actor, { snoozedUntil, assigneeId }: Changes): Promise<void> {
  if (snoozedUntil !== undefined && new Date(snoozedUntil) <= new Date())
    throw invalidField('snoozedUntil', 'must be in the future')
  if (!assigneeId) return
  // Viewers have no inbox.
  const { rows } = await db.execute(sql`
    select from workspace_members where workspace_id = ${workspaceId} and user_id = ${assigneeId} and role <> 'viewer'`)
  if (rows.length === 0) throw new Refusal('PERSON_NOT_FOUND')
}

/** Changes conversations. @param chosen subquery of their ids @returns how many it changed */
async function change(tx: Db, actor: Actor, chosen: SQL, changes: Changes): Promise<number> {
  const { workspaceId, userId } = actor
  const { status, label, assigneeId, isRead = status === 'done' || undefined, snoozedUntil } = changes
  if (label) await labelReplies(tx, workspaceId, chosen, label)
  const set = [
    status && sql`status = ${status}, snoozed_until = ${snoozedUntil ?? null}::timestamptz`,
    label && sql`label = ${label}, confidence = null, labelled_by = ${userId}, suggests_suppression = false`,
    assigneeId !== undefined && sql`assignee_id = ${assigneeId}::uuid`,
    isRead !== undefined && sql`is_unread = ${!isRead}::boolean`,
  ].filter((part) => typeof part === 'object')
  if (set.length === 0) return 0
  const { rows } = await tx.execute<{ changed: number }>(sql`
    with old as materialized (
      select * from conversations where workspace_id = ${workspaceId} and id in (${chosen}) order by id for no key update
    ), changed as (
      update conversations c set ${sql.join(set, sql`, `)}, updated_at = now() from old
      where c.workspace_id = old.workspace_id and c.id = old.id
      returning c.workspace_id, c.id, old.status as was_status, old.is_unread as was_unread, c.status, c.is_unread, old.label as old_label, c.label, c.updated_at
    ), corrected as (
      insert into label_corrections (workspace_id, conversation_id, user_id, old_label, new_label, at)
      select workspace_id, id, ${userId}, old_label, label, updated_at from changed where ${label !== undefined}::boolean and label is distinct from old_label
    ), counted as (${countConversations(sql`changed`)})
    select count(*)::int as changed from changed`)
  return one(rows).changed
}

/** Gives the latest reply of each conversation a label. Locks the messages of their leads. */
async function labelReplies(tx: Db, workspaceId: string, chosen: SQL, label: string): Promise<void> {
  const leadIds = sql`select lead_id from conversations where workspace_id = ${workspaceId} and id in (${chosen})`
  await lockRows(tx, 'dms', sql`lead_id in (${leadIds})`)
  await lockRows(tx, 'leads', sql`id in (${leadIds})`)
  const { rows } = await tx.execute<{ dmId: string | null }>(sql`
    update replies set label = ${label}
    from (
      select (
        select r.id from replies r where r.lead_id = c.lead_id and r.account_x_user_id = c.account_x_user_id and r.kind = 'reply' order by r.at desc, r.id desc limit 1
      ) as id from conversations c where c.workspace_id = ${workspaceId} and c.id in (${chosen})
    ) latest
    where replies.id = latest.id and replies.label is distinct from ${label}
    returning replies.dm_id as "dmId"`)
  await storeAnswers(
    tx,
    rows.flatMap(({ dmId }) => dmId ?? []),
  )
}

/** Conversations per transaction. */
const BATCH = 1_000

/** Opens conversations whose snooze is over, of all workspaces. */
export async function endSnoozes(db: Db): Promise<void> {
  let count: number
  do {
    const { rows } = await db.execute<{ count: number }>(sql`
      with old as materialized (
        select workspace_id, id from conversations where status = 'snoozed' and snoozed_until <= now()
        order by snoozed_until limit ${BATCH} for no key update skip locked
      ), opened as (
        update conversations c set status = 'open', snoozed_until = null, sort_at = greatest(c.last_message_at, c.snoozed_until), updated_at = now()
        from old where c.workspace_id = old.workspace_id and c.id = old.id
        returning c.workspace_id, 'snoozed' as was_status, c.is_unread as was_unread, c.status, c.is_unread
      ), counted as (${countConversations(sql`opened`)})
      select count(*)::int as count from opened`)
    count = one(rows).count
  } while (count === BATCH)
}
