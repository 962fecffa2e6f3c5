import { BIO_MAX, LEAD_VALUES_MAX } from '@x-automated/contract/leads/lead-limits'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { lockRows } from '../../db/transact.ts'
import { dropApprovals } from '../openers/of-leads.ts'
import { leads, valueBytes } from '../tables/leads.ts'
import { isSuppressed } from '../tables/suppressions.ts'
import { type IncomingLead, stagedRow } from './columns.ts'
import { mergeDuplicateLeads } from './duplicates.ts'
import {
  correctLeads,
  followLeads,
  type LeftOutIds,
  leaveOutDoubtfulIds,
  lockLeadsOf,
  NONE_LEFT_OUT,
  releaseSuppressions,
} from './identity.ts'
import { countedLead, countLeads } from './lead-counts.ts'
import { restorePastContacts } from './past-contacts.ts'
import { takeSpace } from './space.ts'
import { incoming, openStage } from './stage-table.ts'

const lead = alias(leads, 'l')

// Creates and updates leads: stages them in a temporary table, then saves them with a few
// statements.

/** The workspace of leads, and the user who added them. */
export interface Owner {
  workspaceId: string
  userId: string | null
}

/** The source of people: X, as `whole` profiles or `parts` of them, always with ids; or a `file`. */
type Source = 'whole' | 'parts' | 'file'

/**
 * Creates or updates leads that X has shown, matched by X user id or handle. Skips suppressed
 * people. @param people unique @param read `whole` replaces the profile, `parts` only the given
 * values @param seenAt when X showed the people @returns the leads' ids
 */
export async function upsertLeads(
  tx: Db,
  owner: Owner,
  people: readonly IncomingLead[],
  read: 'whole' | 'parts',
  seenAt: Date = new Date(),
): Promise<string[]> {
  await openStage(tx)
  await stage(tx, people, seenAt)
  await releaseSuppressions(tx, owner.workspaceId)
  await unstageSuppressed(tx, owner.workspaceId, 0)
  await settleStage(tx, owner, read)
  const { rows } = await tx.execute<{ lead_id: string }>(sql`delete from incoming_leads returning lead_id`)
  return rows.map((row) => row.lead_id)
}

async function stage(tx: Db, people: readonly IncomingLead[], seenAt: Date): Promise<void> {
  if (people.length === 0) return
  await stageRows(tx, JSON.stringify(people.map((lead, index) => stagedRow(index + 1, withinLimits(lead)))), seenAt)
}

/** Cuts values from X to our limits, although X's own limits are far lower. */
function withinLimits(lead: IncomingLead): IncomingLead {
  return { ...lead, bio: lead.bio && [...lead.bio].slice(0, BIO_MAX).join('') }
}

/** Stages rows. @param rows a JSON list of `stagedRow` objects */
export async function stageRows(tx: Db, rows: string, seenAt: Date = new Date()): Promise<void> {
  await tx.execute(sql`
    insert into incoming_leads (line, seen_at, ${STAGED})
    select line, ${seenAt.toISOString()}::timestamptz, ${STAGED} from jsonb_to_recordset(${rows}::jsonb) as incoming(
      line integer, x_user_id text, twitter_handle text, name text, first_name text, first_name_from text,
      bio text, follower_count integer,
      following_count integer,
      source_profile text, url text, profile_image_url text, location text, website text, metadata jsonb,
      basis text, basis_at timestamptz, basis_source text, tags text[])`)
}

const STAGED = sql`
  x_user_id, twitter_handle, name, first_name, first_name_from, bio, follower_count, following_count, source_profile,
  url, profile_image_url, location, website, metadata, basis, basis_at, basis_source, tags`

/** Removes rows that repeat a handle. Returns their number and the first `named` of them. */
export async function unstageDuplicates(
  tx: Db,
  named: number,
): Promise<{ duplicates: { line: number; first: number }[]; total: number }> {
  const { rows } = await tx.execute<{ line: number; first: number; total: number }>(sql`
    with gone as (
      delete from incoming_leads i
      using (
        select line, first_value(line) over (partition by lower(twitter_handle) order by line) as first
        from incoming_leads
      ) d
      where i.line = d.line and d.first < d.line
      returning i.line, d.first
    )
    select line, first, count(*) over ()::int as total from gone order by line limit ${named}`)
  return { duplicates: rows, total: rows[0]?.total ?? 0 }
}

/** A number of staged rows, and the first of them. */
export interface StagedLines {
  lines: number[]
  total: number
}

/**
 * Runs a deletion. @returns the first lines and the number of deleted rows @param removed the
 * deletion, returning `line` @param named how many lines to return
 */
async function linesOf(tx: Db, removed: SQL, named: number): Promise<StagedLines> {
  const { rows } = await tx.execute<StagedLines & Record<string, unknown>>(sql`
    with gone as (${removed})
    select array(select line from gone order by line limit ${named}) as lines, (select count(*) from gone)::int as total`)
  return one(rows)
}

/** Removes suppressed people from the staging table. */
export async function unstageSuppressed(tx: Db, workspaceId: string, named: number): Promise<StagedLines> {
  const removed = sql`
    delete from incoming_leads i
    using (
      select line, ${workspaceId}::uuid as workspace_id, twitter_handle, x_user_id, null::timestamptz as handle_lost_at
      from incoming_leads
    ) l
    where l.line = i.line and ${isSuppressed(lead)}
    returning i.line`
  return linesOf(tx, removed, named)
}

/**
 * Saves the staged rows as leads. Rejects rows with too many values, and names some of them.
 * @throws Refusal TOO_MANY: the workspace is full
 */
export async function settleStage(
  tx: Db,
  { workspaceId, userId }: Owner,
  source: Source,
  { onSaved = () => {}, named = 0 }: { onSaved?: (done: number, of: number) => void; named?: number } = {},
): Promise<{ imported: number; updated: number; overfull: StagedLines; leftOut: LeftOutIds }> {
  const isFromX = source !== 'file'
  await lockLeadsOf(tx, workspaceId)
  await mergeDuplicateLeads(tx, workspaceId, isFromX)
  if (isFromX) await correctLeads(tx, workspaceId)
  const leftOut = isFromX ? NONE_LEFT_OUT : await leaveOutDoubtfulIds(tx, workspaceId, named)
  await tx.execute(sql`
    update incoming_leads i set lead_id = coalesce(
      (select l.id from leads l where l.workspace_id = ${workspaceId} and l.x_user_id = i.x_user_id),
      (
        select l.id
        from leads l
        where l.workspace_id = ${workspaceId}
          and l.x_user_id is null
          and lower(l.twitter_handle) = lower(i.twitter_handle)
      ),
      case when i.x_user_id is null then
        (
          select l.id
          from leads l
          where l.workspace_id = ${workspaceId}
            and lower(l.twitter_handle) = lower(i.twitter_handle)
            and l.handle_lost_at is null
          order by l.updated_at desc, l.id desc
          limit 1
        )
      end)`)
  // Sorted by id, the order in which leads are locked.
  await lockRows(tx, 'leads', sql`id in (select lead_id from incoming_leads)`)
  const overfull = await linesOf(
    tx,
    sql`
      delete from incoming_leads i using leads l
      where l.id = i.lead_id and ${!isFromX}
        and ${valueBytes(lead, incoming)} > greatest(${LEAD_VALUES_MAX}, ${valueBytes(lead)})
      returning i.line`,
    named,
  )
  // Ids are time-ordered, so pages show new leads in the order of the file.
  await tx.execute(sql`
    update incoming_leads i set lead_id = made.id, is_new = true
    from (
      select line, new_id() as id from incoming_leads s
      where s.lead_id is null or not exists (select from leads l where l.id = s.lead_id)
      order by line
    ) made where made.line = i.line`)
  await takeSpace(tx, workspaceId, { isLimited: source !== 'parts' })
  const incomingValue = (key: keyof typeof leads.$inferSelect) =>
    source === 'whole' ? incoming[key] : sql`coalesce(${incoming[key]}, ${lead[key]})`
  const xUserId = sql`coalesce(i.x_user_id, l.x_user_id)`
  const checkedAt = sql`case when ${isFromX} and i.x_user_id is not null
    then greatest(l.x_user_checked_at, i.seen_at) else l.x_user_checked_at end`
  const handle = source === 'whole' ? sql`i.twitter_handle` : sql`l.twitter_handle`
  const basis = (column: SQL, value: SQL) =>
    sql`case when i.basis is null then ${column} when i.basis = 'none' then null else ${value} end`
  await followLeads(
    tx,
    workspaceId,
    sql`
      select ${xUserId} as x_user_id, lower(l.twitter_handle) as handle, lower(${handle}) as new_handle,
        l.handle_lost_at is not null as is_lost
      from incoming_leads i
      join leads l on l.id = i.lead_id
      where not i.is_new and ${xUserId} is not null and ${checkedAt} is not null
        and (l.x_user_checked_at is null or l.x_user_id is distinct from ${xUserId} or l.twitter_handle <> ${handle})`,
  )
  let imported = 0
  let updated = 0
  const { rows: ends } = await tx.execute<{ line: number; count: number }>(sql`
    select max(line) as line, count(*)::int as count
    from (select line, (row_number() over (order by line) - 1) / ${SAVE_BATCH} as part from incoming_leads) parts
    group by part
    order by 1`)
  const all = ends.reduce((sum, { count }) => sum + count, 0)
  let from = 0
  let done = 0
  for (const { line: to, count } of ends) {
    const part = sql`i.line > ${from} and i.line <= ${to}`
    const changed = await tx.execute(sql`
      update leads l set
        x_user_id = ${xUserId}, x_user_checked_at = ${checkedAt}, twitter_handle = ${handle},
        name = coalesce(i.name, l.name),
        first_name = case
          when i.first_name_from = 'file' or (i.first_name_from = 'name' and l.first_name_from = 'name') then i.first_name
          else l.first_name end,
        first_name_from = case when i.first_name_from = 'file' then 'file' else l.first_name_from end,
        bio = ${incomingValue('bio')}, follower_count = ${incomingValue('followerCount')},
        following_count = ${incomingValue('followingCount')},
        source_profile = coalesce(i.source_profile, l.source_profile),
        url = ${incomingValue('url')}, profile_image_url = ${incomingValue('profileImageUrl')},
        location = ${incomingValue('location')}, website = ${incomingValue('website')},
        metadata = l.metadata || coalesce(i.metadata, '{}'),
        basis = coalesce(i.basis, l.basis),
        basis_at = ${basis(sql`l.basis_at`, sql`coalesce(i.basis_at, case when l.basis = i.basis then l.basis_at end, now())`)},
        basis_source = ${basis(sql`l.basis_source`, sql`coalesce(i.basis_source, case when l.basis = i.basis then l.basis_source end)`)},
        updated_at = now()
      from incoming_leads i where l.id = i.lead_id and not i.is_new and ${part}`)
    const made = await tx.execute(sql`
      with added as (
        insert into leads (id, workspace_id, user_id, x_user_id, x_user_checked_at, twitter_handle, name,
          first_name, first_name_from, bio, follower_count, following_count,
          source_profile, url, profile_image_url, location, website, metadata, basis, basis_at, basis_source)
        select lead_id, ${workspaceId}, ${userId}, x_user_id,
          case when ${isFromX} and x_user_id is not null then seen_at end, twitter_handle, coalesce(name, ''),
          first_name, coalesce(first_name_from, 'name'), bio,
          follower_count, following_count,
          source_profile, url, profile_image_url, location, website, coalesce(metadata, '{}'), coalesce(basis, 'none'),
          ${basis(sql`null`, sql`coalesce(basis_at, now())`)}, ${basis(sql`null`, sql`basis_source`)}
        from incoming_leads i
        where is_new and ${part}
        order by line
        returning ${countedLead()}
      ), ${countLeads({ after: 'added' })}
      select from added`)
    updated += changed.rowCount ?? 0
    imported += made.rowCount ?? 0
    from = to
    done += count
    onSaved(done, all)
  }
  if (imported > 0) await restorePastContacts(tx, workspaceId, isFromX)
  if (updated > 0) await dropApprovals(tx, workspaceId)
  return { imported, updated, overfull, leftOut }
}

/** Rows saved per statement. An import reports its progress after each. */
const SAVE_BATCH = 5_000
