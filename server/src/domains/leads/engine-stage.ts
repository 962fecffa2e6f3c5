import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { isSuppressed } from '../suppressions/tables.ts'
import { recallContacts } from './engine-contacts.ts'
import { mergeTwins } from './engine-twins.ts'
import { type IncomingLead, LEAD_METADATA_MAX, stagedRow } from './rules.ts'

/*
 * How people become leads: staged in a table of the connection's own, settled by a few statements.
 */

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
  await stage(tx, people)
  await unstageSuppressed(tx, owner.workspaceId, 0)
  await settleStage(tx, owner, read)
  const { rows } = await tx.execute<{ lead_id: string }>(sql`delete from incoming_leads returning lead_id`)
  return rows.map((row) => row.lead_id)
}

/** People on their way in, until the transaction ends. A table of the connection's own, made once on each. */
export async function openStage(tx: Db): Promise<void> {
  await tx.execute(sql`create temp table if not exists incoming_leads (
    line integer primary key, x_user_id text, twitter_handle text not null, name text, bio text, follower_count integer, following_count integer,
    source_profile text, url text, profile_image_url text, location text, website text, metadata jsonb,
    basis text, basis_at timestamptz, basis_source text, tags text[], lead_id uuid, is_new boolean not null default false
  ) on commit delete rows`)
}

async function stage(tx: Db, people: readonly IncomingLead[]): Promise<void> {
  if (people.length === 0) return
  await stageRows(tx, JSON.stringify(people.map((lead, place) => stagedRow(place + 1, lead))))
}

/** @param rows a list in JSON of what `stagedRow` makes */
export async function stageRows(tx: Db, rows: string): Promise<void> {
  await tx.execute(sql`
    insert into incoming_leads (line, ${STAGED})
    select line, ${STAGED} from jsonb_to_recordset(${rows}::jsonb) as incoming(
      line integer, x_user_id text, twitter_handle text, name text, bio text, follower_count integer, following_count integer,
      source_profile text, url text, profile_image_url text, location text, website text, metadata jsonb,
      basis text, basis_at timestamptz, basis_source text, tags text[])`)
}

const STAGED = sql.raw(
  'x_user_id, twitter_handle, name, bio, follower_count, following_count, source_profile, url, profile_image_url, location, website, metadata, basis, basis_at, basis_source, tags',
)

/** Takes out of the stage whoever stands there a second time by this key; answers with how many lines those are, and the first `named` of them. */
export async function unstageDoubles(
  tx: Db,
  key: SQL,
  named: number,
): Promise<{ doubles: { line: number; first: number }[]; total: number }> {
  const { rows } = await tx.execute<{ line: number; first: number; total: number }>(sql`
    with gone as (
      delete from incoming_leads i
      using (select line, first_value(line) over (partition by ${key} order by line) as first from incoming_leads where ${key} is not null) d
      where i.line = d.line and d.first < d.line
      returning i.line, d.first
    )
    select line, first, count(*) over ()::int as total from gone order by line limit ${named}`)
  return { doubles: rows, total: rows[0]?.total ?? 0 }
}

/** How many lines, and the first of them. */
export interface StagedLines {
  lines: number[]
  total: number
}

/** @param gone a statement that returns the `line` of each; `named` of them are in the answer */
async function linesOf(tx: Db, gone: SQL, named: number): Promise<StagedLines> {
  const { rows } = await tx.execute<StagedLines & Record<string, unknown>>(sql`
    with gone as (${gone})
    select array(select line from gone order by line limit ${named}) as lines, (select count(*) from gone)::int as total`)
  return rows[0] ?? { lines: [], total: 0 }
}

/** Takes out of the stage who is not to be written to: they do not become leads. */
export async function unstageSuppressed(tx: Db, workspaceId: string, named: number): Promise<StagedLines> {
  const gone = sql`
    delete from incoming_leads i
    using (select line, ${workspaceId}::uuid as workspace_id, twitter_handle, x_user_id from incoming_leads) l
    where l.line = i.line and ${isSuppressed('l')}
    returning i.line`
  return linesOf(tx, gone, named)
}

/**
 * Turns the stage into leads, and notes there which lead each became. Whose lead would get too much metadata is taken out of the stage.
 * @param named how many of their lines are in the answer
 */
export async function settleStage(
  tx: Db,
  { workspaceId, userId }: Owner,
  read: 'whole' | 'parts',
  { onSaved = () => {}, named = 0 }: { onSaved?: (done: number, of: number) => void; named?: number } = {},
): Promise<{ imported: number; updated: number; overfull: StagedLines }> {
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
  const overfull = await linesOf(
    tx,
    sql`
      delete from incoming_leads i using leads l
      where l.id = i.lead_id and i.metadata is not null and length((l.metadata || i.metadata)::text) > ${LEAD_METADATA_MAX}
      returning i.line`,
    named,
  )
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
  if (imported > 0) await recallContacts(tx, workspaceId)
  return { imported, updated, overfull }
}

/** Lines that are saved by one statement; an import says how far it is after each. */
const SAVED_AT_ONCE = 5_000
