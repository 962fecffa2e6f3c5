import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/open.ts'
import { lockRows } from '../../db/transact.ts'
import { conversations } from '../tables/conversations.ts'

// When a lead is merged, deleted or restored, so are its conversations.

/**
 * SQL statement that applies changes of conversations to the counts of their workspaces. Counts
 * come last in the lock order. @param changes a relation with workspace_id, was_status, was_unread,
 * status and is_unread; nulls: the row did not exist before, or does not exist now
 */
export function countConversations(changes: SQL): SQL {
  const change = (was: SQL, is: SQL) => sql`(count(*) filter (where ${is}) - count(*) filter (where ${was}))::int`
  return sql`
    insert into conversation_counts as counts (workspace_id, open, unread, snoozed)
    select * from (
      select workspace_id, ${change(sql`was_status = 'open'`, sql`status = 'open'`)} as open,
        ${change(sql`was_unread and was_status = 'open'`, sql`is_unread and status = 'open'`)} as unread,
        ${change(sql`was_status = 'snoozed'`, sql`status = 'snoozed'`)} as snoozed
      from ${changes} group by workspace_id order by workspace_id
    ) total where (open, unread, snoozed) <> (0, 0, 0)
    on conflict (workspace_id) do update set open = counts.open + excluded.open,
      unread = counts.unread + excluded.unread,
      snoozed = counts.snoozed + excluded.snoozed`
}

/** Deletes the conversations of leads. The caller has locked the leads. @param chosen subquery of lead ids */
export async function deleteConversations(tx: Db, workspaceId: string, chosen: SQL): Promise<void> {
  await tx.execute(sql`
    with gone as (
      delete from conversations where workspace_id = ${workspaceId} and lead_id in (${chosen})
      returning workspace_id, id, status as was_status, is_unread as was_unread, null::text as status,
        null::boolean as is_unread
    ), drafts as (
      delete from conversation_drafts d
      using gone
      where d.workspace_id = gone.workspace_id and d.conversation_id = gone.id
    ), unnamed as (
      update notifications n set facts = n.facts - array['leadName', 'conversationId'] from gone
      where n.kind = 'lead_replied'
        and n.workspace_id = gone.workspace_id
        and n.facts ->> 'conversationId' = gone.id::text
    )
    ${countConversations(sql`gone`)}`)
}

/** Deletes corrections of labels. @param deleted subquery: workspace_id and id of permanently deleted conversations */
export async function deleteCorrections(tx: Db, deleted: SQL): Promise<void> {
  await tx.execute(sql`
    delete from label_corrections l
    using (${deleted}) c
    where l.workspace_id = c.workspace_id and l.conversation_id = c.id`)
}

/** Restores conversations. @param rows subquery of their former rows; the leads exist again */
export async function restoreConversations(tx: Db, rows: SQL): Promise<void> {
  await tx.execute(sql`
    with back as (
      insert into conversations ${rows} on conflict do nothing
      returning workspace_id, null::text as was_status, null::boolean as was_unread, status, is_unread
    )
    ${countConversations(sql`back`)}`)
}

/**
 * Moves conversations to the lead that is kept. If both leads have a conversation with the same
 * account, the later one's state wins, unless the other is open, unread or opted out. @param pairs
 * a relation pair(kept, gone)
 */
export async function mergeConversations(tx: Db, workspaceId: string, pairs: SQL): Promise<void> {
  // Lock the conversations first, so that no note is added in the meantime.
  await lockRows(
    tx,
    'conversations',
    sql`workspace_id = ${workspaceId} and lead_id in (select unnest(array[pair.kept, pair.gone]) from ${pairs})`,
  )
  await tx.execute(sql`
    update conversation_notes n set lead_id = pair.kept, conversation_id = coalesce((
      select c.id from conversations gone join conversations c
        on c.workspace_id = gone.workspace_id and c.account_x_user_id = gone.account_x_user_id and c.lead_id = pair.kept
      where gone.workspace_id = n.workspace_id and gone.id = n.conversation_id
    ), n.conversation_id)
    from ${pairs} where n.workspace_id = ${workspaceId} and n.lead_id = pair.gone`)
  const both = sql`
    select c.id as kept_id, gone.*, gone.last_message_at > c.last_message_at as is_later
    from ${pairs} join conversations gone on gone.workspace_id = ${workspaceId} and gone.lead_id = pair.gone
      join conversations c on c.workspace_id = gone.workspace_id
        and c.lead_id = pair.kept
        and c.account_x_user_id = gone.account_x_user_id`
  const [gone, kept] = [alias(conversations, 'b'), alias(conversations, 'c')]
  type Column = keyof typeof conversations.$inferSelect
  const later = (key: Column) => sql`case when b.is_later then ${gone[key]} else ${kept[key]} end`
  // Labels merge by the same rules as in `addReplies`: an opt-out stays, and only a person changes
  // a person's label.
  const takesLabel = sql`(c.label is null or (c.label <> 'opted_out' and (b.label = 'opted_out'
    or (b.labelled_by is not null and (c.labelled_by is null or b.is_later))
    or (c.labelled_by is null and b.is_later and b.label <> 'auto_reply'))))`
  const label = (key: Column) => sql`case when ${takesLabel} then ${gone[key]} else ${kept[key]} end`
  await tx.execute(sql`
    with both_rows as materialized (${both} order by c.id for no key update of c, gone), merged as (
      update conversations c set
        status = case when 'open' in (b.status, c.status) then 'open' else ${later('status')} end,
        snoozed_until = case when 'open' in (b.status, c.status) then null else ${later('snoozedUntil')} end,
        sort_at = greatest(c.sort_at, b.sort_at), is_unread = c.is_unread or b.is_unread,
        last_message_id = ${later('lastMessageId')}, last_message_at = ${later('lastMessageAt')},
        is_last_ours = ${later('isLastOurs')},
        campaign_id = case
          when b.is_later then coalesce(b.campaign_id, c.campaign_id)
          else coalesce(c.campaign_id, b.campaign_id) end,
        label = ${label('label')}, confidence = ${label('confidence')}, labelled_by = ${label('labelledBy')},
        suggests_suppression = ${label('suggestsSuppression')}, is_encrypted = c.is_encrypted or b.is_encrypted,
        assignee_id = coalesce(c.assignee_id, b.assignee_id), updated_at = now()
      from both_rows b join conversations old on old.workspace_id = b.workspace_id and old.id = b.kept_id
      where c.workspace_id = old.workspace_id and c.id = old.id
      returning c.workspace_id, old.status as was_status, old.is_unread as was_unread, c.status, c.is_unread
    ), gone as (
      delete from conversations c using both_rows b where c.workspace_id = b.workspace_id and c.id = b.id
      returning c.workspace_id, c.status as was_status, c.is_unread as was_unread, null::text as status,
        null::boolean as is_unread
    ), corrections as (
      update label_corrections l
      set conversation_id = b.kept_id
      from both_rows b
      where l.workspace_id = b.workspace_id and l.conversation_id = b.id
    ), drafts as (
      delete from conversation_drafts d
      using both_rows b
      where d.workspace_id = b.workspace_id and d.conversation_id = b.id
      returning d.*, b.kept_id
    ), kept_drafts as (
      insert into conversation_drafts (workspace_id, conversation_id, user_id, text, updated_at)
      select workspace_id, kept_id, user_id, text, updated_at from drafts on conflict do nothing
    )
    ${countConversations(sql`(select * from merged union all select * from gone) changed`)}`)
  await tx.execute(sql`
    update conversations c
    set lead_id = pair.kept, updated_at = now()
    from ${pairs}
    where c.workspace_id = ${workspaceId} and c.lead_id = pair.gone`)
}
