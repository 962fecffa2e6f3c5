import type { InputOf } from '@x-automated/contract/contract'
import { and, eq, getTableColumns, lt, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { lockRows, transact } from '../../db/transact.ts'
import { isUndoable } from '../../domains/platform/jobs/tables.ts'
import type { JobQueue, Sending } from '../../ports.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import { hashToken } from '../../sealing.ts'
import { deleteConversations, deleteCorrections, restoreConversations } from '../conversations/of-leads.ts'
import { keepTexts } from '../messages/accounts.ts'
import { deleteOpeners, restoreOpeners } from '../openers/of-leads.ts'
import { campaigns } from '../tables/campaigns.ts'
import { leadBytes, leads } from '../tables/leads.ts'
import { dms, mayGoOut, wasTried } from '../tables/messages.ts'
import { leadRemovals } from '../tables/removals.ts'
import { addEntries, addFinds, addTaggings, deleteLinks } from './counts.ts'
import { countedLead, countLeads, deleteLeads } from './lead-counts.ts'
import { deletePastContacts, storePastContacts } from './past-contacts.ts'
import { choosePart, type WorkspaceOf } from './selection.ts'

const message = alias(dms, 'd')
const campaign = alias(campaigns, 'c')

/** How long a deletion can be undone. After that, its data is purged. */
const KEPT = sql`interval '1 hour'`

/**
 * Deletes leads with their list items, tags and conversations, but not their messages. Retries get
 * the first response. @throws Refusal INVALID_INPUT if `removalId` belongs to another deletion
 */
export async function removeMany(
  db: Db,
  actor: Actor,
  { removalId, ...selection }: InputOf<'leads', 'removeMany'>,
  most?: number,
) {
  const selectionHash = hashToken(JSON.stringify(selection))
  return transact(db, async (tx) => {
    if (removalId) {
      await lockRemoval(tx, actor, removalId)
      const [first] = await tx.select().from(leadRemovals).where(ofWorkspace(actor, removalId))
      if (first?.selectionHash === selectionHash) return answerOf(first)
    }
    await keepTexts(tx, actor.workspaceId)
    const { leads: chosen, cursor } = await choosePart(tx, actor, selection, most)
    const removal = await removeChosen(tx, actor, chosen, { id: removalId, selectionHash, cursor })
    if (!removal) throw invalidField('removalId', 'belongs to another deletion')
    return removal.leadCount === 0 ? { success: true as const, removed: 0, removalId: null, cursor } : answerOf(removal)
  })
}

/** Deletes the chosen leads as a part of a job. They can be restored while the job can be undone. */
export async function removeForJob(tx: Db, actor: WorkspaceOf, chosen: SQL, jobId: string) {
  await keepTexts(tx, actor.workspaceId)
  const removal = await removeChosen(tx, actor, chosen, { jobId })
  if (!removal) throw new Error('a new id was taken')
  return removal
}

interface Context {
  db: Db
  jobs: JobQueue
  sending: Pick<Sending, 'requeueRestored'>
}

/** Restores what one part of a job deleted. @returns the number of leads */
export async function restoreForJob(context: Context, actor: WorkspaceOf, id: string): Promise<number> {
  const { db: tx } = context
  await keepTexts(tx, actor.workspaceId)
  const [removal] = await tx
    .select({ id: leadRemovals.id })
    .from(leadRemovals)
    .where(and(eq(leadRemovals.id, id), eq(leadRemovals.workspaceId, actor.workspaceId)))
    .for('update')
  return removal ? restoreRemoval(context, actor, removal) : 0
}

type NewRemoval = Pick<typeof leadRemovals.$inferInsert, 'id' | 'selectionHash' | 'cursor' | 'jobId'>

/** Deletes the chosen leads. The caller has called `keepTexts`. @returns null if the removal id is taken */
export async function removeChosen(
  tx: Db,
  { workspaceId }: WorkspaceOf,
  chosen: SQL,
  values: NewRemoval,
): Promise<typeof leadRemovals.$inferSelect | null> {
  // Lock messages and lists before leads (core/README.md).
  await lockRows(tx, 'dms', sql`lead_id in (${chosen})`)
  await lockRows(tx, 'lead_lists', sql`id in (select lead_list_id from lead_list_items where lead_id in (${chosen}))`)
  await lockRows(tx, 'leads', sql`id in (${chosen})`, 'update')
  const [removal] = await tx
    .insert(leadRemovals)
    .values({
      ...values,
      workspaceId,
      leadCount: sql`(select count(*) from leads where id in (${chosen}))`,
    })
    .onConflictDoNothing()
    .returning()
  if (!removal) return null
  if (removal.leadCount === 0) {
    await tx.delete(leadRemovals).where(eq(leadRemovals.id, removal.id))
    return removal
  }
  await tx.execute(sql`
    insert into removed_leads (
      removal_id, lead_id, lead, dm_ids, places, tags, finds, replies, reads, conversations, notes
    )
    select ${removal.id}::uuid, l.id, to_jsonb(l) - 'bio_words', array(select id from dms where lead_id = l.id),
      ${rowsOf('lead_list_items')}, ${rowsOf('lead_tags')}, ${rowsOf('scrape_leads')},
      ${rowsOf('replies')}, ${rowsOf('lead_reads')},
      ${rowsOf('conversations', workspaceId, DRAFTS)}, ${rowsOf('conversation_notes', workspaceId)}
    from leads l where l.id in (${chosen})`)
  await storePastContacts(tx, workspaceId, chosen)
  await deleteLinks(tx, chosen)
  await deleteConversations(tx, workspaceId, chosen)
  await deleteOpeners(tx, workspaceId, chosen, removal.id)
  await tx.execute(sql`update dms set lead_id = null where lead_id in (${chosen})`)
  await deleteLeads(tx, sql`id in (${chosen})`)
  return removal
}

const listOf = (columns: SQLWrapper[]) => sql.join(columns, sql`, `)
/** SQL: the names of the columns of leads that PostgreSQL does not generate. */
const leadColumns = listOf(Object.values(getTableColumns(leads)).map(({ name }) => sql.identifier(name)))
/** SQL: the same columns of a `restored` lead. */
const restoredColumns = listOf(Object.values(getTableColumns(alias(leads, 'restored'))))

function answerOf({ id, leadCount, cursor }: typeof leadRemovals.$inferSelect) {
  return { success: true as const, removed: leadCount, removalId: id, cursor }
}

/** Serializes deletions and restores of this id until the transaction ends. */
async function lockRemoval(tx: Db, { workspaceId }: Actor, id: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('removal ' || ${workspaceId} || ${id}, 0))`)
}

function ofWorkspace({ workspaceId }: Actor, id: string) {
  return and(
    eq(leadRemovals.id, id),
    eq(leadRemovals.workspaceId, workspaceId),
    sql`${leadRemovals.createdAt} > now() - ${KEPT}`,
  )
}

/** Finds a deletion that can still be undone. Waits until it is complete. @throws Refusal REMOVAL_NOT_FOUND */
export async function find(db: Db, actor: Actor, id: string) {
  return db.transaction(async (tx) => {
    await lockRemoval(tx, actor, id)
    const [removal] = await tx
      .select({ id: leadRemovals.id, removed: leadRemovals.leadCount, createdAt: leadRemovals.createdAt })
      .from(leadRemovals)
      .where(ofWorkspace(actor, id))
    if (!removal) throw new Refusal('REMOVAL_NOT_FOUND')
    return removal
  })
}

/** SQL over a conversation `part`: an object with its drafts. */
const DRAFTS = sql`jsonb_build_object('drafts', coalesce((
  select jsonb_agg(to_jsonb(d))
  from conversation_drafts d
  where d.workspace_id = part.workspace_id and d.conversation_id = part.id), '[]'))`

/**
 * SQL: the rows of a table for a lead `l`, as JSON. @param workspaceId set if the table's key
 * starts with it @param more SQL over a row `part`: an object to merge into it
 */
function rowsOf(table: string, workspaceId?: string, more = sql`'{}'::jsonb`): SQL {
  const own = workspaceId ? sql`part.workspace_id = ${workspaceId} and` : sql``
  return sql`
    coalesce(
      (
        select jsonb_agg(to_jsonb(part) || ${more})
        from ${sql.identifier(table)} part
        where ${own} part.lead_id = l.id
      ), '[]'
    )`
}

/**
 * Restores deleted leads and links them to the lists, tags and messages that still exist. Leads
 * that were added again stay unchanged. @throws Refusal REMOVAL_NOT_FOUND
 */
export async function restore({ db, jobs, sending }: Context, actor: Actor, removalId: string) {
  return transact(db, async (tx) => {
    await lockRemoval(tx, actor, removalId)
    await keepTexts(tx, actor.workspaceId)
    const [removal] = await tx
      .select({ id: leadRemovals.id })
      .from(leadRemovals)
      .where(ofWorkspace(actor, removalId))
      .for('update')
    if (!removal) throw new Refusal('REMOVAL_NOT_FOUND')
    return { success: true as const, restored: await restoreRemoval({ db: tx, jobs, sending }, actor, removal) }
  })
}

/** Restores a deletion. The caller has found it and called `keepTexts`. @returns the number of leads */
async function restoreRemoval(
  { db: tx, jobs, sending }: Context,
  actor: WorkspaceOf,
  removal: { id: string },
): Promise<number> {
  const removed = sql`removed_leads r where r.removal_id = ${removal.id}`
  await lockRows(
    tx,
    'enrollments',
    sql`workspace_id = ${actor.workspaceId} and lead_id in (select r.lead_id from ${removed})`,
  )
  await lockRows(tx, 'dms', sql`id in (select unnest(r.dm_ids) from ${removed})`)
  await lockRows(
    tx,
    'lead_lists',
    sql`
      id in (
        select (place ->> 'lead_list_id')::uuid
        from removed_leads r, jsonb_array_elements(r.places) place
        where r.removal_id = ${removal.id}
      )`,
  )
  // A concurrent archive either finishes first or sees the restored leads.
  await lockRows(
    tx,
    'campaigns',
    sql`id in (
      select campaign_id
      from dms
      where id in (select unnest(r.dm_ids) from ${removed})
        and (status = 'queued' or reason ->> 'code' = 'lead_missing')
      union all
      select campaign_id
      from enrollments
      where workspace_id = ${actor.workspaceId} and next_at <= now() and lead_id in (select r.lead_id from ${removed}))`,
  )
  // A message that was queued when its lead was deleted is still queued, has failed without its
  // lead, or belongs to an archived campaign.
  const { rowCount } = await tx.execute(sql`
    with added as (
      insert into leads (${leadColumns})
      select ${restoredColumns}
      from removed_leads r, jsonb_populate_record(null::leads, r.lead || jsonb_build_object(
        'user_id', (select u.id from auth_users u where u.id = (r.lead ->> 'user_id')::uuid),
        -- Deletions stored before this column existed do not have it.
        'is_sample', coalesce(r.lead -> 'is_sample', 'false'),
        'former_handles', coalesce(r.lead -> 'former_handles', '[]'),
        'dm_status', case
          when r.lead ->> 'dm_status' <> 'queued' or exists (
            select
            from dms d
            join campaigns c on c.id = d.campaign_id
            where d.id = any(r.dm_ids) and d.status = 'queued' and ${mayGoOut(message, campaign)}) then r.lead ->> 'dm_status'
          when r.lead ->> 'contacted_before_at' is not null
            or exists (select from dms d where d.id = any(r.dm_ids) and d.sent_at is not null) then 'contacted'
          when exists (
            select from dms d where d.id = any(r.dm_ids) and d.status = 'failed' and ${wasTried(message)}
          ) then 'failed_contact'
          else 'not_sent' end
      )) restored
      where r.removal_id = ${removal.id}
      order by r.lead_id
      on conflict do nothing
      returning ${countedLead()}
    ), ${countLeads({ after: 'added' })}
    select from added`)
  const back = sql`removed_leads r join leads l on l.id = r.lead_id and l.workspace_id = ${actor.workspaceId}`
  const entries = sql`
    select ll.id, l.id, place ->> 'contact_status', (place ->> 'added_at')::timestamptz
    from ${back}, jsonb_array_elements(r.places) place join lead_lists ll on ll.id = (place ->> 'lead_list_id')::uuid
    where r.removal_id = ${removal.id} order by 1, 2`
  await tx.execute(sql`${addEntries(entries)} select count(*) from added`)
  const taggings = sql`
    select t.id, l.id, (kept ->> 'added_at')::timestamptz
    from ${back}, jsonb_array_elements(r.tags) kept join tags t on t.id = (kept ->> 'tag_id')::uuid
    where r.removal_id = ${removal.id} order by 1, 2`
  await tx.execute(sql`${addTaggings(taggings)} select count(*) from added`)
  await tx.execute(
    addFinds(sql`
      select s.id, l.id, (kept ->> 'found_at')::timestamptz
      from ${back}, jsonb_array_elements(r.finds) kept join scrapes s on s.id = (kept ->> 'scrape_id')::uuid
      where r.removal_id = ${removal.id} order by 1, 2`),
  )
  await tx.execute(sql`
    insert into lead_reads (lead_id, account_x_user_id, read_at)
    select l.id, kept ->> 'account_x_user_id', (kept ->> 'read_at')::timestamptz
    from ${back}, jsonb_array_elements(r.reads) kept
    where r.removal_id = ${removal.id} order by 1, 2 on conflict do nothing`)
  await tx.execute(sql`
    update dms d set lead_id = l.id from ${back}
    where r.removal_id = ${removal.id} and d.id = any(r.dm_ids) and d.lead_id is null`)
  // Requeue now, because this locks X accounts, which come before conversations in the lock order.
  await sending.requeueRestored(
    { db: tx, jobs },
    actor.workspaceId,
    sql`select l.id from ${back} where r.removal_id = ${removal.id}`,
  )
  await tx.execute(sql`
    insert into replies
    select reply.* from ${back}, jsonb_array_elements(r.replies) kept,
      jsonb_populate_record(
        null::replies,
        kept || jsonb_build_object('dm_id', (select d.id from dms d where d.id = (kept ->> 'dm_id')::uuid))
      ) reply
    where r.removal_id = ${removal.id} on conflict do nothing`)
  await restoreConversations(
    tx,
    sql`select conversation.* from ${back}, jsonb_array_elements(r.conversations) kept,
          jsonb_populate_record(null::conversations, kept || jsonb_build_object('assignee_id', (
            select m.user_id
            from workspace_members m
            where m.workspace_id = l.workspace_id
              and m.user_id = (kept ->> 'assignee_id')::uuid
              and m.role <> 'viewer'))) conversation
        where r.removal_id = ${removal.id}`,
  )
  await tx.execute(sql`
    insert into conversation_drafts
    select draft.*
    from ${back}, jsonb_array_elements(r.conversations) kept,
      jsonb_populate_recordset(null::conversation_drafts, kept -> 'drafts') draft
      join workspace_members m on m.workspace_id = draft.workspace_id
        and m.user_id = draft.user_id
        and m.role <> 'viewer'
    where r.removal_id = ${removal.id} and exists (
      select from conversations c where c.workspace_id = draft.workspace_id and c.id = draft.conversation_id)
    on conflict do nothing`)
  await tx.execute(sql`
    insert into conversation_notes
    select note.* from ${back}, jsonb_populate_recordset(null::conversation_notes, r.notes) note
    where r.removal_id = ${removal.id} on conflict do nothing`)
  await deletePastContacts(tx, actor.workspaceId, sql`select r.lead_id from ${removed}`)
  await restoreOpeners(
    tx,
    sql`select opener.* from ${back}, jsonb_populate_recordset(null::openers, r.openers) opener
        where r.removal_id = ${removal.id} and opener.campaign_id in (
          select id from campaigns where workspace_id = ${actor.workspaceId} and kind = 'campaign')`,
  )
  // Forces a recount of the bytes: they may have been counted since the deletion.
  await tx.delete(leadBytes).where(eq(leadBytes.workspaceId, actor.workspaceId))
  await tx.delete(leadRemovals).where(eq(leadRemovals.id, removal.id))
  return rowCount ?? 0
}

/** Purges deletions that can no longer be undone. */
export async function purgeRemovals(db: Db): Promise<void> {
  const isOver = and(
    lt(leadRemovals.createdAt, sql`now() - ${KEPT}`),
    sql`not ${isUndoable(sql`${leadRemovals.workspaceId}`, sql`${leadRemovals.jobId}`)}`,
  )
  await db.transaction(async (tx) => {
    await deleteCorrections(
      tx,
      sql`select lead_removals.workspace_id, (kept ->> 'id')::uuid as id
        from lead_removals
        join removed_leads r on r.removal_id = lead_removals.id, jsonb_array_elements(r.conversations) kept
        where ${isOver}`,
    )
    await tx.delete(leadRemovals).where(isOver)
  })
}
