import type { LeadSelection } from '@x-automated/contract/leads'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { Refusal } from '../../refusal.ts'
import { campaigns } from '../campaigns/tables.ts'
import { selectLeads } from '../leads/service.ts'
import { leads } from '../leads/tables.ts'
import { leadListItems, leadLists } from './tables.ts'

interface Paging {
  page: number
  pageSize: number
}

export async function list(db: Db, actor: Actor, { page, pageSize }: Paging) {
  const own = eq(leadLists.workspaceId, actor.workspaceId)
  const [rows, total] = await Promise.all([
    db
      .select()
      .from(leadLists)
      .where(own)
      .orderBy(desc(leadLists.createdAt), desc(leadLists.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
    db.$count(leadLists, own),
  ])
  return { lists: rows, total, page, pageSize }
}

export async function create(db: Db, actor: Actor, input: { name: string; description?: string | null }) {
  const [row] = await db
    .insert(leadLists)
    .values({ ...input, description: input.description || null, workspaceId: actor.workspaceId, userId: actor.userId })
    .returning()
  if (!row) throw new Error('no list was made')
  return row
}

/** @throws Refusal LEAD_LIST_NOT_FOUND */
export async function update(
  db: Db,
  actor: Actor,
  { id, name, description }: { id: string; name?: string; description?: string | null },
) {
  if (name === undefined && description === undefined) return find(db, actor, id)
  const [row] = await db
    .update(leadLists)
    .set({ name, description: description === undefined ? undefined : description || null })
    .where(and(eq(leadLists.id, id), eq(leadLists.workspaceId, actor.workspaceId)))
    .returning()
  if (!row) throw new Refusal('LEAD_LIST_NOT_FOUND')
  return row
}

/**
 * Deletes a list and its memberships; the leads stay.
 * @throws Refusal LEAD_LIST_NOT_FOUND, LEAD_LIST_IN_USE (an active campaign uses it)
 */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  await transact(db, async (tx) => {
    await find(tx, actor, id, 'update')
    const [user] = await tx
      .select({ id: campaigns.id })
      .from(campaigns)
      .where(and(eq(campaigns.leadListId, id), eq(campaigns.status, 'active')))
      .limit(1)
    if (user) throw new Refusal('LEAD_LIST_IN_USE')
    // Places before campaigns, as whoever records an outcome does; deleting the list would take them as they come.
    await tx.execute(sql`
      select count(*) from (select from lead_list_items where lead_list_id = ${id} order by lead_id for update) locked`)
    await tx.delete(leadLists).where(eq(leadLists.id, id))
  })
}

/** Leads of a list, last added first. @throws Refusal LEAD_LIST_NOT_FOUND */
export async function listLeads(db: Db, actor: Actor, { id, page, pageSize }: Paging & { id: string }) {
  const { leadCount } = await find(db, actor, id)
  const rows = await db
    .select({ lead: leads })
    .from(leadListItems)
    .innerJoin(leads, eq(leads.id, leadListItems.leadId))
    .where(eq(leadListItems.leadListId, id))
    .orderBy(desc(leadListItems.addedAt), desc(leadListItems.leadId))
    .limit(pageSize)
    .offset((page - 1) * pageSize)
  return { leads: rows.map((row) => row.lead), total: leadCount, page, pageSize }
}

/** Adds leads; those that are in the list already stay as they are. @throws Refusal LEAD_LIST_NOT_FOUND */
export async function addLeads(db: Db, actor: Actor, { id, ...selection }: LeadSelection & { id: string }) {
  return transact(db, async (tx) => {
    await find(tx, actor, id, 'no key update')
    const { rowCount } = await tx.execute(sql`
      insert into lead_list_items (lead_list_id, lead_id)
      select ${id}::uuid, chosen.id from (${selectLeads(tx, actor, selection)}) chosen order by chosen.id
      on conflict do nothing`)
    return { success: true as const, changed: rowCount ?? 0 }
  })
}

/** @throws Refusal LEAD_LIST_NOT_FOUND */
export async function removeLeads(db: Db, actor: Actor, { id, ...selection }: LeadSelection & { id: string }) {
  return transact(db, async (tx) => {
    await find(tx, actor, id, 'no key update')
    const { rowCount } = await tx.execute(sql`
      with chosen as (
        select lead_id from lead_list_items where lead_list_id = ${id} and lead_id in (${selectLeads(tx, actor, selection)})
        order by lead_id for update
      )
      delete from lead_list_items using chosen
      where lead_list_items.lead_list_id = ${id} and lead_list_items.lead_id = chosen.lead_id`)
    return { success: true as const, changed: rowCount ?? 0 }
  })
}

/** @param lock held until the transaction ends: `update` to delete it, `no key update` to change what is in it, which changes its count in the end */
async function find(db: Db, actor: Actor, id: string, lock?: 'update' | 'no key update') {
  const query = db
    .select()
    .from(leadLists)
    .where(and(eq(leadLists.id, id), eq(leadLists.workspaceId, actor.workspaceId)))
  const [row] = await (lock ? query.for(lock) : query)
  if (!row) throw new Refusal('LEAD_LIST_NOT_FOUND')
  return row
}
