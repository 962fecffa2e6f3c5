import { BAD_CURSOR, isId } from '@x-automated/contract/fields'
import { parseBioWords } from '@x-automated/contract/leads/bio-words'
import { PART_MAX } from '@x-automated/contract/leads/lead-limits'
import type { LeadFilter, LeadQuery, LeadSelection } from '@x-automated/contract/leads/leads'
import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Actor } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { invalidField } from '../../../refusal.ts'
import { requireAdvancedFilters } from '../../platform/billing/service.ts'
import { leadListItems, leadLists } from '../lists/tables.ts'
import { scrapeLeads } from '../scrapes/tables.ts'
import { isMessageable, suppressedLeads } from '../suppressions/tables.ts'
import { anywhere, narrow, readCursor, writeCursor } from './rules.ts'
import { knownFollowers, leads, ofStanding, words } from './tables.ts'

// Selects leads by a filter or by ids.

/** Anything with a workspace: an actor or a row. */
export type WorkspaceOf = { workspaceId: string }

/** SQL over `tags`: the tag with this id or name. */
export function isTag(workspaceId: string, tag: string): SQL {
  const named = sql`lower(tags.name) = lower(${tag}::text)`
  const meant = isId(tag) ? sql`(tags.id = ${tag} or ${named})` : named
  return sql`tags.workspace_id = ${workspaceId} and ${meant}`
}

/** SQL over a stored filter: whether it uses any of these tags, by name or id. */
export function asksForTag(filter: PgColumn, names: readonly string[]): SQL {
  return sql`lower(${filter} ->> 'tag') = any(${sql.param(names.map((name) => name.toLowerCase()))}::text[])`
}

/** A filter without ids unknown to the workspace. Tag names stay: the tag may be created later. */
export async function withoutUnknownIds(db: Db, { workspaceId }: WorkspaceOf, filter: LeadFilter): Promise<LeadFilter> {
  const { listId, scrapeId, tag, ...rest } = filter
  const { rows } = await db.execute<{ list: boolean; scrape: boolean; tag: boolean }>(sql`select
    exists(select from lead_lists where id = ${listId ?? null}::uuid and workspace_id = ${workspaceId}) as list,
    exists(select from scrapes where id = ${scrapeId ?? null}::uuid and workspace_id = ${workspaceId}) as scrape,
    exists(select from tags where ${isTag(workspaceId, tag ?? '')}) as tag`)
  const [known] = rows
  return {
    ...rest,
    ...(listId !== undefined && known?.list && { listId }),
    ...(scrapeId !== undefined && known?.scrape && { scrapeId }),
    ...(tag !== undefined && (known?.tag || !isId(tag)) && { tag }),
  }
}

/** A filter whose list, if any, is a manual one. `within` is the filter of a smart list. */
export type ResolvedFilter = LeadQuery & { within?: LeadFilter }

/**
 * Replaces a smart list by its filter. Every caller-supplied filter passes through here first.
 * @throws Refusal PLAN_LIMIT
 */
export async function resolveFilter(db: Db, actor: WorkspaceOf, filter: LeadQuery): Promise<ResolvedFilter> {
  await requirePlanFor(db, actor, filter)
  if (filter.listId === undefined) return filter
  const [list] = await db
    .select({ filter: leadLists.filter })
    .from(leadLists)
    .where(and(eq(leadLists.id, filter.listId), eq(leadLists.workspaceId, actor.workspaceId)))
  return list?.filter ? narrow(filter, list.filter) : filter
}

/**
 * Checks that the plan allows a new filter. What a saved filter uses stays allowed after a downgrade.
 * @throws Refusal PLAN_LIMIT
 */
export async function requirePlanFor(db: Db, { workspaceId }: WorkspaceOf, { label }: LeadFilter): Promise<void> {
  if (label === undefined) return
  const { rows } = await db.execute(
    sql`select from saved_filters where workspace_id = ${workspaceId} and filter ->> 'label' = ${label} limit 1`,
  )
  if (rows.length === 0) await requireAdvancedFilters(db, workspaceId)
}

/** SQL condition for the workspace's leads that match a filter. */
export function matching(
  workspaceId: string,
  {
    keyword,
    minFollowers,
    maxFollowers,
    status,
    listId,
    scrapeId,
    tag,
    basis,
    label,
    suppressed,
    bioWords,
    within,
  }: ResolvedFilter,
): SQL | undefined {
  const least = minFollowers ?? (maxFollowers === undefined ? undefined : 0)
  const pattern = keyword ? anywhere(keyword) : undefined
  return and(
    eq(leads.workspaceId, workspaceId),
    within && matching(workspaceId, within),
    pattern === undefined ? undefined : sql`${words} ilike ${pattern}`,
    // With a space, the keyword could match across two fields, so check each field as well.
    pattern === undefined || !keyword?.includes(' ')
      ? undefined
      : sql`(${leads.name} ilike ${pattern} or ${leads.twitterHandle} ilike ${pattern} or ${leads.bio} ilike ${pattern})`,
    least === undefined ? undefined : sql`${knownFollowers} >= ${least}`,
    maxFollowers === undefined ? undefined : sql`${knownFollowers} <= ${maxFollowers}`,
    status === 'replied'
      ? isNotNull(leads.repliedAt)
      : status && sql`${leads.id} in (select s.lead_id from ${ofStanding(workspaceId, status)})`,
    basis && eq(leads.basis, basis),
    label &&
      sql`${leads.id} in (select c.lead_id from conversations c where c.workspace_id = ${workspaceId} and c.label = ${label})`,
    suppressed === undefined
      ? undefined
      : suppressed
        ? sql`${leads.id} in (${suppressedLeads(workspaceId)})`
        : isMessageable(workspaceId),
    listId === undefined
      ? undefined
      : sql`${leads.id} in (select ${leadListItems.leadId} from ${leadListItems} where ${leadListItems.leadListId} = ${listId})`,
    scrapeId === undefined
      ? undefined
      : sql`${leads.id} in (select ${scrapeLeads.leadId} from ${scrapeLeads} where ${scrapeLeads.scrapeId} = ${scrapeId})`,
    tag
      ? sql`${leads.id} in (select g.lead_id from lead_tags g join tags on tags.id = g.tag_id where ${isTag(workspaceId, tag)})`
      : undefined,
    bioWords ? hasBioWords(bioWords) : undefined,
  )
}

/** SQL condition for bios with all required words and no excluded one; see `fitsBioWords`. */
function hasBioWords(text: string): SQL | undefined {
  const { required, excluded } = parseBioWords(text)
  // Words have no characters that are special in a pattern.
  const has = (word: string) => sql`coalesce(${leads.bio}, '') ~* ${`(?<![[:alnum:]_])${word}(?![[:alnum:]_])`}`
  return and(
    // The first condition uses the index.
    ...required.flatMap((word) => [sql`${words} ilike ${anywhere(word)}`, has(word)]),
    ...excluded.map((word) => sql`not ${has(word)}`),
  )
}

/** SQL subquery (without brackets) of lead ids. Lock and change leads in the order of ids. */
export function selectLeads(
  actor: WorkspaceOf,
  { leadIds, filter }: { leadIds?: string[]; filter?: ResolvedFilter },
): SQL {
  const chosen = leadIds
    ? and(eq(leads.workspaceId, actor.workspaceId), sql`${leads.id} = any(${sql.param(leadIds)}::uuid[])`)
    : matching(actor.workspaceId, filter ?? {})
  return sql`select ${leads.id} from ${leads} where ${chosen}`
}

/** The leads that one call changes, and the cursor for the next call. */
export interface Part {
  /** Subquery (without brackets) of their ids, stable for the transaction. */
  leads: SQL
  cursor: string | null
}

async function openChosen(tx: Db): Promise<SQL> {
  await tx.execute(sql`create temp table if not exists chosen_leads (id uuid primary key) on commit delete rows`)
  await tx.execute(sql`delete from chosen_leads`)
  return sql`select id from chosen_leads`
}

/** Chooses those of the leads that exist and match the filter. @returns a stable subquery of their ids */
export async function chooseMatching(
  tx: Db,
  { workspaceId }: WorkspaceOf,
  leadIds: readonly string[],
  filter: ResolvedFilter = {},
): Promise<SQL> {
  const chosen = await openChosen(tx)
  await tx.execute(sql`
    insert into chosen_leads select id from leads
    where id = any(${sql.param(leadIds)}::uuid[]) and ${matching(workspaceId, filter)}`)
  await tx.execute(sql`analyze chosen_leads`)
  return chosen
}

/**
 * Chooses the leads that one call changes: the given ids, or up to `most` after the cursor, oldest
 * first, to limit the time under locks. @throws Refusal INVALID_INPUT for a bad cursor
 */
export async function choosePart(
  tx: Db,
  actor: Actor,
  { leadIds, filter, cursor }: LeadSelection,
  most = PART_MAX,
): Promise<Part> {
  const place = cursor === undefined ? null : readCursor('createdAt', cursor)
  if (cursor !== undefined && !(place && filter)) throw invalidField('cursor', BAD_CURSOR)
  if (!filter) return { leads: await chooseMatching(tx, actor, leadIds ?? []), cursor: null }
  const chosen = await openChosen(tx)
  const behind = place ? sql`and (created_at, id) > (${String(place.value)}::timestamptz, ${place.id}::uuid)` : sql``
  const { rows } = await tx.execute<{ id: string; createdAt: string }>(sql`
    with found as materialized (
      select id, created_at from leads where ${matching(actor.workspaceId, await resolveFilter(tx, actor, filter))} ${behind}
      order by created_at, id limit ${most + 1}
    ), part as materialized (select id, created_at from found order by created_at, id limit ${most}),
    kept as (insert into chosen_leads select id from part)
    select id, created_at as "createdAt" from part where (select count(*) from found) > ${most}
    order by created_at desc, id desc limit 1`)
  await tx.execute(sql`analyze chosen_leads`)
  const [last] = rows
  const value = last && new Date(last.createdAt).toISOString()
  return { leads: chosen, cursor: value ? writeCursor('createdAt', { value, id: last.id }) : null }
}
