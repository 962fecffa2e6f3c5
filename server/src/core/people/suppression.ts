import type { InputOf } from '@x-automated/contract/contract'
import { IMPORT_REJECTED_NAMED } from '@x-automated/contract/leads/import-limits'
import type { SuppressionImport, SuppressionReason } from '@x-automated/contract/leads/suppressions'
import { handleFault, handleIn } from '@x-automated/contract/x-handle'
import { readXUserId } from '@x-automated/contract/x-user-id'
import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor, Author } from '../../actor.ts'
import { allowLongStatements } from '../../db/long-statements.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { newestFirst } from '../../db/paging.ts'
import { transact } from '../../db/transact.ts'
import { authUsers } from '../../domains/identity/auth/tables.ts'
import type { Sending } from '../../ports.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import { isIdConfirmed, leads } from '../tables/leads.ts'
import { suppressionCounts, suppressions, suppressionsOf } from '../tables/suppressions.ts'
import { countSuppressions } from './counts.ts'
import { anywhere } from './filter.ts'
import { type FilePart, importReport } from './import.ts'
import { choosePart } from './selection.ts'

const lead = alias(leads, 'l')

const columns = {
  id: suppressions.id,
  twitterHandle: suppressions.twitterHandle,
  xUserId: suppressions.xUserId,
  handleLostAt: suppressions.handleLostAt,
  reason: suppressions.reason,
  note: suppressions.note,
  by: { id: authUsers.id, name: authUsers.name },
  createdAt: suppressions.createdAt,
}

/** One page of the suppression list, newest first, with the exact total. */
export async function list(
  db: Db,
  actor: Actor,
  { q, leadId, reason, withinDays, ...input }: InputOf<'suppressions', 'list'>,
) {
  const page = newestFirst(input, suppressions.createdAt, suppressions.id)
  const matching = and(
    eq(suppressions.workspaceId, actor.workspaceId),
    q ? sql`(${handleHas(q)} or ${suppressions.xUserId} = ${q})` : undefined,
    leadId ? sql`${suppressions.id} in (${suppressionsOf(actor.workspaceId, leadId)})` : undefined,
    reason && eq(suppressions.reason, reason),
    withinDays ? gt(suppressions.createdAt, sql`now() - make_interval(days => ${withinDays})`) : undefined,
  )
  const [rows, total] = await Promise.all([
    db
      .select(columns)
      .from(suppressions)
      .leftJoin(authUsers, eq(authUsers.id, suppressions.userId))
      .where(and(matching, page.where))
      .orderBy(...page.order)
      .limit(page.limit)
      .offset(page.offset),
    q || leadId || reason || withinDays ? db.$count(suppressions, matching) : countAll(db, actor),
  ])
  const { shown: visible, paging } = page.cut(rows, ({ createdAt, id }) => ({ at: createdAt, id }))
  return { suppressions: visible, total, ...paging }
}

/**
 * SQL: three or more characters match anywhere in a handle, fewer only at its beginning. Each case
 * has its own index.
 */
function handleHas(q: string): SQL {
  const part = q.replace(/^@/, '').toLowerCase()
  if (part === '') return sql`true`
  const pattern = anywhere(part)
  return sql`${suppressions.twitterHandle} like ${part.length < 3 ? pattern.slice(1) : pattern}`
}

async function countAll(db: Db, actor: Actor): Promise<number> {
  const [row] = await db
    .select({ count: suppressionCounts.count })
    .from(suppressionCounts)
    .where(eq(suppressionCounts.workspaceId, actor.workspaceId))
  return row?.count ?? 0
}

interface Context {
  db: Db
  sending: Pick<Sending, 'stopMessages'>
}

/**
 * Suppresses the given people and fails their queued messages in one transaction. Senders check the
 * list again right before sending. @returns the numbers of new entries and of stopped messages
 */
export async function create(
  { db, sending }: Context,
  actor: Actor,
  { reason, note, handles, xUserId, ...selection }: InputOf<'suppressions', 'create'>,
) {
  return transact(db, async (tx) => {
    await openStage(tx)
    const reasonAndNote = sql`${reason}::text, ${note || null}::text`
    const claimedId = believed(xUserId)
    const isById = xUserId !== undefined && !handles
    if (isById && claimedId === null) throw invalidField('xUserId', 'was rounded by a spreadsheet or another program')
    if (handles || isById) {
      const people = (handles ?? ['']).map((text) => personOf(text, claimedId))
      await tx.execute(sql`
        insert into incoming_suppressions (twitter_handle, x_user_id, is_id_only, reason, note)
        select distinct handle, x_user_id, handle = '', ${reasonAndNote}
        from unnest(
          ${sql.param(people.map(({ handle }) => handle))}::text[], ${sql.param(people.map(({ id }) => id))}::text[]
        ) as p(handle, x_user_id)
        on conflict do nothing`)
    }
    const part = handles || isById ? null : await choosePart(tx, actor, selection)
    if (part) await stageLeads(tx, part.leads, reasonAndNote)
    const isOptOut = reason === 'opted_out' || reason === 'replied_stop'
    const { added, stopped } = await settleStage({ db: tx, sending }, actor, { isOptOut })
    const suppressionId = added.length === 1 ? one(added) : null
    return { success: true as const, suppressed: added.length, suppressionId, stopped, cursor: part?.cursor ?? null }
  })
}

/** Reads a person as a caller names them: by handle, or by id if the text is not a handle. */
function personOf(text: string, claimedId: string | null): { handle: string; id: string | null } {
  const handle = handleIn(text).toLowerCase()
  return handleFault(handle) === null ? { handle, id: claimedId } : { handle: '', id: believed(text) ?? claimedId }
}

/** An X id that a caller claims; null if it was rounded. */
function believed(xUserId: string | undefined): string | null {
  const read = readXUserId(xUserId ?? '')
  return 'id' in read ? read.id : null
}

/** Suppresses the chosen leads in the caller's transaction. @returns the ids of the new entries */
export async function suppressChosen(
  { db: tx, sending }: Context,
  by: Author,
  chosen: SQL,
  { reason, note }: { reason: SuppressionReason; note?: string | undefined },
): Promise<string[]> {
  await openStage(tx)
  await stageLeads(tx, chosen, sql`${reason}::text, ${note || null}::text`)
  return (await settleStage({ db: tx, sending }, by)).added
}

/** Removes entries. Stopped messages stay failed. @returns their number */
export async function removeEntries(db: Db, workspaceId: string, ids: readonly string[]): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    with old as (
      select id from suppressions
      where workspace_id = ${workspaceId} and id = any(${sql.param([...ids])}::uuid[])
      order by id for update
    ), deleted as (
      delete from suppressions s using old where s.id = old.id returning s.workspace_id, -1 as n
    ), counted as (${countSuppressions(sql`deleted`)})
    select count(*)::int as count from deleted`)
  return one(rows).count
}

/** Suppresses leads who asked to stop, in the caller's `transact`. An existing entry gets this reason. */
export async function suppressOptOuts(
  { db: tx, sending }: Context,
  workspaceId: string,
  leadIds: readonly string[],
): Promise<{ added: number; stopped: number }> {
  await openStage(tx)
  await stageLeads(
    tx,
    sql`select id from leads where id = any(${sql.param([...leadIds])}::uuid[]) and workspace_id = ${workspaceId}`,
    sql`'replied_stop', null`,
  )
  const { added, ...counts } = await settleStage({ db: tx, sending }, { workspaceId, userId: null }, { isOptOut: true })
  return { ...counts, added: added.length }
}

/** Removes an entry. Stopped messages stay failed until requeued. @throws Refusal SUPPRESSION_NOT_FOUND */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  if ((await removeEntries(db, actor.workspaceId, [id])) === 0) throw new Refusal('SUPPRESSION_NOT_FOUND')
}

/**
 * Imports all valid rows of a file, or none if it fails. Importing it again changes nothing.
 * @throws Refusal INVALID_INPUT: empty, no column of handles or ids, or too many invalid rows
 */
export async function importSuppressions(
  { db, sending }: Context,
  actor: Actor,
  read: () => AsyncIterable<FilePart>,
): Promise<SuppressionImport> {
  return transact(db, async (tx) => {
    const report = importReport()
    await allowLongStatements(tx)
    await openStage(tx)
    for await (const part of read()) {
      report.addPart(part)
      // Call it for empty parts too: PostgreSQL ends a transaction that is idle for a minute.
      await stageRows(tx, part.rows)
    }
    await warnOfSharedIds(tx, report)
    const { added, known: existing, stopped } = await settleStage({ db: tx, sending }, actor)
    return { imported: added.length, known: existing, stopped, ...report.answer() }
  })
}

/** Creates the connection's temporary table, emptied when the transaction ends. */
async function openStage(tx: Db): Promise<void> {
  await tx.execute(sql`create temp table if not exists incoming_suppressions (
    line integer, twitter_handle text not null, x_user_id text,
    is_checked boolean not null default false, is_id_only boolean not null default false, reason text not null,
    note text
  ) on commit delete rows`)
  await tx.execute(sql`
    create unique index if not exists incoming_suppressions_handle on incoming_suppressions (twitter_handle)
    where not is_id_only`)
  // One transaction may suppress several people, one after the other.
  await tx.execute(sql`delete from incoming_suppressions`)
}

/** Stages rows. @param rows a JSON list of `stagedRow` objects */
async function stageRows(tx: Db, rows: string): Promise<void> {
  const incoming = sql`
    jsonb_to_recordset(${rows}::jsonb) as r(line integer, twitter_handle text, x_user_id text, reason text, note text)`
  await tx.execute(sql`
    insert into incoming_suppressions (line, twitter_handle, x_user_id, is_id_only, reason, note)
    select line, twitter_handle, x_user_id, twitter_handle = '', reason, note from ${incoming}
    on conflict do nothing`)
  // Adds rows for further ids of the same handle.
  await tx.execute(sql`
    insert into incoming_suppressions (line, twitter_handle, x_user_id, is_id_only, reason, note)
    select r.line, r.twitter_handle, r.x_user_id, true, r.reason, r.note from ${incoming}
    join incoming_suppressions i on i.twitter_handle = r.twitter_handle and not i.is_id_only
    where i.x_user_id is distinct from r.x_user_id and r.x_user_id is not null`)
}

async function stageLeads(tx: Db, leadIds: SQL, reasonAndNote: SQL): Promise<void> {
  await tx.execute(sql`
    insert into incoming_suppressions (twitter_handle, x_user_id, is_checked, is_id_only, reason, note)
    select lower(l.twitter_handle), l.x_user_id, ${isIdConfirmed(lead)}, l.handle_lost_at is not null, ${reasonAndNote}
    from leads l
    where l.id in (${leadIds})
    order by ${isIdConfirmed(lead)} desc, l.x_user_id nulls last
    on conflict do nothing`)
}

/** Warns about ids in the rows of several handles. All of them are suppressed, because each may be right. */
async function warnOfSharedIds(tx: Db, report: ReturnType<typeof importReport>): Promise<void> {
  const { rows } = await tx.execute<{ line: number; xUserId: string; total: number }>(sql`
    select line, x_user_id as "xUserId", (count(*) over ())::int as total
    from (
      select line, x_user_id, count(*) over (partition by x_user_id) as people
      from incoming_suppressions
      where x_user_id is not null and not is_id_only
    ) shared
    where people > 1 order by line limit ${IMPORT_REJECTED_NAMED}`)
  report.warn(
    rows.map(({ line, xUserId }) => ({ line, problem: `x_user_id ${xUserId} is also in the row of another handle` })),
    rows[0]?.total ?? 0,
  )
}

/** SQL over a suppression `s` and a staged person `i`: both have the same handle. */
const hasHandle = sql`s.twitter_handle = i.twitter_handle and s.handle_lost_at is null and not i.is_id_only`

/** Gives the entries of staged people their new reason, and new ids, so that the undo of a job cannot remove them. */
async function renewEntries(tx: Db, workspaceId: string): Promise<void> {
  const entriesBy = (key: SQL) => sql`
    select s.id, i.reason from incoming_suppressions i join suppressions s on s.workspace_id = ${workspaceId} and ${key}`
  await tx.execute(sql`
    update suppressions s set id = gen_random_uuid(), reason = locked.reason from (
      select s.id, known.reason from (
        ${entriesBy(hasHandle)} union ${entriesBy(sql`s.x_user_id = i.x_user_id`)}
      ) known join suppressions s on s.id = known.id order by s.id for update of s
    ) locked where s.id = locked.id`)
}

/**
 * Gives staged handles the ids of leads that X has shown with them. If a row claims another id,
 * both people are suppressed, because it may mean either.
 */
async function identify(tx: Db, own: SQL): Promise<void> {
  // If a row has only an id, take the handle from the lead with that id.
  await tx.execute(sql`
    update incoming_suppressions i
    set twitter_handle = lower(l.twitter_handle), is_id_only = l.handle_lost_at is not null, is_checked = true
    from leads l
    where i.twitter_handle = '' and l.workspace_id = ${own} and l.x_user_id = i.x_user_id and ${isIdConfirmed(lead)}
      and not exists (select from incoming_suppressions o where o.twitter_handle = lower(l.twitter_handle))`)
  const holder = sql`l.workspace_id = ${own} and lower(l.twitter_handle) = i.twitter_handle and l.handle_lost_at is null
    and l.x_user_id is not null and ${isIdConfirmed(lead)}`
  await tx.execute(sql`
    with contradicted as (
      update incoming_suppressions i set is_id_only = true from leads l
      where ${holder} and not i.is_checked and i.x_user_id <> l.x_user_id
      returning i.line, i.twitter_handle, l.x_user_id, i.reason, i.note
    )
    insert into incoming_suppressions (line, twitter_handle, x_user_id, is_checked, reason, note)
    select line, twitter_handle, x_user_id, true, reason, note from contradicted on conflict do nothing`)
  await tx.execute(sql`
    update incoming_suppressions i set x_user_id = l.x_user_id, is_checked = true from leads l
    where ${holder} and not i.is_id_only and coalesce(i.x_user_id = l.x_user_id, true)`)
}

/** Moves staged people to the list, keeping existing entries, and stops their queued messages. */
async function settleStage(
  { db: tx, sending }: Context,
  { workspaceId, userId }: Author,
  { isOptOut = false } = {},
): Promise<{ added: string[]; known: number; stopped: number }> {
  const own = sql`${workspaceId}::uuid`
  // The statistics make the planner look up leads by index.
  await tx.execute(sql`analyze incoming_suppressions`)
  await identify(tx, own)
  // The former owner of the handle is no longer suppressed by it.
  await tx.execute(sql`
    update suppressions s set handle_lost_at = now() from incoming_suppressions i
    where s.workspace_id = ${own}
      and ${hasHandle}
      and i.is_checked
      and s.x_user_checked_at is not null
      and s.x_user_id <> i.x_user_id`)
  await tx.execute(sql`
    update suppressions s
    set x_user_id = i.x_user_id, x_user_checked_at = case when i.is_checked then now() end
    from incoming_suppressions i
    where s.workspace_id = ${own} and ${hasHandle} and s.x_user_checked_at is null and i.x_user_id is not null
      and (s.x_user_id is null or (i.is_checked and s.x_user_id = i.x_user_id))`)
  if (isOptOut) await renewEntries(tx, workspaceId)
  // Ordered by handle, so that concurrent calls cannot deadlock. An id that X has not shown with
  // the handle may be wrong, so an entry with such an id does not suppress the handle.
  const { rows: inserted } = await tx.execute<{ id: string }>(sql`
    with inserted as (
      insert into suppressions
        (workspace_id, user_id, twitter_handle, x_user_id, x_user_checked_at, handle_lost_at, reason, note)
      select ${own}, ${userId}::uuid, i.twitter_handle, i.x_user_id, case when i.is_checked then now() end,
        case when i.is_id_only then now() end, i.reason, i.note
      from incoming_suppressions i
      where not exists (
        select from suppressions s where s.workspace_id = ${own} and s.x_user_id = i.x_user_id
          and (i.is_checked or i.is_id_only or s.twitter_handle = i.twitter_handle))
      order by i.twitter_handle
      on conflict do nothing returning id, workspace_id, 1 as n
    ), counted as (${countSuppressions(sql`inserted`)})
    select id from inserted`)
  const { rows } = await tx.execute<{ total: number }>(sql`select count(*)::int as total from incoming_suppressions`)
  const added = inserted.map(({ id }) => id)
  const stopped = await sending.stopMessages(
    tx,
    workspaceId,
    sql`
      select l.id
      from leads l
      join incoming_suppressions i on l.workspace_id = ${own} and lower(l.twitter_handle) = i.twitter_handle
      union
      select l.id
      from leads l
      join incoming_suppressions i on l.workspace_id = ${own} and l.x_user_id = i.x_user_id`,
  )
  return { added, known: one(rows).total - added.length, stopped }
}
