import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { leadLists } from '../../domains/leads/lists/tables.ts'
import { Refusal } from '../../refusal.ts'
import { addEntries, countEntries, deleteEntries } from './counts.ts'
import type { WorkspaceOf } from './selection.ts'

/** A list as stored. */
export type Row = typeof leadLists.$inferSelect

/** SQL: adds the chosen leads to a list, except those already in it, as `added`. @param chosen subquery of ids */
const adding = (id: string, chosen: SQL) =>
  addEntries(sql`
    select ${id}::uuid, chosen.id, case when exists (
      select from dms d join campaigns c on c.id = d.campaign_id
      where d.lead_id = chosen.id and c.lead_list_id = ${id} and d.sent_at is not null
    ) then 'contacted' else 'pending' end, now()
    from (${chosen}) chosen order by chosen.id`)

/** Copies the leads of one list to another, which is empty. */
export async function copyListEntries(tx: Db, { from, to }: { from: string; to: string }): Promise<void> {
  const entries = sql`
    select ${to}::uuid, lead_id, 'pending', added_at from lead_list_items where lead_list_id = ${from} order by lead_id`
  await tx.execute(sql`${addEntries(entries)} select count(*) from added`)
}

/** Adds the leads of the import that this transaction saves to a list that it has created. */
export async function addStagedEntries(tx: Db, { workspaceId }: WorkspaceOf, id: string): Promise<void> {
  const entries = sql`
    select distinct ll.id, i.lead_id, 'pending', now()
    from incoming_leads i join lead_lists ll on ll.id = ${id} and ll.workspace_id = ${workspaceId}
    order by i.lead_id`
  await tx.execute(sql`${addEntries(entries)} select count(*) from added`)
}

/** A lead's entry in a list. Its time is text. */
export type ListEntry = { leadId: string; status: string; addedAt: string }

const LIST_ENTRY = sql`lead_id as "leadId", contact_status as status, added_at::text as "addedAt"`

/** Checks that a list is manual. @param lock to change its leads @throws Refusal LEAD_LIST_NOT_FOUND, LEAD_LIST_KIND */
export async function requireManual(db: Db, actor: WorkspaceOf, id: string, lock?: 'no key update'): Promise<void> {
  const { filter } = await findStored(db, actor, id, lock)
  if (filter) throw new Refusal('LEAD_LIST_KIND')
}

/** Adds the chosen leads to a list. @returns the new entries */
export async function addListEntries(tx: Db, actor: WorkspaceOf, id: string, chosen: SQL): Promise<ListEntry[]> {
  await requireManual(tx, actor, id, 'no key update')
  return (await tx.execute<ListEntry>(sql`${adding(id, chosen)} select ${LIST_ENTRY} from added`)).rows
}

/** Removes the chosen leads from a list. @returns the removed entries */
export async function removeListEntries(tx: Db, actor: WorkspaceOf, id: string, chosen: SQL): Promise<ListEntry[]> {
  await requireManual(tx, actor, id, 'no key update')
  const { rows } = await tx.execute<ListEntry>(
    sql`${deleteEntries(sql`lead_list_id = ${id} and lead_id in (${chosen})`)} select ${LIST_ENTRY} from deleted`,
  )
  return rows
}

/** SQL for a `from` clause: entries as a relation. */
const entriesOf = (entries: readonly ListEntry[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as x("leadId" uuid, status text, "addedAt" timestamptz)`

/** Locks a list for an undo. @returns whether it still exists */
async function lockList(tx: Db, { workspaceId }: WorkspaceOf, id: string): Promise<boolean> {
  const own = and(eq(leadLists.id, id), eq(leadLists.workspaceId, workspaceId))
  return (await tx.select({ id: leadLists.id }).from(leadLists).where(own).for('no key update')).length > 0
}

/** Reverses `addListEntries`, but keeps leads that were added again since. @returns the number of leads */
export async function undoAddListEntries(
  tx: Db,
  actor: WorkspaceOf,
  id: string,
  entries: readonly ListEntry[],
): Promise<number> {
  if (!(await lockList(tx, actor, id))) return 0
  const isSame = sql`lead_list_id = ${id} and (lead_id, added_at) in (
    select x."leadId", x."addedAt" from ${entriesOf(entries)})`
  const { rowCount } = await tx.execute(sql`${deleteEntries(isSame)} select from deleted`)
  return rowCount ?? 0
}

/** Reverses `removeListEntries`. @returns the number of leads */
export async function undoRemoveListEntries(
  tx: Db,
  actor: WorkspaceOf,
  id: string,
  entries: readonly ListEntry[],
): Promise<number> {
  if (!(await lockList(tx, actor, id))) return 0
  const restored = sql`
    select ${id}::uuid, l.id, x.status, x."addedAt"
    from ${entriesOf(entries)} join leads l on l.id = x."leadId" and l.workspace_id = ${actor.workspaceId}
    order by l.id`
  const { rowCount } = await tx.execute(sql`${addEntries(restored)} select from added`)
  return rowCount ?? 0
}

/** Marks leads of a list as contacted. */
export async function markContacted(tx: Db, id: string, leadIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    with changed as (
      update lead_list_items set contact_status = 'contacted'
      where lead_list_id = ${id} and lead_id = any(${sql.param([...leadIds])}::uuid[]) and contact_status <> 'contacted'
      returning lead_list_id, 0 as n, 1 as contacted
    )
    ${countEntries(sql`changed`)}`)
}

/**
 * Finds a list as stored, without updated counts. @param lock `update` to delete it, otherwise to
 * change its entries @throws Refusal LEAD_LIST_NOT_FOUND
 */
export async function findStored(
  db: Db,
  actor: WorkspaceOf,
  id: string,
  lock?: 'update' | 'no key update',
): Promise<Row> {
  const query = db
    .select()
    .from(leadLists)
    .where(and(eq(leadLists.id, id), eq(leadLists.workspaceId, actor.workspaceId)))
  const [row] = await (lock ? query.for(lock) : query)
  if (!row) throw new Refusal('LEAD_LIST_NOT_FOUND')
  return row
}
