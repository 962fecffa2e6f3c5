import type { ContactBasis, ImportResult } from '@x-automated/contract/leads'
import { TAG_COLORS, TAGS_MAX } from '@x-automated/contract/tags'
import { type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import { suppressedBecause } from '../suppressions/tables.ts'
import { type Columns, type ImportedLead, type IncomingLead, readHeader, readLine } from './rules.ts'

/*
 * How people become leads: read line by line, staged in a table of the connection's own, settled by a few statements.
 */

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

/** How far an import is: bytes of the file that are read, then lines that are saved. */
export interface ImportProgress {
  stage: 'reading' | 'saving'
  done: number
  of: number
}

export interface ImportOptions {
  /** What each column is, in place of the file's first line; '' passes it over. */
  columns?: readonly string[]
  /** The contact basis of everyone of whom the file names none. */
  basis?: { basis: ContactBasis; source: string | null } | null
  onProgress?: (progress: ImportProgress) => void
}

/** A file's records from the beginning, and how far reading is. */
export interface ImportSource {
  records(): AsyncIterable<CsvRecord>
  bytesRead(): number
  bytes: number
}

/**
 * Takes in a file of leads, all of its good lines or, on a fault, none. The same file again changes nothing.
 * @throws Refusal INVALID_INPUT: an empty file, one without a column twitter_handle, or with more tags than there may be
 */
export async function importLeads(
  db: Db,
  actor: Actor,
  source: ImportSource,
  { columns: named, basis, onProgress = () => {} }: ImportOptions = {},
): Promise<ImportResult> {
  return transact(db, async (tx) => {
    const rejected: ImportResult['rejected'] = []
    let rejectedCount = 0
    const reject = (line: number, problem: string) => {
      rejectedCount += 1
      if (rejected.length < REJECTED_MAX) rejected.push({ line, problem })
    }
    await tx.execute(sql`set local statement_timeout = '10min'`)
    await openStage(tx)
    let columns: Columns | null = null
    let batch: { line: number; lead: ImportedLead }[] = []
    for await (const record of source.records()) {
      if (!columns) {
        columns = headerOf(record, named)
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
        onProgress({ stage: 'reading', done: source.bytesRead(), of: source.bytes })
      }
    }
    if (!columns) throw new Refusal('INVALID_INPUT', 'The file is empty.')
    await stage(tx, batch)
    if (basis)
      await tx.execute(sql`
        update incoming_leads set basis = ${basis.basis}, basis_source = ${basis.source} where basis is null`)
    await tx.execute(sql`analyze incoming_leads`)
    for (const key of [sql`lower(twitter_handle)`, sql`x_user_id`]) {
      const { doubles, total } = await unstageDoubles(tx, key)
      rejected.push(...doubles.map(({ line, first }) => ({ line, problem: `is a duplicate of line ${first}` })))
      rejectedCount += total
    }
    for (const line of await unstageSuppressed(tx, actor.workspaceId)) reject(line, 'is on your suppression list')
    const owner = { workspaceId: actor.workspaceId, userId: actor.userId }
    const counts = await settleStage(tx, owner, 'parts', (done, of) => onProgress({ stage: 'saving', done, of }))
    await tagStaged(tx, owner)
    const refused = rejected.sort((a, b) => a.line - b.line).slice(0, REJECTED_MAX)
    return { ...counts, rejected: refused, rejectedCount }
  })
}

function headerOf(record: CsvRecord, named: readonly string[] | undefined): Columns {
  if ('problem' in record) throw new Refusal('INVALID_INPUT', `The first line ${record.problem}.`)
  if (named && named.length !== record.fields.length)
    throw invalidField('columns', `names ${named.length} columns where the file has ${record.fields.length}`)
  const columns = readHeader(named ?? record.fields)
  if ('problem' in columns) throw new Refusal('INVALID_INPUT', columns.problem)
  return columns
}

/** Gives the staged people the tags that the file names; those that are not there yet are made. */
async function tagStaged(tx: Db, { workspaceId }: Owner): Promise<void> {
  const { rows } = await tx.execute<{ name: string }>(sql`
    select min(said.tag) as name from incoming_leads i, unnest(i.tags) said(tag) group by lower(said.tag) order by 1 limit ${TAGS_MAX + 1}`)
  if (rows.length === 0) return
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('tags of ' || ${workspaceId}, 0))`)
  const names = rows.map(({ name }) => name)
  const { rows: counted } = await tx.execute<{ known: number; wanted: number }>(sql`
    select count(*)::int as known, (count(*) filter (where lower(name) in (select lower(n) from unnest(${sql.param(names)}::text[]) n)))::int as wanted
    from tags where workspace_id = ${workspaceId}`)
  const { known = 0, wanted = 0 } = counted[0] ?? {}
  if (known + names.length - wanted > TAGS_MAX)
    throw new Refusal('INVALID_INPUT', `The file names too many tags: a workspace has at most ${TAGS_MAX}.`)
  await tx.execute(sql`
    insert into tags (workspace_id, name, color)
    select ${workspaceId}, name, (${sql.param([...TAG_COLORS])}::text[])[1 + (${known} + place::int - 1) % ${TAG_COLORS.length}]
    from unnest(${sql.param(names)}::text[]) with ordinality as named(name, place)
    on conflict (workspace_id, lower(name)) do nothing`)
  await tx.execute(sql`
    insert into lead_tags (tag_id, lead_id)
    select t.id, i.lead_id from incoming_leads i, unnest(i.tags) said(tag)
    join tags t on t.workspace_id = ${workspaceId} and lower(t.name) = lower(said.tag)
    order by 1, 2 on conflict do nothing`)
}

/** People on their way in, until the transaction ends. A table of the connection's own, made once on each. */
async function openStage(tx: Db): Promise<void> {
  await tx.execute(sql`create temp table if not exists incoming_leads (
    line integer primary key, x_user_id text, twitter_handle text not null, name text, bio text, follower_count integer, following_count integer,
    source_profile text, url text, profile_image_url text, location text, website text, metadata jsonb,
    basis text, basis_at timestamptz, basis_source text, tags text[], lead_id uuid, is_new boolean not null default false
  ) on commit delete rows`)
}

async function stage(
  tx: Db,
  people: readonly { line: number; lead: IncomingLead & Partial<ImportedLead> }[],
): Promise<void> {
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
    basis: lead.basis,
    basis_at: lead.basisAt,
    basis_source: lead.basisSource,
    tags: lead.tags,
  }))
  await tx.execute(sql`
    insert into incoming_leads (line, ${STAGED})
    select line, ${STAGED} from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as incoming(
      line integer, x_user_id text, twitter_handle text, name text, bio text, follower_count integer, following_count integer,
      source_profile text, url text, profile_image_url text, location text, website text, metadata jsonb,
      basis text, basis_at timestamptz, basis_source text, tags text[])`)
}

const STAGED = sql.raw(
  'x_user_id, twitter_handle, name, bio, follower_count, following_count, source_profile, url, profile_image_url, location, website, metadata, basis, basis_at, basis_source, tags',
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
  onSaved: (done: number, of: number) => void = () => {},
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
  const basis = (column: SQL, said: SQL) =>
    sql`case when i.basis is null then ${column} when i.basis = 'none' then null else ${said} end`
  let imported = 0
  let updated = 0
  const { rows: ends } = await tx.execute<{ line: number; count: number }>(sql`
    select max(line) as line, count(*)::int as count
    from (select line, (row_number() over (order by line) - 1) / ${SAVED_AT_ONCE} as part from incoming_leads) parts group by part order by 1`)
  const all = ends.reduce((sum, { count }) => sum + count, 0)
  let from = 0
  let done = 0
  for (const { line: to, count } of ends) {
    const part = sql`i.line > ${from} and i.line <= ${to}`
    const changed = await tx.execute(sql`
      update leads l set
        x_user_id = coalesce(i.x_user_id, l.x_user_id),
        twitter_handle = case when lower(i.twitter_handle) = lower(l.twitter_handle) and ${read === 'parts'} then l.twitter_handle else i.twitter_handle end,
        name = coalesce(i.name, l.name),
        bio = ${said('bio')}, follower_count = ${said('follower_count')}, following_count = ${said('following_count')},
        source_profile = coalesce(i.source_profile, l.source_profile),
        url = ${said('url')}, profile_image_url = ${said('profile_image_url')}, location = ${said('location')}, website = ${said('website')},
        metadata = l.metadata || coalesce(i.metadata, '{}'),
        basis = coalesce(i.basis, l.basis),
        basis_at = ${basis(sql`l.basis_at`, sql`coalesce(i.basis_at, case when l.basis = i.basis then l.basis_at end, now())`)},
        basis_source = ${basis(sql`l.basis_source`, sql`coalesce(i.basis_source, case when l.basis = i.basis then l.basis_source end)`)},
        updated_at = now()
      from incoming_leads i where l.id = i.lead_id and not i.is_new and ${part}`)
    const made = await tx.execute(sql`
      insert into leads (id, workspace_id, user_id, x_user_id, twitter_handle, name, bio, follower_count, following_count,
        source_profile, url, profile_image_url, location, website, metadata, basis, basis_at, basis_source)
      select lead_id, ${workspaceId}, ${userId}, x_user_id, twitter_handle, coalesce(name, ''), bio, follower_count, following_count,
        source_profile, url, profile_image_url, location, website, coalesce(metadata, '{}'), coalesce(basis, 'none'),
        ${basis(sql`null`, sql`coalesce(basis_at, now())`)}, ${basis(sql`null`, sql`basis_source`)}
      from incoming_leads i where is_new and ${part} order by line`)
    updated += changed.rowCount ?? 0
    imported += made.rowCount ?? 0
    from = to
    done += count
    onSaved(done, all)
  }
  return { imported, updated }
}

/** Lines that are saved by one statement; an import says how far it is after each. */
const SAVED_AT_ONCE = 5_000

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
  // Messages, lists, leads: in the order in which outcomes are recorded (db/transact.ts).
  await tx.execute(sql`
    select count(*) from (select from dms where lead_id in (select gone from ${pairs}) order by id for no key update) locked`)
  await tx.execute(sql`
    select count(*) from (
      select from lead_lists where id in (select lead_list_id from lead_list_items where lead_id in (select gone from ${pairs}))
      order by id for no key update
    ) locked`)
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
    insert into lead_tags (tag_id, lead_id, added_at)
    select g.tag_id, pair.kept, g.added_at from lead_tags g join ${pairs} on g.lead_id = pair.gone order by 1, 2 on conflict do nothing`)
  await tx.execute(sql`
    update dms d set lead_id = pair.kept from ${pairs} where d.lead_id = pair.gone
    and not exists (select from dms other where other.campaign_id = d.campaign_id and other.step = d.step and other.lead_id = pair.kept)`)
  // Who has replied stays one who has: nothing goes to them that was queued before.
  await tx.execute(sql`update replies r set lead_id = pair.kept from ${pairs} where r.lead_id = pair.gone`)
  await tx.execute(sql`
    insert into lead_reads (lead_id, account_x_user_id, read_at)
    select pair.kept, r.account_x_user_id, max(r.read_at) from lead_reads r join ${pairs} on r.lead_id = pair.gone group by 1, 2 order by 1, 2
    on conflict (lead_id, account_x_user_id) do update set read_at = greatest(lead_reads.read_at, excluded.read_at)`)
  await tx.execute(sql`
    update leads l set
      dm_status = case when l.dm_status = 'not_sent' then gone.dm_status else l.dm_status end,
      basis = case when l.basis = 'none' then gone.basis else l.basis end,
      basis_at = case when l.basis = 'none' then gone.basis_at else l.basis_at end,
      basis_source = case when l.basis = 'none' then gone.basis_source else l.basis_source end,
      metadata = gone.metadata || l.metadata
    from ${pairs} join leads gone on gone.id = pair.gone where l.id = pair.kept`)
  await tx.execute(sql`delete from leads where id in (select gone from ${pairs})`)
}
