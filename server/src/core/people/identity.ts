import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../db/columns.ts'
import type { Db } from '../../db/open.ts'
import { lockRows } from '../../db/transact.ts'
import { isUniqueViolation } from '../../db/unique-violation.ts'
import { isIdConfirmed, leads } from '../tables/leads.ts'
import { countSuppressions } from './counts.ts'
import { incoming } from './stage-table.ts'

const lead = alias(leads, 'l')

// A person is an X id. Handles change and are reused, and a file can name a wrong id. What X shows
// decides: it corrects ids that only a file claims, and stores changed handles.

/** Serializes writers of a workspace's leads, who could otherwise create the same lead twice or deadlock. */
export async function lockLeadsOf(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${leadsLock(workspaceId)})`)
}

/** SQL: the key of the lock that `lockLeadsOf` takes. */
export const leadsLock = (workspaceId: string) => sql`hashtextextended('leads of ' || ${workspaceId}::text, 0)`

/** SQL: two people have the same handle. */
export const isSameHandle = (first: AliasOf<typeof leads>, other: AliasOf<typeof leads>) =>
  sql`lower(${first.twitterHandle}) = lower(${other.twitterHandle})`

/**
 * SQL over a staged person `i` and a lead `l` with the same id: X shows the id with another handle,
 * and only a file claimed it for the lead.
 */
const isRefuted = sql`not ${isSameHandle(lead, incoming)} and not ${isIdConfirmed(lead)}`
/** SQL over a staged person `i` and a lead `l` with the same id: X has shown something newer than the lead has. */
export const isOutdated = sql`
  (not ${isSameHandle(lead, incoming)} or l.handle_lost_at is not null or l.x_user_checked_at is null)
  and coalesce(l.x_user_checked_at <= i.seen_at, true)`
/**
 * SQL over a staged person `i` and a lead `l` with the same handle: the lead is another person, who
 * has lost the handle.
 */
export const isTaken = sql`
  l.x_user_id <> i.x_user_id and l.handle_lost_at is null and coalesce(l.x_user_checked_at <= i.seen_at, true)
  and ${isIdConfirmed(lead)}`
/** SQL over a staged person `i` and a suppression `s` with its handle: the suppression is about another person. */
export const isOfAnother = sql`
  s.handle_lost_at is null and s.x_user_checked_at <= i.seen_at and s.x_user_id <> i.x_user_id and not exists (
  select
  from suppressions o
  where o.workspace_id = s.workspace_id
    and o.twitter_handle = s.twitter_handle
    and o.x_user_id = s.x_user_id
    and o.id <> s.id)`

/**
 * Lets suppressions follow the former owners of staged handles, so that the new owners are not
 * suppressed. Call it before suppressed people are removed from the staging table.
 */
export async function releaseSuppressions(tx: Db, workspaceId: string): Promise<void> {
  const own = sql`${workspaceId}::uuid`
  const takenHandles = sql`
    select l.x_user_id, lower(l.twitter_handle) as handle, i.seen_at from incoming_leads i
    join leads l on l.workspace_id = ${own} and ${isSameHandle(lead, incoming)} where ${isTaken}`
  // The person who had the handle when it was suppressed stays suppressed, by their id.
  await tx.execute(sql`
    update suppressions s
    set x_user_id = taken.x_user_id, x_user_checked_at = taken.seen_at
    from (${takenHandles}) taken
    where s.workspace_id = ${own}
      and s.twitter_handle = taken.handle
      and s.handle_lost_at is null
      and s.x_user_checked_at is null
      and coalesce(s.x_user_id = taken.x_user_id, true)`)
  // A file claimed another id, so the suppression may mean either person.
  await tx.execute(sql`
    with copied as (
      insert into suppressions
        (workspace_id, user_id, twitter_handle, x_user_id, x_user_checked_at, handle_lost_at, reason, note)
      select s.workspace_id, s.user_id, s.twitter_handle, taken.x_user_id, now(), now(), s.reason, s.note
      from (${takenHandles}) taken join suppressions s on s.workspace_id = ${own} and s.twitter_handle = taken.handle
      where s.handle_lost_at is null and s.x_user_checked_at is null and s.x_user_id <> taken.x_user_id
        and not exists (select from suppressions o where o.workspace_id = ${own} and o.x_user_id = taken.x_user_id)
      returning workspace_id, 1 as n
    )
    ${countSuppressions(sql`copied`)}`)
  await tx.execute(sql`
    update suppressions s set handle_lost_at = now() from incoming_leads i
    where s.workspace_id = ${own} and s.twitter_handle = lower(i.twitter_handle) and ${isOfAnother}`)
}

/** SQL for `returning` in updates of leads whose ids X has shown: the columns that `identifySuppressions` needs. */
export const SHOWN = sql`
  workspace_id, x_user_id, lower(twitter_handle) as handle, handle_lost_at is not null as is_lost`

/**
 * SQL: a statement that gives suppressions the ids that X has shown with their handles.
 * @param shown a relation of `SHOWN`
 */
export const identifySuppressions = (shown: SQL) => sql`
  update suppressions s set x_user_id = shown.x_user_id, x_user_checked_at = now() from ${shown} shown
  where s.workspace_id = shown.workspace_id and s.twitter_handle = shown.handle and not shown.is_lost
    and s.handle_lost_at is null and s.x_user_checked_at is null and coalesce(s.x_user_id = shown.x_user_id, true)`

interface Change extends Record<string, unknown> {
  xUserId: string
  handle: string
  newHandle: string
  isLost: boolean
}

/**
 * Updates the suppressions of leads whose id or new handle X has shown. The caller has locked the
 * leads, and changes them afterwards. @param changes subquery of x_user_id, handle and new_handle
 * (in lower case), and is_lost
 */
export async function followLeads(tx: Db, workspaceId: string, changes: SQL): Promise<void> {
  const own = sql`${workspaceId}::uuid`
  const { rows } = await tx.execute<Change>(sql`
    select c.x_user_id as "xUserId", c.handle, c.new_handle as "newHandle", c.is_lost as "isLost" from (${changes}) c
    where exists (select from suppressions s where s.workspace_id = ${own} and s.twitter_handle = c.handle)
      or exists (select from suppressions s where s.workspace_id = ${own} and s.x_user_id = c.x_user_id)`)
  if (rows.length === 0) return
  await tx.execute(
    identifySuppressions(sql`(
      select ${own} as workspace_id, "xUserId" as x_user_id, handle, "isLost" as is_lost
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as changed("xUserId" text, handle text, "isLost" boolean))`),
  )
  for (const change of rows) if (change.handle !== change.newHandle) await followHandle(tx, own, change)
}

/** Updates the suppressions of a person who has a new handle. */
async function followHandle(tx: Db, own: SQL, { xUserId, handle, newHandle, isLost }: Change): Promise<void> {
  // A suppression of the handle with another, unconfirmed id may mean either person.
  if (!isLost)
    await tx.execute(sql`
      with copied as (
        insert into suppressions
          (workspace_id, user_id, twitter_handle, x_user_id, x_user_checked_at, handle_lost_at, reason, note)
        select workspace_id, user_id, twitter_handle, ${xUserId}::text, now(), now(), reason, note
        from suppressions
        where workspace_id = ${own} and twitter_handle = ${handle} and handle_lost_at is null
          and x_user_id <> ${xUserId} and x_user_checked_at is null
          and not exists (select from suppressions o where o.workspace_id = ${own} and o.x_user_id = ${xUserId})
        on conflict do nothing returning workspace_id, 1 as n
      )
      ${countSuppressions(sql`copied`)}`)
  const isTheirs = sql`workspace_id = ${own} and x_user_id = ${xUserId} and x_user_checked_at is not null`
  try {
    await tx.transaction(async (nested) => {
      await nested.execute(sql`
        update suppressions set handle_lost_at = now()
        where ${isTheirs} and twitter_handle <> ${newHandle} and handle_lost_at is null`)
      await nested.execute(sql`
        update suppressions set twitter_handle = ${newHandle}, handle_lost_at = null
        where id = (
          select id from suppressions where ${isTheirs} and handle_lost_at is not null
          order by twitter_handle <> ${newHandle}, created_at, id limit 1
        ) and not exists (
          select from suppressions
          where workspace_id = ${own} and twitter_handle = ${newHandle} and handle_lost_at is null)`)
    })
  } catch (error) {
    // Another transaction has just suppressed the handle. The person stays suppressed by id.
    if (!isUniqueViolation(error)) throw error
  }
}

/**
 * Corrects leads according to the staged people, whose ids come from X: removes wrong ids, stores
 * changed handles, and marks leads that have lost their handle. Neither creates nor merges leads.
 */
export async function correctLeads(tx: Db, workspaceId: string): Promise<void> {
  const own = sql`${workspaceId}::uuid`
  const byId = sql`from incoming_leads i join leads l on l.workspace_id = ${own} and l.x_user_id = i.x_user_id`
  const byHandle = sql`
    from incoming_leads i join leads l on l.workspace_id = ${own} and ${isSameHandle(lead, incoming)}`
  await lockRows(
    tx,
    'leads',
    sql`id in (select l.id ${byId} where ${isRefuted} or ${isOutdated} union select l.id ${byHandle} where ${isTaken})`,
  )
  await tx.execute(sql`
    update leads set x_user_id = null, updated_at = now()
    where id in (select l.id ${byId} where ${isRefuted} and ${isOnlyOfHandle(lead)})`)
  const isCorrected = sql`${isOutdated} and not (${isRefuted})`
  await followLeads(
    tx,
    workspaceId,
    sql`
      select l.x_user_id, lower(l.twitter_handle) as handle, lower(i.twitter_handle) as new_handle,
        l.handle_lost_at is not null as is_lost ${byId} where ${isCorrected}`,
  )
  await tx.execute(sql`
    update leads k
    set twitter_handle = found.twitter_handle, handle_lost_at = null, x_user_checked_at = found.seen_at,
      updated_at = now(),
      former_handles = case when lower(k.twitter_handle) = lower(found.twitter_handle) then k.former_handles
        else k.former_handles || jsonb_build_array(jsonb_build_object('handle', k.twitter_handle, 'until', now())) end
    from (select l.id, i.twitter_handle, i.seen_at ${byId} where ${isCorrected}) found
    where k.id = found.id`)
  await tx.execute(sql`
    update leads set handle_lost_at = now(), updated_at = now() where id in (select l.id ${byHandle} where ${isTaken})`)
}

/** Ids from a file that are left out as doubtful: how many, and the first ones. Their rows keep the handle. */
export interface LeftOutIds {
  warnings: { line: number; problem: string }[]
  total: number
}
export const NONE_LEFT_OUT: LeftOutIds = { warnings: [], total: 0 }

/**
 * Leaves out ids that several staged people share, because it is unknown whose they are. @param
 * named how many warnings to return
 */
export async function leaveOutSharedIds(tx: Db, named: number): Promise<LeftOutIds> {
  return warningsOf(
    tx,
    sql`
      update incoming_leads i set x_user_id = null
      from (
        select line, x_user_id, count(*) over (partition by x_user_id) as people
        from incoming_leads
        where x_user_id is not null
      ) shared
      where i.line = shared.line and shared.people > 1
      returning i.line, shared.x_user_id || ' is also in the row of another handle' as problem`,
    named,
  )
}

/**
 * Leaves out ids that contradict X or another file. If two files contradict each other, the lead
 * loses its id as well, and is looked up by its handle. @param named how many warnings to return
 */
export async function leaveOutDoubtfulIds(tx: Db, workspaceId: string, named: number): Promise<LeftOutIds> {
  const wasTheirs = sql`(${isIdConfirmed(lead)} and exists (
    select
    from jsonb_array_elements(l.former_handles) former
    where lower(former ->> 'handle') = lower(i.twitter_handle)))`
  await tx.execute(sql`
    create temp table if not exists doubtful_ids (
      line integer, lead_id uuid, is_confirmed boolean not null, problem text not null
    ) on commit delete rows`)
  await tx.execute(sql`
    insert into doubtful_ids
    select i.line, l.id, ${isIdConfirmed(lead)},
      case when ${isIdConfirmed(lead)} then i.x_user_id || ' belongs to @' || l.twitter_handle || ' on X'
      else i.x_user_id || ' was imported for @' || l.twitter_handle || ' before' end
    from incoming_leads i join leads l on l.workspace_id = ${workspaceId} and l.x_user_id = i.x_user_id
    where not ${isSameHandle(lead, incoming)} and not ${wasTheirs}
    union all
    select i.line, l.id, false,
      i.x_user_id || ' differs from the one that was imported for @' || l.twitter_handle || ' before'
    from incoming_leads i join leads l on l.workspace_id = ${workspaceId} and ${isSameHandle(lead, incoming)}
    where l.x_user_id <> i.x_user_id and not ${isIdConfirmed(lead)}`)
  const unclaimed = sql`
    select l.id
    from leads l
    join doubtful_ids d on d.lead_id = l.id
    where not d.is_confirmed and ${isOnlyOfHandle(lead)}`
  await lockRows(tx, 'leads', sql`id in (${unclaimed})`)
  await tx.execute(sql`update leads set x_user_id = null, updated_at = now() where id in (${unclaimed})`)
  return warningsOf(
    tx,
    sql`
      update incoming_leads i
      set x_user_id = null
      from (select line, min(problem) as problem from doubtful_ids group by line) d
      where i.line = d.line returning i.line, d.problem`,
    named,
  )
}

/**
 * Returns warnings about left-out ids. @param left SQL that leaves them out and returns `line` and
 * `problem` of each row
 */
async function warningsOf(tx: Db, left: SQL, named: number): Promise<LeftOutIds> {
  const { rows } = await tx.execute<{ line: number; problem: string; total: number }>(sql`
    with left_out as (${left})
    select line, problem, (count(*) over ())::int as total from left_out order by line limit ${named}`)
  const warnings = rows.map(({ line, problem }) => ({ line, problem: `x_user_id ${problem}, so it was left out` }))
  return { warnings, total: rows[0]?.total ?? 0 }
}

/** SQL over a lead's alias: no other lead with its handle lacks an id, so this one may lose its own. */
function isOnlyOfHandle(lead: AliasOf<typeof leads>): SQL {
  return sql`
    not exists (
      select
      from leads o
      where o.workspace_id = ${lead.workspaceId}
        and o.x_user_id is null
        and lower(o.twitter_handle) = lower(${lead.twitterHandle})
    )`
}
