import { BAD_CURSOR, isId } from '@x-automated/contract/fields'
import { parseBioWords } from '@x-automated/contract/leads/bio-words'
import { PART_MAX } from '@x-automated/contract/leads/lead-limits'
import type { LeadFilter, LeadQuery, LeadSelection } from '@x-automated/contract/leads/leads'
import { and, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { leadLists } from '../../domains/leads/lists/tables.ts'
import { savedFilters } from '../../domains/leads/saved-filters/tables.ts'
import { invalidField, Refusal } from '../../refusal.ts'
import { findFilterLimit } from '../neighbors.ts'
import { filterStatus, hasBioWord, knownFollowers, leadCounts, leads, ofStanding, words } from '../tables/leads.ts'
import { leadListItems } from '../tables/list-entries.ts'
import { scrapeLeads } from '../tables/scrape-leads.ts'
import { isMessageable, suppressedLeads } from '../tables/suppressions.ts'
import {
  anywhere,
  flatRules,
  narrow,
  paidFields,
  paidIn,
  type ResolvedFilter,
  type RuleNode,
  readCursor,
  rulesOf,
  writeCursor,
} from './filter.ts'
import { lastContact, meets } from './filter-rules.ts'

// Selects leads by a filter or by ids.

/** An actor, or any row with a workspace. */
export type WorkspaceOf = { workspaceId: string }

/** SQL over `tags`: the tag with this id or name. */
export function isTag(workspaceId: string, tag: string): SQL {
  const named = sql`lower(tags.name) = lower(${tag}::text)`
  const meant = isId(tag) ? sql`(tags.id = ${tag} or ${named})` : named
  return sql`tags.workspace_id = ${workspaceId} and ${meant}`
}

/**
 * SQL over a stored filter: whether it might use a tag; `withTagReplaced` checks exactly. @param
 * names the tag's id and name
 */
export function mayUseTag(filter: PgColumn, names: readonly string[]): SQL {
  const folded = sql`${sql.param(names.map((name) => name.toLowerCase()))}::text[]`
  return sql`(lower(${filter} ->> 'tag') = any(${folded}) or ${filter} -> 'tags' ?| ${folded} or ${filter} ? 'rules')`
}

/**
 * Returns the ids in a filter and its rules that do not exist in the workspace. Names of tags do
 * not count, because such a tag may be created later.
 */
export async function unknownIds(db: Db, { workspaceId }: WorkspaceOf, filter: LeadFilter): Promise<Set<string>> {
  const rules = flatRules(filter.rules)
  const named = (field: 'listId' | 'scrapeId' | 'tag' | 'tags') =>
    [filter[field], ...rules.filter((rule) => rule.field === field).map(({ value }) => value)].flatMap((value) =>
      typeof value === 'string' ? [value] : Array.isArray(value) ? value : [],
    )
  const tagIds = [...named('tags'), ...named('tag').filter(isId)]
  const unknown = (ids: readonly string[], existing: SQL) =>
    sql`select id::text from unnest(${sql.param(ids)}::uuid[]) id where not exists (${existing})`
  const { rows } = await db.execute<{ id: string }>(sql`
    ${unknown(named('listId'), sql`select from lead_lists l where l.id = id.id and l.workspace_id = ${workspaceId}`)}
    union all
    ${unknown(named('scrapeId'), sql`select from scrapes s where s.id = id.id and s.workspace_id = ${workspaceId}`)}
    union all
    ${unknown(tagIds, sql`select from tags t where t.workspace_id = ${workspaceId} and (t.id = id.id or lower(t.name) = id.id::text)`)}`)
  return new Set(rows.map(({ id }) => id))
}

/** Removes ids unknown to the workspace from a filter. @throws Refusal INVALID_INPUT if a rule has one */
export async function withoutUnknownIds(db: Db, actor: WorkspaceOf, filter: LeadFilter): Promise<LeadFilter> {
  const unknown = await unknownIds(db, actor, filter)
  requireKnownInRules(filter, unknown)
  const { listId, scrapeId, tag, tags, ...rest } = filter
  const isKnown = (id: string | undefined): id is string => id !== undefined && !unknown.has(id.toLowerCase())
  const knownTags = tags?.filter(isKnown) ?? []
  return {
    ...rest,
    ...(isKnown(listId) && { listId }),
    ...(isKnown(scrapeId) && { scrapeId }),
    ...(isKnown(tag) && { tag }),
    ...(knownTags.length > 0 && { tags: knownTags }),
  }
}

/** Refuses unknown ids in rules: leaving out a rule could match more leads. @throws Refusal INVALID_INPUT */
export function requireKnownInRules({ rules }: LeadFilter, unknown: ReadonlySet<string>): void {
  const isUnknown = (id: string) => unknown.has(id.toLowerCase())
  const hasUnknown = flatRules(rules).some(({ field, value }) =>
    Array.isArray(value)
      ? value.some(isUnknown)
      : ['listId', 'scrapeId', 'tag'].includes(field) && typeof value === 'string' && isUnknown(value),
  )
  if (hasUnknown)
    throw invalidField('filter.rules', 'must not name lists, tags or scrapes that this workspace does not have')
}

/**
 * Replaces a saved filter and smart lists with their fields. Every filter from a caller passes
 * through here first. @throws Refusal FILTER_NOT_FOUND, PLAN_LIMIT
 */
export async function resolveFilter(db: Db, actor: WorkspaceOf, query: LeadQuery): Promise<ResolvedFilter> {
  const { filterId, ...own } = query
  if (filterId === undefined) await requirePlanFor(db, actor, own)
  const filter: LeadQuery = filterId === undefined ? own : { ...own, ...(await findSaved(db, actor, filterId)) }
  const ids = [filter.listId, ...flatRules(filter.rules).map((rule) => rule.field === 'listId' && rule.value)]
  const named = ids.filter((id) => typeof id === 'string')
  if (named.length === 0) return filter
  const lists = await db
    .select({ id: leadLists.id, filter: leadLists.filter })
    .from(leadLists)
    .where(and(inArray(leadLists.id, named), eq(leadLists.workspaceId, actor.workspaceId)))
  const smart = new Map(lists.flatMap(({ id, filter }) => (filter ? [[id, filter] as const] : [])))
  const inner = smart.get(filter.listId ?? '')
  const { rules, ...narrowed } = inner ? narrow(filter, inner) : filter
  return { ...narrowed, ...(rules && { rules: withSmartLists(rules, smart) }) }
}

/** Replaces smart lists in rules with their filters. */
function withSmartLists(node: RuleNode, smart: ReadonlyMap<unknown, LeadFilter>): RuleNode {
  if ('rules' in node) return { ...node, rules: node.rules.map((child) => withSmartLists(child, smart)) }
  const filter = node.field === 'listId' && smart.get(node.value)
  return filter ? { match: 'all', rules: rulesOf(filter), isNot: node.op === 'is_not' } : node
}

/** The fields of a saved filter. @throws Refusal FILTER_NOT_FOUND */
async function findSaved(db: Db, { workspaceId }: WorkspaceOf, id: string): Promise<LeadFilter> {
  const [saved] = await db
    .select({ filter: savedFilters.filter })
    .from(savedFilters)
    .where(and(eq(savedFilters.id, id), eq(savedFilters.workspaceId, workspaceId)))
  if (!saved) throw new Refusal('FILTER_NOT_FOUND')
  return saved.filter
}

/**
 * Checks that the plan allows a filter to be used. The fields of a saved filter stay allowed after
 * a downgrade. @throws Refusal PLAN_LIMIT
 */
async function requirePlanFor(db: Db, { workspaceId }: WorkspaceOf, filter: LeadFilter): Promise<void> {
  const limit = await findFilterLimit(db, workspaceId, paidIn(filter))
  if (!limit) return
  const conditions = Object.entries(paidFields(filter)).map(
    ([name, value]) => sql`filter -> ${name}::text = ${JSON.stringify(value)}::jsonb`,
  )
  const { rows } = await db.execute(
    sql`select from saved_filters where workspace_id = ${workspaceId} and ${and(...conditions)} limit 1`,
  )
  if (rows.length === 0) throw limit
}

/**
 * Checks that the plan allows a filter to be stored. @param saved the stored filter that it replaces
 * @throws Refusal PLAN_LIMIT
 */
export async function requirePlanToStore(
  db: Db,
  { workspaceId }: WorkspaceOf,
  filter: LeadFilter,
  saved: LeadFilter | null = null,
): Promise<void> {
  const limit = await findFilterLimit(db, workspaceId, paidIn(paidFields(filter, saved ?? {})))
  if (limit) throw limit
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
    tags,
    fields,
    contactedAfter,
    contactedBefore,
    rules,
  }: ResolvedFilter,
): SQL | undefined {
  const more = rulesOf({ tags, fields })
  const least = minFollowers ?? (maxFollowers === undefined ? undefined : 0)
  const pattern = keyword ? anywhere(keyword) : undefined
  return and(
    eq(leads.workspaceId, workspaceId),
    within && matching(workspaceId, within),
    pattern === undefined ? undefined : sql`${words} ilike ${pattern}`,
    // A keyword with a space could match across two fields, so check each field as well.
    pattern === undefined || !keyword?.includes(' ')
      ? undefined
      : sql`
        (${leads.name} ilike ${pattern} or ${leads.twitterHandle} ilike ${pattern} or ${leads.bio} ilike ${pattern})`,
    least === undefined ? undefined : sql`${knownFollowers} >= ${least}`,
    maxFollowers === undefined ? undefined : sql`${knownFollowers} <= ${maxFollowers}`,
    status === 'replied'
      ? isNotNull(leads.repliedAt)
      : status && sql`${leads.id} in (select s.lead_id from ${ofStanding(workspaceId, status)})`,
    basis && eq(leads.basis, basis),
    label &&
      sql`
        ${leads.id} in (
          select c.lead_id from conversations c where c.workspace_id = ${workspaceId} and c.label = ${label}
        )`,
    suppressed === undefined
      ? undefined
      : suppressed
        ? sql`${leads.id} in (${suppressedLeads(workspaceId)})`
        : isMessageable(workspaceId),
    listId === undefined
      ? undefined
      : sql`
        ${leads.id} in (
          select ${leadListItems.leadId} from ${leadListItems} where ${leadListItems.leadListId} = ${listId}
        )`,
    scrapeId === undefined
      ? undefined
      : sql`
        ${leads.id} in (select ${scrapeLeads.leadId} from ${scrapeLeads} where ${scrapeLeads.scrapeId} = ${scrapeId})`,
    tag
      ? sql`
        ${leads.id} in (
          select g.lead_id from lead_tags g join tags on tags.id = g.tag_id where ${isTag(workspaceId, tag)}
        )`
      : undefined,
    bioWords ? hasBioWords(bioWords) : undefined,
    ...more.map((rule) => meets(workspaceId, rule)),
    lastContact(workspaceId, { contactedAfter, contactedBefore }),
    rules && meets(workspaceId, rules),
  )
}

/** SQL condition for bios with all required words and no excluded one; see `fitsBioWords`. */
function hasBioWords(text: string): SQL | undefined {
  const { required, excluded } = parseBioWords(text)
  return and(
    // The first condition uses the index.
    ...required.flatMap((word) => [sql`${words} ilike ${anywhere(word)}`, hasBioWord(word)]),
    ...excluded.map((word) => sql`not ${hasBioWord(word)}`),
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

/** The leads that one call changes, with the cursor for the next call. */
interface Part {
  /** Subquery (without brackets) of the leads' ids, stable for the transaction. */
  leads: SQL
  cursor: string | null
}

async function openChosen(tx: Db): Promise<SQL> {
  await tx.execute(sql`create temp table if not exists chosen_leads (id uuid primary key) on commit delete rows`)
  await tx.execute(sql`delete from chosen_leads`)
  return sql`select id from chosen_leads`
}

/** Chooses the leads that exist and match the filter. @returns a stable subquery of their ids */
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
 * Chooses the leads that one call changes: the given ids, or at most `most` leads after the cursor,
 * oldest first, so that locks are held only briefly. @throws Refusal INVALID_INPUT for a bad cursor
 */
export async function choosePart(
  tx: Db,
  actor: Actor,
  { leadIds, filter, cursor }: LeadSelection,
  most = PART_MAX,
): Promise<Part> {
  const position = cursor === undefined ? null : readCursor('createdAt', cursor)
  if (cursor !== undefined && !(position && filter)) throw invalidField('cursor', BAD_CURSOR)
  if (!filter) return { leads: await chooseMatching(tx, actor, leadIds ?? []), cursor: null }
  const chosen = await openChosen(tx)
  const behind = position
    ? sql`and (created_at, id) > (${String(position.value)}::timestamptz, ${position.id}::uuid)`
    : sql``
  const { rows } = await tx.execute<{ id: string; createdAt: string }>(sql`
    with found as materialized (
      select id, created_at
      from leads
      where ${matching(actor.workspaceId, await resolveFilter(tx, actor, filter))} ${behind}
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

/** SQL: the number of leads of a workspace, or of those with one filter status. */
export function countedLeads(workspaceId: unknown, status: unknown): SQL<number> {
  const only = status === undefined ? sql`` : sql`and ${filterStatus} = ${status}`
  return sql`(select coalesce(sum(count), 0)::int from ${leadCounts} where workspace_id = ${workspaceId} ${only})`
}
