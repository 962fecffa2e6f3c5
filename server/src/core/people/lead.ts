import type { InputOf } from '@x-automated/contract/contract'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { lockRows, transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import { deleteConversations, deleteCorrections } from '../conversations/of-leads.ts'
import { deleteOpeners } from '../openers/of-leads.ts'
import { leads } from '../tables/leads.ts'
import { deleteLinks } from './counts.ts'
import { deleteLeads } from './lead-counts.ts'
import { storePastContacts } from './past-contacts.ts'
import type { WorkspaceOf } from './selection.ts'

/**
 * Deletes a lead with its list entries, tags, conversations and openers, but not its messages.
 * @throws Refusal LEAD_NOT_FOUND
 */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  await transact(db, async (tx) => {
    const own = sql`${actor.workspaceId}::uuid`
    // Lock messages and lists before the lead, in the lock order (core/README.md).
    await lockRows(tx, 'dms', sql`lead_id = ${id} and workspace_id = ${own}`)
    await lockRows(
      tx,
      'lead_lists',
      sql`id in (select lead_list_id from lead_list_items where lead_id = ${id}) and workspace_id = ${own}`,
    )
    const [lead] = await tx
      .select({ id: leads.id })
      .from(leads)
      .where(and(eq(leads.id, id), eq(leads.workspaceId, actor.workspaceId)))
      .for('update')
    if (!lead) throw new Refusal('LEAD_NOT_FOUND')
    await storePastContacts(tx, actor.workspaceId, sql`select ${id}::uuid`)
    await deleteLinks(tx, sql`select ${id}::uuid`)
    await deleteCorrections(
      tx,
      sql`select workspace_id, id from conversations where workspace_id = ${actor.workspaceId} and lead_id = ${id}`,
    )
    await deleteConversations(tx, actor.workspaceId, sql`select ${id}::uuid`)
    await deleteOpeners(tx, actor.workspaceId, sql`select ${id}::uuid`)
    await deleteLeads(tx, sql`id = ${id}`)
  })
}

/** A lead's contact basis before a change, and when the new one was set. */
export type ChangedBasis = { id: string; basis: string; at: string | null; source: string | null; newAt: string | null }

/** Sets the contact basis of chosen leads. @param chosen subquery of ids */
export async function changeBasis(
  tx: Db,
  chosen: SQL,
  { basis, at, source }: Pick<InputOf<'leads', 'setBasis'>, 'basis' | 'at' | 'source'>,
): Promise<ChangedBasis[]> {
  const since = basis === 'none' ? sql`null` : at === undefined ? sql`now()` : sql`${at}::timestamptz`
  const how = basis === 'none' ? null : source || null
  // Sorted by id, the order in which leads are locked. Times are text, to keep their microseconds.
  const { rows } = await tx.execute<ChangedBasis>(sql`
    with chosen as materialized (
      select id, basis, basis_at, basis_source from leads where id in (${chosen}) order by id for no key update
    )
    update leads l set basis = ${basis}, basis_at = ${since}, basis_source = ${how}, updated_at = now()
    from chosen where l.id = chosen.id
    returning l.id, chosen.basis, chosen.basis_at::text as at, chosen.basis_source as source,
      l.basis_at::text as "newAt"`)
  return rows
}

/** Restores the former basis of leads, unless it has changed since. */
export async function restoreBasis(
  tx: Db,
  { workspaceId }: WorkspaceOf,
  basis: string,
  changed: readonly ChangedBasis[],
): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    with old as materialized (
      select l.id, x.basis, x.at, x.source from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb)
        as x(id uuid, basis text, at timestamptz, source text, "newAt" timestamptz)
        join leads l on l.id = x.id
          and l.workspace_id = ${workspaceId}
          and l.basis = ${basis}
          and l.basis_at is not distinct from x."newAt"
      order by l.id for no key update of l
    )
    update leads l set basis = old.basis, basis_at = old.at, basis_source = old.source, updated_at = now()
    from old where l.id = old.id`)
  return rowCount ?? 0
}
