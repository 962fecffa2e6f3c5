import { setTimeout as sleep } from 'node:timers/promises'
import type { InputOf } from '@x-automated/contract/contract'
import { NO_ID } from '@x-automated/contract/fields'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { LIST_NAME_MAX } from '@x-automated/contract/leads/lists'
import { and, asc, desc, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { copyName } from '../../../copy-name.ts'
import { flatRules, withTagReplaced } from '../../../core/people/filter.ts'
import {
  addListEntries,
  copyListEntries,
  findStored,
  type Row,
  removeListEntries,
  requireManual,
} from '../../../core/people/list-entries.ts'
import {
  choosePart,
  mayUseTag,
  requireKnownInRules,
  requirePlanToStore,
  selectLeads,
  unknownIds,
} from '../../../core/people/selection.ts'
import { leads } from '../../../core/tables/leads.ts'
import { leadListItems } from '../../../core/tables/list-entries.ts'
import { allowLongStatements } from '../../../db/long-statements.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { newestFirst } from '../../../db/paging.ts'
import { transact } from '../../../db/transact.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import { count, list as listAllLeads } from '../leads/leads.ts'
import { leadLists } from './tables.ts'

/** One page of lists, newest first. @throws Refusal INVALID_INPUT for a malformed cursor */
export async function list(db: Db, actor: Actor, input: InputOf<'lists', 'list'>) {
  const page = newestFirst(input, leadLists.createdAt, leadLists.id)
  const own = eq(leadLists.workspaceId, actor.workspaceId)
  const [rows, total] = await Promise.all([
    db
      .select()
      .from(leadLists)
      .where(and(own, page.where))
      .orderBy(...page.order)
      .limit(page.limit)
      .offset(page.offset),
    db.$count(leadLists, own),
  ])
  const { shown: visible, paging } = page.cut(rows, ({ createdAt, id }) => ({ at: createdAt, id }))
  return { lists: await describe(db, visible, await countWithinDeadline(db, visible)), total, ...paging }
}

/** @throws Refusal LEAD_LIST_NOT_FOUND */
export async function find(db: Db, actor: Actor, id: string) {
  const row = await findStored(db, actor, id)
  return show(db, row, await countWithinDeadline(db, [row]))
}

/** Reads a list back in the transaction that created or changed it, with current counts. */
async function findChanged(tx: Db, actor: Actor, id: string) {
  const row = await findStored(tx, actor, id)
  return show(tx, row, isDue(row) ? new Map([[id, await countOne(tx, row)]]) : new Map())
}

async function show(db: Db, row: Row, counted: Map<string, Counts>) {
  return one(await describe(db, [row], counted))
}

/** Adds the sums of each list's campaigns, and fresh counts. */
async function describe(db: Db, rows: Row[], counted: Map<string, Counts>) {
  if (rows.length === 0) return []
  const ids = sql.param(rows.map(({ id }) => id))
  const { rows: sums } = await db.execute<{
    id: string
    campaignCount: number
    sentCount: number
    replyCount: number
  }>(sql`
    select lead_list_id as id, count(*)::int as "campaignCount", sum(dms_sent_count)::int as "sentCount",
      sum(dms_replied_count)::int as "replyCount"
    from campaigns where lead_list_id = any(${ids}::uuid[]) group by 1`)
  const byId = new Map(sums.map((sum) => [sum.id, sum]))
  return rows.map((row) => ({ ...row, ...NO_CAMPAIGNS, ...byId.get(row.id), ...counted.get(row.id) }))
}

const NO_CAMPAIGNS = { campaignCount: 0, sentCount: 0, replyCount: 0 }

type Counts = Pick<Row, 'leadCount' | 'contactedCount' | 'countedAt'>

/** How long a response waits for counts, in milliseconds; then it returns the stored ones. */
const COUNTING_MS = 1_000

/** Running counts by list and filter, so that concurrent reads share one. */
const counting = new Map<string, Promise<Counts | null>>()

/**
 * Counts stale smart lists one after the other, and returns the counts that are ready in time. A
 * list whose count fails keeps its stored count. The rest continue in the background, so `db` must
 * be a pool, not a transaction.
 */
async function countWithinDeadline(db: Db, rows: Row[]): Promise<Map<string, Counts>> {
  const counted = new Map<string, Counts>()
  const due = rows.filter(isDue)
  if (due.length === 0) return counted
  const work = (async () => {
    for (const row of due) {
      const what = `${row.id} ${JSON.stringify(row.filter)}`
      const began =
        counting.get(what) ??
        countOne(db, row)
          .catch(() => null)
          .finally(() => counting.delete(what))
      counting.set(what, began)
      const counts = await began
      if (counts) counted.set(row.id, counts)
    }
  })()
  await Promise.race([work, sleep(COUNTING_MS, undefined, { ref: false })])
  return new Map(counted)
}

function isDue(row: Row): boolean {
  return row.filter !== null && isStale(row, new Date())
}

/** Counts the leads of a smart list and stores the result. */
async function countOne(db: Db, row: Row): Promise<Counts> {
  const began = performance.now()
  const filter = row.filter ?? {}
  const [leadCount, contactedCount] = [await count(db, row, filter), await countContacted(db, row, filter)]
  const counts = { leadCount, contactedCount, countedAt: new Date() }
  await db
    .update(leadLists)
    .set({ ...counts, countMs: Math.round(performance.now() - began) })
    // Only if the filter has not changed in the meantime, and no other process has stored a count.
    .where(
      and(
        eq(leadLists.id, row.id),
        sql`${leadLists.countedAt} is not distinct from ${row.countedAt}`,
        sql`${leadLists.filter} is not distinct from ${JSON.stringify(row.filter)}::jsonb`,
      ),
    )
  return counts
}

/** Counts the leads of a smart list that its campaigns have messaged. */
async function countContacted(db: Db, row: Row, filter: LeadFilter): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(sql`
    select count(*)::int as n from (
      select distinct d.lead_id from campaigns c join dms d on d.campaign_id = c.id
      where c.lead_list_id = ${row.id} and c.dms_sent_count > 0 and d.sent_at is not null
    ) written where lead_id in (${selectLeads(row, { filter })})`)
  return one(rows).n
}

type NewList = InputOf<'lists', 'create'>

/** @throws Refusal PLAN_LIMIT, INVALID_INPUT (filter); LEAD_LIST_NOT_FOUND: another workspace has a list with this id */
export async function create(db: Db, actor: Actor, input: NewList) {
  if (input.id === NO_ID) throw invalidField('id', 'must not be the nil UUID')
  if (input.filter) {
    await requirePlanToStore(db, actor, input.filter)
    await checkFilter(db, actor, input.filter)
  }
  const rows = await insert(db, actor, input)
  // If a list of this workspace has the id already, this returns it unchanged.
  return findChanged(db, actor, input.id ?? one(rows).id)
}

const insert = (db: Db, actor: Actor, { description, ...row }: NewList) =>
  insertRow(db, actor, { ...row, description: description || null })

/** Inserts a list that was checked, or a sample. @returns none if a list, in any workspace, has the given id */
export async function insertRow(
  db: Db,
  { workspaceId, userId }: Actor,
  row: Omit<typeof leadLists.$inferInsert, 'workspaceId' | 'userId'>,
): Promise<{ id: string }[]> {
  const values = { ...row, workspaceId, userId }
  return db
    .insert(leadLists)
    .values(values)
    .onConflictDoNothing({ target: leadLists.id })
    .returning({ id: leadLists.id })
}

/** Deletes the sample lists, which the caller has locked. */
export async function removeSamples(tx: Db, { workspaceId }: Actor): Promise<void> {
  await tx.delete(leadLists).where(and(eq(leadLists.workspaceId, workspaceId), eq(leadLists.isSample, true)))
}

/**
 * Rejects smart lists within smart lists, and unknown ids: dropping such an id would make the filter
 * match more leads. @throws Refusal INVALID_INPUT
 */
async function checkFilter(db: Db, actor: Actor, filter: LeadFilter): Promise<void> {
  const unknown = await unknownIds(db, actor, filter)
  const isUnknown = (id: string | undefined) => unknown.has(id?.toLowerCase() ?? '')
  if (isUnknown(filter.scrapeId)) throw invalidField('filter.scrapeId', 'is not one of your scrapes')
  if (isUnknown(filter.tag)) throw invalidField('filter.tag', 'is not one of your tags')
  if (filter.tags?.some(isUnknown)) throw invalidField('filter.tags', 'must all be tags of this workspace')
  if (isUnknown(filter.listId)) throw invalidField('filter.listId', 'is not one of your lists')
  requireKnownInRules(filter, unknown)
  const inRules = flatRules(filter.rules).flatMap(({ field, value }) =>
    field === 'listId' && value ? [`${value}`] : [],
  )
  const named = [...inRules, ...(filter.listId ? [filter.listId] : [])]
  if (named.length === 0) return
  const smart = await db
    .select({ id: leadLists.id })
    .from(leadLists)
    .where(and(inArray(leadLists.id, named), eq(leadLists.workspaceId, actor.workspaceId), isNotNull(leadLists.filter)))
  if (smart.some(({ id }) => id === filter.listId)) throw invalidField('filter.listId', 'is a smart list itself')
  if (smart.length > 0) throw invalidField('filter.rules', 'must not name a smart list')
}

/** Copies a list with its leads or its filter. @throws Refusal LEAD_LIST_NOT_FOUND */
export async function duplicate(db: Db, actor: Actor, { id, name }: InputOf<'lists', 'duplicate'>) {
  return transact(db, async (tx) => {
    await allowLongStatements(tx)
    const original = await findStored(tx, actor, id)
    const values = {
      name: name ?? copyName(original.name, LIST_NAME_MAX),
      description: original.description,
      tags: original.tags,
      filter: original.filter ?? undefined,
    }
    const copy = one(await insert(tx, actor, values))
    await copyListEntries(tx, { from: id, to: copy.id })
    return findChanged(tx, actor, copy.id)
  })
}

/**
 * @throws Refusal LEAD_LIST_NOT_FOUND; LEAD_LIST_KIND (a filter for a manual list); PLAN_LIMIT;
 * INVALID_INPUT (filter)
 */
export async function update(
  db: Db,
  actor: Actor,
  { id, description, filter, ...changes }: InputOf<'lists', 'update'>,
) {
  return transact(db, async (tx) => {
    const before = await findStored(tx, actor, id, 'no key update')
    if (filter && !before.filter)
      throw new Refusal('LEAD_LIST_KIND', 'This is a manual list. Create a smart list to use a filter.')
    // After a downgrade, a list can still be changed while it keeps its filter.
    if (filter) await requirePlanToStore(tx, actor, filter, before.filter)
    if (filter) await checkFilter(tx, actor, filter)
    const edits = {
      ...changes,
      ...(description === undefined ? {} : { description: description || null }),
      ...(filter ? { filter, countedAt: null } : {}),
    }
    if (Object.values(edits).some((value) => value !== undefined))
      await tx.update(leadLists).set(edits).where(eq(leadLists.id, id))
    return findChanged(tx, actor, id)
  })
}

/** Replaces a tag by another in the filters of smart lists. @param names the id and name of the tag to replace */
export async function replaceTag(tx: Db, actor: Actor, names: readonly string[], into: string): Promise<void> {
  const using = await tx
    .select({ id: leadLists.id, filter: leadLists.filter })
    .from(leadLists)
    .where(and(eq(leadLists.workspaceId, actor.workspaceId), mayUseTag(leadLists.filter, names)))
    .orderBy(asc(leadLists.id))
    .for('no key update')
  for (const row of using) {
    const filter = withTagReplaced(row.filter ?? {}, names, into)
    if (filter) await tx.update(leadLists).set({ filter, countedAt: null }).where(eq(leadLists.id, row.id))
  }
}

/** Deletes a list that no active campaign uses; its leads stay. */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  await transact(db, async (tx) => {
    await allowLongStatements(tx)
    await findStored(tx, actor, id, 'update')
    const { rows: users } = await tx.execute(sql`
      select from campaigns where lead_list_id = ${id} and status = 'active' limit 1`)
    if (users.length > 0) throw new Refusal('LEAD_LIST_IN_USE')
    // Lock items before campaigns, as recording outcomes does. The cascade would lock in an arbitrary order.
    await tx.execute(sql`
      select count(*) from (select from lead_list_items where lead_list_id = ${id} order by lead_id for update) locked`)
    await tx.delete(leadLists).where(eq(leadLists.id, id))
  })
}

/**
 * One page of a list's leads. A manual list starts with the last added lead; a smart list, or a list
 * filtered by status or keyword, with the newest.
 */
export async function listLeads(db: Db, actor: Actor, { id, status, keyword, ...input }: InputOf<'lists', 'leads'>) {
  const row = await findStored(db, actor, id)
  if (row.filter || status || keyword) {
    const result = await listAllLeads(db, actor, { listId: id, status, keyword, ...input, sort: '-createdAt' })
    const written = await findWritten(
      db,
      id,
      result.leads.map((lead) => lead.id),
    )
    return {
      ...result,
      leads: result.leads.map((lead) => ({
        ...lead,
        contactStatus: written.has(lead.id) ? ('contacted' as const) : ('pending' as const),
        replied: written.get(lead.id) ?? false,
      })),
    }
  }
  const page = newestFirst(input, leadListItems.addedAt, leadListItems.leadId)
  // An index alone selects the page, and only the page's leads are read.
  const entries = db
    .select({ leadId: leadListItems.leadId, addedAt: leadListItems.addedAt })
    .from(leadListItems)
    .where(and(eq(leadListItems.leadListId, id), page.where))
    .orderBy(...page.order)
    .limit(page.limit)
    .offset(page.offset)
    .as('entries')
  const rows = await db
    .select({ lead: leads, addedAt: entries.addedAt, contactStatus: leadListItems.contactStatus })
    .from(entries)
    .innerJoin(leads, and(eq(leads.id, entries.leadId), eq(leads.workspaceId, actor.workspaceId)))
    .innerJoin(leadListItems, and(eq(leadListItems.leadListId, id), eq(leadListItems.leadId, entries.leadId)))
    .orderBy(desc(entries.addedAt), desc(entries.leadId))
  const { shown: visible, paging } = page.cut(rows, ({ addedAt, lead }) => ({ at: addedAt, id: lead.id }))
  const written = await findWritten(
    db,
    id,
    visible.map(({ lead }) => lead.id),
  )
  return {
    leads: visible.map(({ lead, contactStatus }) => ({
      ...lead,
      contactStatus,
      replied: written.get(lead.id) ?? false,
    })),
    total: row.leadCount,
    ...paging,
  }
}

/** The leads that a list's campaigns have messaged, and whether each replied. */
async function findWritten(db: Db, listId: string, leadIds: string[]): Promise<Map<string, boolean>> {
  if (leadIds.length === 0) return new Map()
  const { rows } = await db.execute<{ id: string; replied: boolean }>(sql`
    select d.lead_id as id, bool_or(d.status = 'replied') as replied from dms d join campaigns c on c.id = d.campaign_id
    where d.lead_id = any(${sql.param(leadIds)}::uuid[]) and c.lead_list_id = ${listId} and d.sent_at is not null
    group by 1`)
  return new Map(rows.map(({ id, replied }) => [id, replied]))
}

/** The given leads that are in the list. @throws Refusal LEAD_LIST_NOT_FOUND */
export async function members(db: Db, actor: Actor, { id, leadIds }: InputOf<'lists', 'members'>) {
  const { filter } = await findStored(db, actor, id)
  const within = filter
    ? sql`${leads.id} in (${selectLeads(actor, { filter })})`
    : sql`${leads.id} in (select lead_id from lead_list_items where lead_list_id = ${id})`
  const rows = await db
    .select({ id: leads.id })
    .from(leads)
    .where(and(eq(leads.workspaceId, actor.workspaceId), sql`${leads.id} = any(${sql.param(leadIds)}::uuid[])`, within))
  return { leadIds: rows.map((row) => row.id) }
}

/** Adds leads, ignoring those already in the list. Leads that the list's campaigns have messaged count as contacted. */
export async function addLeads(db: Db, actor: Actor, { id, ...selection }: InputOf<'lists', 'addLeads'>) {
  return change(db, actor, { id, ...selection }, addListEntries)
}

/** @throws Refusal LEAD_LIST_NOT_FOUND, LEAD_LIST_KIND */
export async function removeLeads(db: Db, actor: Actor, { id, ...selection }: InputOf<'lists', 'addLeads'>) {
  return change(db, actor, { id, ...selection }, removeListEntries)
}

/** Adds leads to a manual list, or removes them, in one transaction. */
async function change(
  db: Db,
  actor: Actor,
  { id, ...selection }: InputOf<'lists', 'addLeads'>,
  changeEntries: typeof addListEntries,
) {
  return transact(db, async (tx) => {
    await requireManual(tx, actor, id, 'no key update')
    const part = await choosePart(tx, actor, selection)
    const changed = await changeEntries(tx, actor, id, part.leads)
    return { success: true as const, changed: changed.length, cursor: part.cursor }
  })
}

/** A count that took at most this many milliseconds is repeated on every read. */
const CHEAP_MS = 50
/** A slower count stays valid for this many times its duration. */
const SHARE = 20

/** Whether a smart list must be counted again. @param countMs how long its last count took */
export function isStale({ countedAt, countMs }: { countedAt: Date | null; countMs: number }, now: Date): boolean {
  if (countedAt === null || countMs <= CHEAP_MS) return true
  return now.getTime() - countedAt.getTime() > SHARE * countMs
}
