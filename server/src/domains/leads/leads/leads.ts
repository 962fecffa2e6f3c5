import type { InputOf } from '@x-automated/contract/contract'
import { BAD_CURSOR } from '@x-automated/contract/fields'
import type { LeadSort, LeadStanding } from '@x-automated/contract/leads/leads'
import { and, asc, desc, eq, getTableColumns, ne, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { type ResolvedFilter, readCursor, writeCursor } from '../../../core/people/filter.ts'
import { changeBasis } from '../../../core/people/lead.ts'
import {
  choosePart,
  countedLeads,
  isTag,
  matching,
  resolveFilter,
  type WorkspaceOf,
} from '../../../core/people/selection.ts'
import { leads, ofStanding } from '../../../core/tables/leads.ts'
import { isSuppressed } from '../../../core/tables/suppressions.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import { leadLists } from '../lists/tables.ts'
import { scrapeCounts, scrapes } from '../scrapes/tables.ts'
import { tags } from '../tags/tables.ts'
import { isStandingOrder, positionOf, readPage, readPlainPage, readStandingPage } from './pages.ts'

export type LeadRow = typeof leads.$inferSelect

/** How many leads are read to count their custom fields. */
const FIELDS_READ = 10_000
const FIELDS_MAX = 50

/** The most frequent custom fields of the newest leads, with the number of these leads that have each. */
export async function fields(db: Db, { workspaceId }: Actor) {
  const { rows } = await db.execute<{ name: string; leads: number }>(sql`
    select field.name, count(*)::int as leads from (
      select ${leads.metadata} from ${leads} where ${leads.workspaceId} = ${workspaceId}
      order by ${leads.createdAt} desc, ${leads.id} desc limit ${FIELDS_READ}
    ) newest, jsonb_object_keys(newest.metadata) field (name)
    group by field.name order by leads desc, field.name limit ${FIELDS_MAX}`)
  return { fields: rows }
}

type ListInput = InputOf<'leads', 'list'>
type LeadsPage = Awaited<ReturnType<typeof readList>>

/** One page of leads, with the exact total unless the caller does not want it. */
export function list(
  db: Db,
  actor: Actor,
  input: ListInput & { total?: undefined },
): Promise<LeadsPage & { total: number }>
export function list(db: Db, actor: Actor, input: ListInput): Promise<LeadsPage>
export function list(db: Db, actor: Actor, input: ListInput): Promise<LeadsPage> {
  return readList(db, actor, input)
}

async function readList(db: Db, actor: Actor, { page, pageSize, sort, cursor, total: wanted, ...criteria }: ListInput) {
  const filter = await resolveFilter(db, actor, criteria)
  const position = cursor === undefined ? null : readCursor(sort, cursor)
  if (cursor !== undefined && !position) throw invalidField('cursor', `${BAD_CURSOR} in the same order`)
  const offset = position ? 0 : (page - 1) * pageSize
  // One extra row shows whether there are more.
  const span = { sort, position, limit: pageSize + 1 }
  const isCounted = wanted !== 'none'
  const { leads: rows, total } =
    offset === 0 && isPlain(filter, sort)
      ? await readPlainPage(db, actor.workspaceId, { ...span, status: filter.status })
      : await readFiltered(db, actor, filter, { ...span, offset }, isCounted)
  const visible = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? visible.at(-1) : undefined
  const next = last ? writeCursor(sort, positionOf(sort, last)) : null
  return { leads: visible, total: isCounted ? total : null, page, pageSize, cursor: next }
}

/** The exact number of leads that match. */
export async function countMatching(db: Db, actor: Actor, criteria: InputOf<'leads', 'count'>) {
  return { total: await count(db, actor, await resolveFilter(db, actor, criteria)) }
}

/** Whether the filter selects all leads, or those with one status in an indexed order. */
function isPlain(filter: ResolvedFilter, sort: LeadSort): filter is { status?: LeadStanding } {
  return isStandingOnly(filter) && (filter.status === undefined || isStandingOrder(sort, filter.status))
}

/** Whether the filter selects all leads, or those with one status. Both have stored counts. */
function isStandingOnly(filter: ResolvedFilter): filter is { status?: LeadStanding } {
  return filter.status !== 'replied' && namesOf(filter).every((name) => name === 'status')
}

type PageSpan = Parameters<typeof readPage>[2]

/** Skipping fewer leads than this costs less than counting them. */
const FAR = 1_000

async function readFiltered(db: Db, actor: Actor, filter: ResolvedFilter, span: PageSpan, isCounted: boolean) {
  const read = (part: PageSpan) =>
    isPlain(filter, part.sort) && isStandingOrder(part.sort, filter.status)
      ? readStandingPage(db, actor.workspaceId, { ...part, status: filter.status })
      : readPage(db, matching(actor.workspaceId, filter), part)
  if (span.offset < FAR) {
    const [rows, total] = await Promise.all([read(span), isCounted ? count(db, actor, filter) : null])
    return { leads: rows, total }
  }
  const total = await count(db, actor, filter)
  return { leads: await readFromNearerEnd(read, span, total), total }
}

async function readFromNearerEnd<Row>(read: (part: PageSpan) => Promise<Row[]>, span: PageSpan, total: number) {
  const limit = Math.min(span.limit, total - span.offset)
  if (limit <= 0) return []
  const after = total - span.offset - limit
  if (span.offset <= after) return read(span)
  return (await read({ ...span, sort: reversed(span.sort), limit, offset: after })).reverse()
}

function reversed(sort: LeadSort): LeadSort {
  return (sort.startsWith('-') ? sort.slice(1) : `-${sort}`) as LeadSort
}

/** The names of the fields that a filter uses. */
function namesOf(filter: ResolvedFilter): string[] {
  return Object.entries(filter).flatMap(([name, value]) => (value === undefined || value === '' ? [] : name))
}

/** The ids of a lead's tags, in the order they were added. Raw SQL, because Drizzle qualifies columns only in joins. */
const tagIds = sql<string[]>`array(
  select t.tag_id::text from lead_tags t where t.lead_id = leads.id order by t.added_at, t.tag_id
)`
/** The names of a lead's tags, in alphabetical order. */
const tagNames = sql<string[]>`array(
  select t.name from lead_tags g join tags t on t.id = g.tag_id where g.lead_id = leads.id order by lower(t.name)
)`

/** One page of the leads that have one of these statuses, newest first. @param standings if empty, all leads */
export async function listByStanding(
  db: Db,
  actor: Actor,
  standings: readonly LeadStanding[],
  { page, pageSize, cursor }: Omit<InputOf<'messages', 'leads'>, 'status'>,
) {
  const position = cursor === undefined ? null : readCursor('-createdAt', cursor)
  if (cursor !== undefined && !position) throw invalidField('cursor', `${BAD_CURSOR} in the same order`)
  const behind = position
    ? sql`and (s.created_at, s.lead_id) < (${String(position.value)}::timestamptz, ${position.id}::uuid)`
    : sql``
  const newest = sql`
    (select id as lead_id, workspace_id, created_at from leads) s where s.workspace_id = ${actor.workspaceId}`
  const skipped = position ? 0 : (page - 1) * pageSize
  const parts = (standings.length === 0 ? [undefined] : standings).map(
    (standing) => sql`(
      select s.lead_id as id, s.created_at from ${standing ? ofStanding(actor.workspaceId, standing) : newest} ${behind}
      order by s.created_at desc, s.lead_id desc limit ${skipped + pageSize + 1})`,
  )
  const ids = sql`
    select id
    from (${sql.join(parts, sql` union all `)}) found
    order by created_at desc, id desc
    limit ${pageSize + 1}
    offset ${skipped}`
  const [rows, totals] = await Promise.all([
    db
      .select({ ...getTableColumns(leads), suppressed: isSuppressed(leads) })
      .from(leads)
      .where(sql`${leads.id} in (${ids})`)
      .orderBy(desc(leads.createdAt), desc(leads.id)),
    Promise.all(
      (standings.length === 0 ? [undefined] : standings).map((standing) => countByStatus(db, actor, standing)),
    ),
  ])
  const visible = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? visible.at(-1) : undefined
  return {
    leads: visible,
    total: totals.reduce((sum, count) => sum + count, 0),
    page,
    pageSize,
    cursor: last ? writeCursor('-createdAt', { value: last.createdAt.toISOString(), id: last.id }) : null,
  }
}

/** The number of matches. A filter by a single status, list, tag or scrape uses stored counts. */
export async function count(db: Db, actor: WorkspaceOf, filter: ResolvedFilter): Promise<number> {
  const fieldNames = namesOf(filter)
  const only = fieldNames.length === 1 ? fieldNames[0] : null
  const own = eq(leads.workspaceId, actor.workspaceId)
  // Subtract: suppressed leads are few, and the total may have a stored count.
  if (filter.suppressed === false) {
    const [all, suppressed] = await Promise.all(
      [undefined, true].map((suppressed) => count(db, actor, { ...filter, suppressed })),
    )
    return (all ?? 0) - (suppressed ?? 0)
  }
  if (isStandingOnly(filter)) return countByStatus(db, actor, filter.status)
  if (only === 'listId') {
    const [row] = await db
      .select({ total: leadLists.leadCount })
      .from(leadLists)
      .where(and(eq(leadLists.id, filter.listId ?? ''), eq(leadLists.workspaceId, actor.workspaceId)))
    return row?.total ?? 0
  }
  const tag = only === 'tag' ? filter.tag : only === 'tags' && filter.tags?.length === 1 ? filter.tags[0] : undefined
  if (tag) {
    const [row] = await db
      .select({ total: tags.leadCount })
      .from(tags)
      .where(
        only === 'tag' ? isTag(actor.workspaceId, tag) : and(eq(tags.id, tag), eq(tags.workspaceId, actor.workspaceId)),
      )
    return row?.total ?? 0
  }
  if (only === 'scrapeId') {
    const [row] = await db
      .select({ total: scrapeCounts.count })
      .from(scrapeCounts)
      .innerJoin(scrapes, eq(scrapes.id, scrapeCounts.scrapeId))
      .where(and(eq(scrapes.id, filter.scrapeId ?? ''), eq(scrapes.workspaceId, actor.workspaceId)))
    return row?.total ?? 0
  }
  if (only === 'basis' && filter.basis === 'none') {
    const [all, withBasis] = await Promise.all([
      countByStatus(db, actor, undefined),
      db.$count(leads, and(own, ne(leads.basis, 'none'))),
    ])
    return all - withBasis
  }
  return db.$count(leads, matching(actor.workspaceId, filter))
}

async function countByStatus(db: Db, actor: WorkspaceOf, status: LeadStanding | undefined): Promise<number> {
  const { rows } = await db.execute<{ total: number }>(sql`select ${countedLeads(actor.workspaceId, status)} as total`)
  return one(rows).total
}

/** A lead with all its fields. @throws Refusal LEAD_NOT_FOUND */
export async function find(db: Db, actor: Actor, id: string) {
  const [row] = await db
    .select({ lead: leads, tagIds, suppressed: isSuppressed(leads) })
    .from(leads)
    .where(and(eq(leads.id, id), eq(leads.workspaceId, actor.workspaceId)))
  if (!row) throw new Refusal('LEAD_NOT_FOUND')
  return { ...row.lead, tagIds: row.tagIds, suppressed: row.suppressed, replied: row.lead.repliedAt !== null }
}

/** Sets or removes the contact basis of leads. */
export async function setBasis(
  db: Db,
  actor: Actor,
  { basis, at, source, ...selection }: InputOf<'leads', 'setBasis'>,
) {
  return transact(db, async (tx) => {
    const part = await choosePart(tx, actor, selection)
    const changed = await changeBasis(tx, part.leads, { basis, at, source })
    return { success: true as const, changed: changed.length, cursor: part.cursor }
  })
}

/** All leads that match a filter, oldest first, in batches of a thousand. */
export async function* readAll(
  db: Db,
  actor: Actor,
  filter: ResolvedFilter,
): AsyncGenerator<(LeadRow & { tags: string[] })[]> {
  let last: LeadRow | undefined
  do {
    const behind = last
      ? sql`(${leads.createdAt}, ${leads.id}) > (${last.createdAt.toISOString()}::timestamptz, ${last.id}::uuid)`
      : undefined
    const rows = await db
      .select({ lead: leads, tags: tagNames })
      .from(leads)
      .where(and(matching(actor.workspaceId, filter), behind))
      .orderBy(asc(leads.createdAt), asc(leads.id))
      .limit(BATCH)
    if (rows.length > 0) yield rows.map((row) => ({ ...row.lead, tags: row.tags }))
    last = rows.at(-1)?.lead
  } while (last)
}

/** Rows per query. */
const BATCH = 1_000
