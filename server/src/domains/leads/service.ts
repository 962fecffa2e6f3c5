import type { ImportResult, LeadFilter, LeadSelection } from '@x-automated/contract/leads'
import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import { leadListItems, leadLists } from '../lists/tables.ts'
import { scrapeLeads } from '../scrapes/tables.ts'
import { suppressedBecause } from '../suppressions/tables.ts'
import {
  anywhere,
  type Columns,
  type IncomingLead,
  readCursor,
  readHeader,
  readLine,
  type Sort,
  writeCursor,
} from './rules.ts'
import { filterStatus, foldedName, knownFollowers, leadCounts, leads, words } from './tables.ts'

export type LeadRow = typeof leads.$inferSelect
export { anywhere, type IncomingLead } from './rules.ts'

interface ListInput extends LeadFilter {
  page: number
  pageSize: number
  sort: Sort
  cursor?: string
}

/**
 * One page of leads. `total` is exact; `cursor` goes on behind the page, null at the end.
 * @throws Refusal INVALID_INPUT: a cursor of another order
 */
export async function list(db: Db, actor: Actor, { page, pageSize, sort, cursor, ...filter }: ListInput) {
  const place = cursor === undefined ? null : readCursor(sort, cursor)
  if (cursor !== undefined && !place) throw invalidField('cursor', 'is not a cursor of this order')
  const order = ORDERS[sort]
  const direction = sort.startsWith('-') ? desc : asc
  const behind = place
    ? sql`(${order.by}, ${leads.id}) ${sort.startsWith('-') ? sql`<` : sql`>`} (${order.bound(place.value)}, ${place.id}::uuid)`
    : undefined
  // The ids first: far back in the list, an index alone tells them.
  const ids = db
    .select({ id: leads.id })
    .from(leads)
    .where(and(matching(actor.workspaceId, filter), behind))
    .orderBy(direction(order.by), direction(leads.id))
    .limit(pageSize + 1)
    .offset(place ? 0 : (page - 1) * pageSize)
    .as('page')
  const [rows, total] = await Promise.all([
    db
      .select({ lead: leads })
      .from(leads)
      .innerJoin(ids, eq(ids.id, leads.id))
      .orderBy(direction(order.by), direction(leads.id)),
    count(db, actor, filter),
  ])
  const shown = rows.slice(0, pageSize).map((row) => row.lead)
  const last = rows.length > pageSize ? shown.at(-1) : undefined
  return {
    leads: shown,
    total,
    page,
    pageSize,
    cursor: last ? writeCursor(sort, { value: order.valueOf(last), id: last.id }) : null,
  }
}

interface Order {
  by: SQL
  bound(value: string | number): SQL
  valueOf(lead: LeadRow): string | number
}

const byCreation: Order = {
  by: sql`${leads.createdAt}`,
  bound: (value) => sql`${value}::timestamptz`,
  valueOf: (lead) => lead.createdAt.toISOString(),
}
const byFollowers: Order = {
  by: knownFollowers,
  bound: (value) => sql`${value}::int`,
  valueOf: (lead) => lead.followerCount ?? -1,
}
const byName: Order = {
  by: foldedName,
  bound: (value) => sql`lower(${value}::text)`,
  valueOf: (lead) => lead.name,
}
const ORDERS: Record<Sort, Order> = {
  createdAt: byCreation,
  '-createdAt': byCreation,
  followerCount: byFollowers,
  '-followerCount': byFollowers,
  name: byName,
  '-name': byName,
}

/** How many leads match: maintained counts where nothing but status or list is asked for, else counted. */
async function count(db: Db, actor: Actor, filter: LeadFilter): Promise<number> {
  const { keyword, minFollowers, maxFollowers, status, listId, scrapeId } = filter
  const plain = !keyword && minFollowers === undefined && maxFollowers === undefined && scrapeId === undefined
  if (plain && listId === undefined) {
    const [row] = await db
      .select({ total: sql<number>`coalesce(sum(${leadCounts.count}), 0)::int` })
      .from(leadCounts)
      .where(and(eq(leadCounts.workspaceId, actor.workspaceId), status ? sql`${filterStatus} = ${status}` : undefined))
    return row?.total ?? 0
  }
  if (plain && listId !== undefined && status === undefined) {
    const [row] = await db
      .select({ total: leadLists.leadCount })
      .from(leadLists)
      .where(and(eq(leadLists.id, listId), eq(leadLists.workspaceId, actor.workspaceId)))
    return row?.total ?? 0
  }
  const [row] = await db
    .select({ total: sql<number>`count(*)::int` })
    .from(leads)
    .where(matching(actor.workspaceId, filter))
  return row?.total ?? 0
}

/** The rows of `leads` that a filter means (specification §5, Leads filters), within the workspace. */
function matching(
  workspaceId: Actor['workspaceId'],
  { keyword, minFollowers, maxFollowers, status, listId, scrapeId }: LeadFilter,
): SQL | undefined {
  const least = minFollowers ?? (maxFollowers === undefined ? undefined : 0)
  const pattern = keyword ? anywhere(keyword) : undefined
  return and(
    eq(leads.workspaceId, workspaceId),
    pattern === undefined ? undefined : sql`${words} ilike ${pattern}`,
    // A space may stand between two fields there: only then must one of them be seen to hold the keyword by itself.
    pattern === undefined || !keyword?.includes(' ')
      ? undefined
      : sql`(${leads.name} ilike ${pattern} or ${leads.twitterHandle} ilike ${pattern} or ${leads.bio} ilike ${pattern})`,
    least === undefined ? undefined : sql`${knownFollowers} >= ${least}`,
    maxFollowers === undefined ? undefined : sql`${knownFollowers} <= ${maxFollowers}`,
    status && sql`${filterStatus} = ${status}`,
    listId === undefined
      ? undefined
      : sql`${leads.id} in (select ${leadListItems.leadId} from ${leadListItems} where ${leadListItems.leadListId} = ${listId})`,
    scrapeId === undefined
      ? undefined
      : sql`${leads.id} in (select ${scrapeLeads.leadId} from ${scrapeLeads} where ${scrapeLeads.scrapeId} = ${scrapeId})`,
  )
}

/**
 * The ids of the leads that a selection means, as a subquery without its brackets: `… in (${selectLeads(db, actor, selection)})`.
 * Ids of other workspaces are not among them. Whoever locks or changes many leads does so in the order of their ids.
 */
export function selectLeads(_db: Db, actor: Actor, { leadIds, filter }: LeadSelection): SQL {
  const chosen = leadIds
    ? and(eq(leads.workspaceId, actor.workspaceId), sql`${leads.id} = any(${sql.param(leadIds)}::uuid[])`)
    : matching(actor.workspaceId, filter ?? {})
  return sql`select ${leads.id} from ${leads} where ${chosen}`
}

/** Deletes a lead, with its places in lists; its messages stay. @throws Refusal LEAD_NOT_FOUND */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  await transact(db, async (tx) => {
    const own = sql`${actor.workspaceId}::uuid`
    // Deleting changes them too. Before the lead, as whoever records an outcome or empties a list does (db/transact.ts).
    await tx.execute(sql`
      select count(*) from (select from dms where lead_id = ${id} and workspace_id = ${own} order by id for no key update) locked`)
    await tx.execute(sql`
      select count(*) from (
        select from lead_lists where id in (select lead_list_id from lead_list_items where lead_id = ${id}) and workspace_id = ${own}
        order by id for no key update
      ) locked`)
    const removed = await tx
      .delete(leads)
      .where(and(eq(leads.id, id), eq(leads.workspaceId, actor.workspaceId)))
      .returning({ id: leads.id })
    if (removed.length === 0) throw new Refusal('LEAD_NOT_FOUND')
  })
}

/** Every lead that a filter means, oldest first, a thousand at a time. */
export async function* readAll(db: Db, actor: Actor, filter: LeadFilter): AsyncGenerator<LeadRow[]> {
  let last: LeadRow | undefined
  do {
    const behind = last
      ? sql`(${leads.createdAt}, ${leads.id}) > (${last.createdAt.toISOString()}::timestamptz, ${last.id}::uuid)`
      : undefined
    const rows: LeadRow[] = await db
      .select()
      .from(leads)
      .where(and(matching(actor.workspaceId, filter), behind))
      .orderBy(asc(leads.createdAt), asc(leads.id))
      .limit(BATCH)
    if (rows.length > 0) yield rows
    last = rows.at(-1)
  } while (last)
}

/** Rows a statement. */
const BATCH = 1_000

/** Who leads belong to, and who brought them in. */
export interface Owner {
  workspaceId: string
  userId: string | null
}

/**
 * Makes or updates the lead of each person, in the caller's transaction, with a few statements whatever their number.
 * A lead is known by X's user id; by handle where the id is unknown, and then it is given the id. Its status is never touched.
 * Who is on the suppression list becomes none and is left as they are.
 * @param people each at most once
 * @param read `whole`: what X says of them replaces what stood there; `parts`: only what is said does
 * @returns the leads' ids, in no order
 */
export async function upsertLeads(
  tx: Db,
  owner: Owner,
  people: readonly IncomingLead[],
  read: 'whole' | 'parts',
): Promise<string[]> {
  await openStage(tx)
  await stage(
    tx,
    people.map((lead, place) => ({ line: place + 1, lead })),
  )
  await unstageSuppressed(tx, owner.workspaceId)
  await settleStage(tx, owner, read)
  const { rows } = await tx.execute<{ lead_id: string }>(sql`delete from incoming_leads returning lead_id`)
  return rows.map((row) => row.lead_id)
}

/** One record of a CSV file: its fields, or why it could not be read. `line`: where it begins, 1 being the header. */
export type CsvRecord = { line: number; fields: string[] } | { line: number; problem: string }

/** An answer names at most this many refused lines; `rejectedCount` is all of them. */
const REJECTED_MAX = 10_000

/**
 * Takes in a file of leads, all of its good lines or, on a fault, none. The same file again changes nothing.
 * @throws Refusal INVALID_INPUT: an empty file, or one without a column twitter_handle
 */
export async function importLeads(db: Db, actor: Actor, records: AsyncIterable<CsvRecord>): Promise<ImportResult> {
  const rejected: ImportResult['rejected'] = []
  let rejectedCount = 0
  const reject = (line: number, problem: string) => {
    rejectedCount += 1
    if (rejected.length < REJECTED_MAX) rejected.push({ line, problem })
  }
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = '10min'`)
    await openStage(tx)
    let columns: Columns | null = null
    let batch: { line: number; lead: IncomingLead }[] = []
    for await (const record of records) {
      if (!columns) {
        columns = headerOf(record)
        continue
      }
      if ('problem' in record) {
        reject(record.line, record.problem)
        continue
      }
      const lead = readLine(columns, record.fields)
      if ('problem' in lead) reject(record.line, lead.problem)
      else batch.push({ line: record.line, lead })
      if (batch.length === BATCH) {
        await stage(tx, batch)
        batch = []
      }
    }
    if (!columns) throw new Refusal('INVALID_INPUT', 'The file is empty.')
    await stage(tx, batch)
    await tx.execute(sql`analyze incoming_leads`)
    for (const key of [sql`lower(twitter_handle)`, sql`x_user_id`]) {
      const { doubles, total } = await unstageDoubles(tx, key)
      rejected.push(...doubles.map(({ line, first }) => ({ line, problem: `is a duplicate of line ${first}` })))
      rejectedCount += total
    }
    const suppressed = await unstageSuppressed(tx, actor.workspaceId)
    for (const line of suppressed) reject(line, 'is on your suppression list')
    const counts = await settleStage(tx, { workspaceId: actor.workspaceId, userId: actor.userId }, 'parts')
    const named = rejected.sort((a, b) => a.line - b.line).slice(0, REJECTED_MAX)
    return { ...counts, rejected: named, rejectedCount }
  })
}

function headerOf(record: CsvRecord): Columns {
  const columns = 'problem' in record ? record : readHeader(record.fields)
  if (!('problem' in columns)) return columns
  throw new Refusal('INVALID_INPUT', 'problem' in record ? `The first line ${record.problem}.` : columns.problem)
}

/** People on their way in, until the transaction ends. A table of the connection's own, made once on each. */
async function openStage(tx: Db): Promise<void> {
  await tx.execute(sql`create temp table if not exists incoming_leads (
    line integer not null, x_user_id text, twitter_handle text not null, name text, bio text, follower_count integer, following_count integer,
    source_profile text, url text, profile_image_url text, location text, website text, metadata jsonb, lead_id uuid, is_new boolean not null default false
  ) on commit delete rows`)
}

async function stage(tx: Db, people: readonly { line: number; lead: IncomingLead }[]): Promise<void> {
  if (people.length === 0) return
  const rows = people.map(({ line, lead }) => ({
    line,
    x_user_id: lead.xUserId,
    twitter_handle: lead.twitterHandle,
    name: lead.name,
    bio: lead.bio,
    follower_count: lead.followerCount,
    following_count: lead.followingCount,
    source_profile: lead.sourceProfile,
    url: lead.url,
    profile_image_url: lead.profileImageUrl,
    location: lead.location,
    website: lead.website,
    metadata: lead.metadata,
  }))
  await tx.execute(sql`
    insert into incoming_leads (line, ${STAGED})
    select line, ${STAGED} from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as incoming(
      line integer, x_user_id text, twitter_handle text, name text, bio text, follower_count integer, following_count integer,
      source_profile text, url text, profile_image_url text, location text, website text, metadata jsonb)`)
}

const STAGED = sql.raw(
  'x_user_id, twitter_handle, name, bio, follower_count, following_count, source_profile, url, profile_image_url, location, website, metadata',
)

/** Takes out of the stage whoever stands there a second time by this key; answers with how many lines those are, and the first of them. */
async function unstageDoubles(
  tx: Db,
  key: SQL,
): Promise<{ doubles: { line: number; first: number }[]; total: number }> {
  const { rows } = await tx.execute<{ line: number; first: number; total: number }>(sql`
    with gone as (
      delete from incoming_leads i
      using (select line, first_value(line) over (partition by ${key} order by line) as first from incoming_leads where ${key} is not null) d
      where i.line = d.line and d.first < d.line
      returning i.line, d.first
    )
    select line, first, count(*) over ()::int as total from gone order by line limit ${REJECTED_MAX}`)
  return { doubles: rows, total: rows[0]?.total ?? 0 }
}

/** Takes out of the stage who is not to be written to: they do not become leads. @returns their lines */
async function unstageSuppressed(tx: Db, workspaceId: string): Promise<number[]> {
  const { rows } = await tx.execute<{ line: number }>(sql`
    delete from incoming_leads i
    using (select line, ${workspaceId}::uuid as workspace_id, twitter_handle, x_user_id from incoming_leads) l
    where l.line = i.line and ${suppressedBecause('l')} is not null
    returning i.line`)
  return rows.map(({ line }) => line)
}

/** Turns the stage into leads, and notes there which lead each became. */
async function settleStage(
  tx: Db,
  { workspaceId, userId }: Owner,
  read: 'whole' | 'parts',
): Promise<{ imported: number; updated: number }> {
  // One writer at a time in a workspace: two that bring the same people would else make them twice or lock each other out.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('leads of ' || ${workspaceId}, 0))`)
  await mergeTwins(tx, workspaceId)
  await tx.execute(sql`
    update incoming_leads i set lead_id = coalesce(
      (select l.id from leads l where l.workspace_id = ${workspaceId} and l.x_user_id = i.x_user_id),
      (select l.id from leads l where l.workspace_id = ${workspaceId} and l.x_user_id is null and lower(l.twitter_handle) = lower(i.twitter_handle)),
      case when i.x_user_id is null then
        (select l.id from leads l where l.workspace_id = ${workspaceId} and lower(l.twitter_handle) = lower(i.twitter_handle) order by l.updated_at desc, l.id desc limit 1)
      end)`)
  // In the order of their ids, as everyone locks leads.
  await tx.execute(sql`
    select count(*) from (select id from leads where id in (select lead_id from incoming_leads) order by id for no key update) locked`)
  // Ids grow with time: made in the order of the lines, so do the pages show them.
  await tx.execute(sql`
    update incoming_leads i set lead_id = made.id, is_new = true
    from (
      select line, new_id() as id from incoming_leads s
      where s.lead_id is null or not exists (select from leads l where l.id = s.lead_id)
      order by line
    ) made where made.line = i.line`)
  const said = (column: string) =>
    read === 'whole' ? sql.raw(`i.${column}`) : sql.raw(`coalesce(i.${column}, l.${column})`)
  const { rowCount: updated } = await tx.execute(sql`
    update leads l set
      x_user_id = coalesce(i.x_user_id, l.x_user_id),
      twitter_handle = case when lower(i.twitter_handle) = lower(l.twitter_handle) and ${read === 'parts'} then l.twitter_handle else i.twitter_handle end,
      name = coalesce(i.name, l.name),
      bio = ${said('bio')}, follower_count = ${said('follower_count')}, following_count = ${said('following_count')},
      source_profile = coalesce(i.source_profile, l.source_profile),
      url = ${said('url')}, profile_image_url = ${said('profile_image_url')}, location = ${said('location')}, website = ${said('website')},
      metadata = l.metadata || coalesce(i.metadata, '{}'),
      updated_at = now()
    from incoming_leads i where l.id = i.lead_id and not i.is_new`)
  const { rowCount: imported } = await tx.execute(sql`
    insert into leads (id, workspace_id, user_id, x_user_id, twitter_handle, name, bio, follower_count, following_count,
      source_profile, url, profile_image_url, location, website, metadata)
    select lead_id, ${workspaceId}, ${userId}, x_user_id, twitter_handle, coalesce(name, ''), bio, follower_count, following_count,
      source_profile, url, profile_image_url, location, website, coalesce(metadata, '{}')
    from incoming_leads where is_new order by line`)
  return { imported: imported ?? 0, updated: updated ?? 0 }
}

/**
 * Somebody may stand twice in a workspace: by X's id under an old handle, and by a handle that was imported before X told whose it is.
 * Once both are known to be one person, the second becomes part of the first: lists, messages, and that they were written to.
 */
async function mergeTwins(tx: Db, workspaceId: string): Promise<void> {
  const { rows } = await tx.execute<{ kept: string; gone: string }>(sql`
    select kept.id as kept, gone.id as gone from incoming_leads i
    join leads kept on kept.workspace_id = ${workspaceId} and kept.x_user_id = i.x_user_id
    join leads gone on gone.workspace_id = ${workspaceId} and gone.x_user_id is null and lower(gone.twitter_handle) = lower(i.twitter_handle)`)
  if (rows.length === 0) return
  const pairs = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as pair(kept uuid, gone uuid)`
  await tx.execute(sql`
    select count(*) from (
      select l.id from leads l where l.id in (select kept from ${pairs} union select gone from ${pairs}) order by l.id for update
    ) locked`)
  await tx.execute(sql`
    insert into lead_list_items (lead_list_id, lead_id, contact_status, added_at)
    select i.lead_list_id, pair.kept, i.contact_status, i.added_at from lead_list_items i join ${pairs} on i.lead_id = pair.gone
    order by 1, 2 on conflict do nothing`)
  await tx.execute(sql`
    insert into scrape_leads (scrape_id, lead_id)
    select s.scrape_id, pair.kept from scrape_leads s join ${pairs} on s.lead_id = pair.gone order by 1, 2 on conflict do nothing`)
  await tx.execute(sql`
    update dms d set lead_id = pair.kept from ${pairs} where d.lead_id = pair.gone
    and not exists (select from dms other where other.campaign_id = d.campaign_id and other.step = d.step and other.lead_id = pair.kept)`)
  await tx.execute(sql`
    update leads l set
      dm_status = case when l.dm_status = 'not_sent' then gone.dm_status else l.dm_status end,
      metadata = gone.metadata || l.metadata
    from ${pairs} join leads gone on gone.id = pair.gone where l.id = pair.kept`)
  await tx.execute(sql`delete from leads where id in (select gone from ${pairs})`)
}
