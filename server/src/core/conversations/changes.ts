import type { InputOf } from '@x-automated/contract/contract'
import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import { lt, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import { allowLongStatements } from '../../db/long-statements.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { lockRows, transact } from '../../db/transact.ts'
import { lockEnrollmentsOfLeads } from '../messages/locks.ts'
import { publishEvents } from '../neighbors.ts'
import { storeAnswers } from '../replies/answers.ts'
import { endRelabelled, undoReengagement } from '../replies/stop-answered.ts'
import { conversationUndos } from '../tables/conversations.ts'
import { countConversations } from './of-leads.ts'

export type Changes = Omit<InputOf<'conversations', 'update'>, 'id' | 'reengage' | 'undoId'>

/** Restores conversations that have not changed since the change to undo. @returns how many */
export async function undoUpdate(db: Db, { workspaceId }: Actor, undoId: string) {
  return transact(db, async (tx) => {
    await allowLongStatements(tx)
    const unchanged = sql`from conversation_undos u join conversations c
      on c.workspace_id = u.workspace_id and c.id = u.conversation_id and c.updated_at = u.updated_at
      where u.workspace_id = ${workspaceId} and u.undo_id = ${undoId}`
    const reengaged = sql`${unchanged} and u.before ? 'enrollment'`
    await lockEnrollmentsOfLeads(tx, workspaceId, sql`select c.lead_id ${reengaged}`)
    await lockMessages(tx, sql`select c.lead_id ${unchanged} and (u.reply_id is not null or u.before ? 'enrollment')`)
    await undoReengagement(
      tx,
      workspaceId,
      sql`select u.before -> 'enrollment' as enrollment, u.updated_at as at ${reengaged}`,
    )
    await lockConversations(tx, workspaceId, sql`select c.id ${unchanged}`)
    const { rows: relabelled } = await tx.execute<{ dmId: string | null }>(sql`
      update replies r
      set label = u.reply_label
      from (select u.reply_id, u.reply_label ${unchanged}) u
      where r.id = u.reply_id
      returning r.dm_id as "dmId"`)
    await storeAnswers(
      tx,
      relabelled.flatMap(({ dmId }) => dmId ?? []),
    )
    const { rows } = await tx.execute<{ undone: number }>(sql`
      with old as materialized (
        select c.workspace_id, c.id, c.status, c.is_unread, c.updated_at, before.updated_at as to_updated_at,
          before.status as to_status, before.snoozed_until as to_snoozed_until,
          before.is_unread as to_unread, before.label as to_label, before.confidence as to_confidence,
          before.labelled_by as to_labelled_by,
          before.suggests_suppression as to_suggests, (
            select m.user_id
            from workspace_members m
            where m.workspace_id = c.workspace_id and m.user_id = before.assignee_id and m.role <> 'viewer'
          ) as to_assignee
        from (select c.*, u.before ${unchanged}) c
        cross join lateral jsonb_populate_record(null::conversations, c.before) before
      ), undone as (
        update conversations c
        set status = old.to_status, snoozed_until = old.to_snoozed_until, is_unread = old.to_unread,
          label = old.to_label,
          confidence = old.to_confidence, labelled_by = old.to_labelled_by, suggests_suppression = old.to_suggests,
          assignee_id = old.to_assignee,
          -- Lets the change before this one be undone, too.
          updated_at = old.to_updated_at
        from old where c.workspace_id = old.workspace_id and c.id = old.id
        returning c.workspace_id, c.id, old.status as was_status, old.is_unread as was_unread, c.status, c.is_unread
      ), corrections as (
        delete from label_corrections l
        using old
        where l.workspace_id = old.workspace_id and l.conversation_id = old.id and l.at = old.updated_at
      ), done as (
        delete from conversation_undos where workspace_id = ${workspaceId} and undo_id = ${undoId}
      ), counted as (${countConversations(sql`undone`)})
      select count(*)::int as undone from undone`)
    return { success: true as const, undone: one(rows).undone }
  })
}

/** Deletes records of changes that can no longer be undone. */
export async function purgeConversationUndos(db: Db): Promise<void> {
  await db.delete(conversationUndos).where(lt(conversationUndos.updatedAt, sql`now() - interval '1 hour'`))
}

/**
 * Changes the chosen conversations that are not yet in the new state. @param chosen subquery of ids
 * @param more further data to store for the undo @returns how many changed
 */
export async function change(
  tx: Db,
  actor: Actor,
  chosen: SQL,
  changes: Changes,
  undoId?: string,
  more: object | null = null,
): Promise<number> {
  const { workspaceId, userId } = actor
  const { status, label, assigneeId, isRead = status === 'done' || undefined, snoozedUntil } = changes
  const set = [
    status && sql`status = ${status}, snoozed_until = ${snoozedUntil ?? null}::timestamptz`,
    label &&
      sql`
        label = ${label}, confidence = null, labelled_by = ${userId},
        suggests_suppression = ${label === 'opted_out'}::boolean`,
    assigneeId !== undefined && sql`assignee_id = ${assigneeId}::uuid`,
    isRead !== undefined && sql`is_unread = ${!isRead}::boolean`,
  ].filter((part) => typeof part === 'object')
  if (set.length === 0) return 0
  if (label) {
    const leadIds = sql`select lead_id from conversations where workspace_id = ${workspaceId} and id in (${chosen})`
    await lockEnrollmentsOfLeads(tx, workspaceId, leadIds)
    await lockMessages(tx, leadIds)
    await endRelabelled(tx, workspaceId, leadIds, label)
  }
  await lockConversations(tx, workspaceId, chosen)
  const relabelled = label ? await labelReplies(tx, workspaceId, chosen, label) : []
  // Campaigns show counts of labels.
  if (label) await publishEvents(tx, workspaceId, 'campaign', [])
  const isDifferent = sql`(${sql.join(
    [
      status && sql`(c.status, c.snoozed_until) is distinct from (${status}, ${snoozedUntil ?? null}::timestamptz)`,
      label && sql`(c.label is distinct from ${label} or c.labelled_by is null)`,
      assigneeId !== undefined && sql`c.assignee_id is distinct from ${assigneeId}::uuid`,
      isRead !== undefined && sql`c.is_unread = ${isRead}::boolean`,
    ].filter((part) => typeof part === 'object'),
    sql` or `,
  )})`
  const { rows } = await tx.execute<{ changed: number }>(sql`
    with old as materialized (
      select c.*, to_jsonb(c) as before
      from conversations c
      where workspace_id = ${workspaceId} and id in (${chosen}) and ${isDifferent}
    ), changed as (
      update conversations c set ${sql.join(set, sql`, `)}, updated_at = now() from old
      where c.workspace_id = old.workspace_id and c.id = old.id
      returning c.workspace_id, c.id, old.status as was_status, old.is_unread as was_unread, c.status, c.is_unread,
        old.label as old_label, c.label, c.updated_at, old.before
    ), corrected as (
      insert into label_corrections (workspace_id, conversation_id, user_id, old_label, new_label, at)
      select workspace_id, id, ${userId}, old_label, label, updated_at
      from changed
      where ${label !== undefined}::boolean and label is distinct from old_label
    ), kept as (
      insert into conversation_undos as u (
        workspace_id, undo_id, conversation_id, before, reply_id, reply_label, updated_at
      )
      select changed.workspace_id, ${undoId ?? null}::uuid, changed.id, before || ${JSON.stringify(more ?? {})}::jsonb,
        r.id, r.label, updated_at
      from changed
      left join jsonb_to_recordset(${JSON.stringify(relabelled)}::jsonb) r(id uuid, label text, "conversationId" uuid)
        on r."conversationId" = changed.id
      where ${undoId !== undefined}::boolean
      on conflict (workspace_id, undo_id, conversation_id) do update set updated_at = excluded.updated_at
    ), counted as (${countConversations(sql`changed`)})
    select count(*)::int as changed from changed`)
  return one(rows).changed
}

/**
 * Gives a conversation the label of a second opinion on a reply, unless a person has labeled the
 * conversation, it is an opt-out, or a later reply exists. Never suppresses anyone or resumes
 * anything.
 */
export async function relabelReply(
  db: Db,
  {
    workspaceId,
    conversationId,
    replyId,
    label,
  }: Record<'workspaceId' | 'conversationId' | 'replyId', string> & {
    label: ReplyLabel
  },
): Promise<void> {
  await transact(db, async (tx) => {
    const its = sql`workspace_id = ${workspaceId} and id = ${conversationId}`
    const leadIds = sql`select lead_id from conversations where ${its}`
    await lockEnrollmentsOfLeads(tx, workspaceId, leadIds)
    await lockMessages(tx, leadIds)
    await lockConversations(tx, workspaceId, sql`${conversationId}::uuid`)
    const { rows } = await tx.execute<{ id: string }>(sql`
      update conversations c
      set label = ${label}, confidence = null, suggests_suppression = ${label === 'opted_out'}::boolean,
        updated_at = now()
      where ${its} and labelled_by is null and label is distinct from 'opted_out' and ${replyId}::uuid = (
        select r.id
        from replies r
        where r.lead_id = c.lead_id and r.account_x_user_id = c.account_x_user_id and r.kind = 'reply'
        order by r.at desc, r.id desc limit 1)
      returning c.id`)
    if (rows.length === 0) return
    await labelReplies(tx, workspaceId, sql`${conversationId}::uuid`, label)
    await publishEvents(tx, workspaceId, 'campaign', [])
    await publishEvents(tx, workspaceId, 'conversation', [conversationId])
  })
}

/** Locks the messages of leads, then the leads, in the same order as storing a reply does. */
export async function lockMessages(tx: Db, leadIds: SQL): Promise<void> {
  await lockRows(tx, 'dms', sql`lead_id in (${leadIds})`)
  await lockRows(tx, 'leads', sql`id in (${leadIds})`)
}

async function lockConversations(tx: Db, workspaceId: string, chosen: SQL): Promise<void> {
  await lockRows(tx, 'conversations', sql`workspace_id = ${workspaceId} and id in (${chosen})`)
}

/**
 * Labels the latest reply of each conversation. The caller has locked the messages. @returns the
 * replies with their former labels
 */
async function labelReplies(tx: Db, workspaceId: string, chosen: SQL, label: string) {
  const { rows } = await tx.execute<{
    id: string
    label: string | null
    conversationId: string
    dmId: string | null
  }>(sql`
    with latest as materialized (
      select c.id as conversation_id, r.id, r.label from conversations c cross join lateral (
        select r.id, r.label
        from replies r
        where r.lead_id = c.lead_id and r.account_x_user_id = c.account_x_user_id and r.kind = 'reply'
        order by r.at desc, r.id desc limit 1
      ) r where c.workspace_id = ${workspaceId} and c.id in (${chosen}) and r.label is distinct from ${label}
    ), replied as (
      -- Until now the reply counted as automatic, and so not as an answer.
      update leads l set replied_at = greatest(l.replied_at, r.at), updated_at = now()
      from latest join replies r on r.id = latest.id
      where latest.label = 'auto_reply' and r.dm_id is not null and l.id = r.lead_id
    )
    update replies set label = ${label} from latest where replies.id = latest.id
    returning replies.id, latest.label, latest.conversation_id as "conversationId", replies.dm_id as "dmId"`)
  await storeAnswers(
    tx,
    rows.flatMap(({ dmId }) => dmId ?? []),
  )
  return rows
}

/** Unassigns a member who becomes a viewer, and deletes their drafts: viewers have no inbox. */
export async function releaseMember(tx: Db, workspaceId: string, userId: string): Promise<void> {
  const assigned = sql`workspace_id = ${workspaceId} and assignee_id = ${userId}`
  await lockRows(tx, 'conversations', assigned)
  await tx.execute(sql`update conversations set assignee_id = null, updated_at = now() where ${assigned}`)
  await tx.execute(sql`delete from conversation_drafts where workspace_id = ${workspaceId} and user_id = ${userId}`)
}

/** Conversations per transaction. */
const BATCH = 1_000

/** Reopens the conversations whose snooze has ended, in all workspaces. */
export async function endSnoozes(db: Db): Promise<void> {
  let count: number
  do {
    const { rows } = await db.execute<{ count: number; workspaceIds: string[] }>(sql`
      with old as materialized (
        select workspace_id, id from conversations where status = 'snoozed' and snoozed_until <= now()
        order by snoozed_until limit ${BATCH} for no key update skip locked
      ), opened as (
        update conversations c
        set status = 'open', snoozed_until = null, sort_at = greatest(c.last_message_at, c.snoozed_until),
          updated_at = now()
        from old where c.workspace_id = old.workspace_id and c.id = old.id
        returning c.workspace_id, 'snoozed' as was_status, c.is_unread as was_unread, c.status, c.is_unread
      ), counted as (${countConversations(sql`opened`)})
      select count(*)::int as count, coalesce(array_agg(distinct workspace_id::text), '{}') as "workspaceIds"
      from opened`)
    const opened = one(rows)
    for (const workspaceId of opened.workspaceIds) await publishEvents(db, workspaceId, 'conversation', [])
    count = opened.count
  } while (count === BATCH)
}
