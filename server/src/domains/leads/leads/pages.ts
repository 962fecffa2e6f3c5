import { LEADS_PAGE_SIZE, type LeadSort, type ListedLead } from '@x-automated/contract/leads/leads'
import { type SQL, sql } from 'drizzle-orm'
import type { Position } from '../../../core/people/filter.ts'
import { countedLeads } from '../../../core/people/selection.ts'
import {
  filterStatus,
  foldedBio,
  foldedHandle,
  foldedName,
  knownFollowers,
  leads,
  ofStanding,
} from '../../../core/tables/leads.ts'
import { isSuppressed } from '../../../core/tables/suppressions.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { prepare } from '../../../db/prepared.ts'

/*
 * Reads a page of leads as one JSON text, which is three times cheaper to parse than rows. The most
 * frequent pages (all leads, or one status) are one prepared statement together with their total.
 */

/** A lead as pages show it. */
type PageLead = Omit<ListedLead, 'createdAt' | 'updatedAt' | 'pictureUrl'> & { createdAt: Date; updatedAt: Date }

type Json<T> = { [K in keyof T]: T[K] extends Date ? string : T[K] }

/** `tagIds` has the tags in the order in which they were added. */
const columns = sql`
  leads.id, name, first_name as "firstName", twitter_handle as "twitterHandle", bio, follower_count as "followerCount",
  following_count as "followingCount",
  source_profile as "sourceProfile", url, profile_image_url as "profileImageUrl", location, website, metadata,
  dm_status as "dmStatus", basis,
  array(select t.tag_id from lead_tags t where t.lead_id = leads.id order by t.added_at, t.tag_id) as "tagIds",
  ${isSuppressed(leads)} as suppressed, replied_at is not null as replied, is_sample as "isSample",
  created_at as "createdAt", updated_at as "updatedAt"`

const asJson = sql<Json<PageLead>[]>`coalesce(json_agg(page), '[]')`

/** Converts the rows in place, because pages are read often and nothing else uses the rows. */
function asLeads(rows: Json<PageLead>[]): PageLead[] {
  for (const row of rows) Object.assign(row, { createdAt: new Date(row.createdAt), updatedAt: new Date(row.updatedAt) })
  return rows as unknown as PageLead[]
}

/** A sort order. The id follows its keys. Each order has an index. */
interface Order {
  by: SQL[]
  bound(value: unknown): SQL
  valueOf(lead: PageLead): string | number
}

const ORDERS: Record<Exclude<LeadSort, `-${string}`>, Order> = {
  createdAt: {
    by: [sql`${leads.createdAt}`],
    bound: (value) => sql`${value}::timestamptz`,
    valueOf: (lead) => lead.createdAt.toISOString(),
  },
  name: { by: [foldedName], bound: (value) => sql`lower(${value}::text)`, valueOf: (lead) => lead.name },
  twitterHandle: {
    by: [foldedHandle],
    bound: (value) => sql`lower(${value}::text)`,
    valueOf: (lead) => lead.twitterHandle,
  },
  bio: {
    by: [foldedBio],
    bound: (value) => sql`lower(left(${value}::text, 60))`,
    valueOf: (lead) => [...(lead.bio ?? '')].slice(0, 60).join(''),
  },
  followerCount: {
    by: [knownFollowers],
    bound: (value) => sql`${value}::int`,
    valueOf: (lead) => lead.followerCount ?? -1,
  },
  dmStatus: {
    by: [filterStatus, sql`${leads.createdAt}`],
    bound: (value) => sql`split_part(${value}::text, ' ', 1), split_part(${value}::text, ' ', 2)::timestamptz`,
    valueOf: (lead) =>
      `${lead.dmStatus === 'contacted' ? 'sent' : lead.dmStatus === 'failed_contact' ? 'failed' : lead.dmStatus} ${lead.createdAt.toISOString()}`,
  },
}

const orderOf = (sort: LeadSort) => ORDERS[sort.replace('-', '') as keyof typeof ORDERS]
const keysOf = (sort: LeadSort) => [...orderOf(sort).by, sql`leads.id`]
/** The sort keys of a row `s` of lead_standings, which supports two of the orders. */
const standingKeysOf = (sort: LeadSort) => [
  ...(sort.endsWith('dmStatus') ? [sql`s.standing`] : []),
  sql`s.created_at`,
  sql`s.lead_id`,
]

function inOrder(sort: LeadSort, keys = keysOf(sort)): SQL {
  const direction = sort.startsWith('-') ? sql` desc` : sql` asc`
  return sql.join(
    keys.map((key) => sql`${key}${direction}`),
    sql`, `,
  )
}

/** SQL: the row comes after a position, whose parts may be placeholders. */
function isBehind(sort: LeadSort, { value, id }: { value: unknown; id: unknown }, keys = keysOf(sort)): SQL {
  const is = sort.startsWith('-') ? sql`<` : sql`>`
  return sql`(${sql.join(keys, sql`, `)}) ${is} (${orderOf(sort).bound(value)}, ${id}::uuid)`
}

/** The position of a page's last lead. */
export function positionOf(sort: LeadSort, lead: PageLead): Position {
  return { value: orderOf(sort).valueOf(lead), id: lead.id }
}

interface Span {
  sort: LeadSort
  position: Position | null
  limit: number
}

/** Reads leads that match a condition, from a position or an offset. */
export async function readPage(
  db: Db,
  where: SQL | undefined,
  { sort, position, limit, offset }: Span & { offset: number },
): Promise<PageLead[]> {
  // Only lead_standings has an index in the order of statuses.
  const isByStatus = sort.endsWith('dmStatus')
  const keys = isByStatus ? standingKeysOf(sort) : keysOf(sort)
  const from = isByStatus
    ? sql`leads join lead_standings s on s.workspace_id = leads.workspace_id and s.lead_id = leads.id`
    : sql`leads`
  const behind = position ? sql`and ${isBehind(sort, position, keys)}` : sql``
  return readIds(
    db,
    sql`
      select leads.id
      from ${from}
      where ${where} ${behind}
      order by ${inOrder(sort, keys)}
      limit ${limit}
      offset ${offset}`,
    sort,
  )
}

/** Like `readPage`, but for all leads or those of one status, in an order that lead_standings has. */
export async function readStandingPage(
  db: Db,
  workspaceId: string,
  { status, sort, position, limit, offset }: Span & { status?: string; offset: number },
): Promise<PageLead[]> {
  return readIds(db, sql`${standingIds(workspaceId, { status, sort, position })} limit ${limit} offset ${offset}`, sort)
}

/** Whether lead_standings has this order: by status for all leads, by age for those of one status. */
export function isStandingOrder(sort: LeadSort, status: unknown): boolean {
  return status === undefined ? sort.endsWith('dmStatus') : sort.endsWith('createdAt')
}

function standingIds(
  workspaceId: unknown,
  { status, sort, position }: { status: unknown; sort: LeadSort; position: { value: unknown; id: unknown } | null },
): SQL {
  const keys = standingKeysOf(sort)
  const behind = position ? sql`and ${isBehind(sort, position, keys)}` : sql``
  return sql`select s.lead_id as id from ${ofStanding(workspaceId, status)} ${behind} order by ${inOrder(sort, keys)}`
}

/** Reads the leads of a subquery that selects only ids, because an index alone can then skip to late pages. */
async function readIds(db: Db, ids: SQL, sort: LeadSort): Promise<PageLead[]> {
  const { rows } = await db.execute<{ leads: Json<PageLead>[] }>(sql`
    select ${asJson} as leads from (
      select ${columns} from leads join (${ids}) ids using (id) order by ${inOrder(sort)}
    ) page`)
  return asLeads(one(rows).leads)
}

/** Reads all leads or those of one status, from the start or a position, with their total. */
export async function readPlainPage(
  db: Db,
  workspaceId: string,
  { status, sort, position, limit }: Span & { status?: string },
): Promise<{ leads: PageLead[]; total: number }> {
  const size = SIZES.find((candidate) => candidate >= limit) ?? limit
  const execute = plainPage({ sort, size, hasStatus: status !== undefined, hasPosition: position !== null })
  const row = one((await execute(db, { workspaceId, status, value: position?.value, id: position?.id })).rows)
  return { leads: asLeads(row.leads.slice(0, limit)), total: row.total }
}

/** Row limits that are literals in the statement: with a parameter, PostgreSQL would plan it each time. */
const SIZES = [LEADS_PAGE_SIZE + 1, 101]

interface Plain {
  sort: LeadSort
  size: number
  hasStatus: boolean
  hasPosition: boolean
}

const prepared = new Map<string, ReturnType<typeof preparePlainPage>>()

function plainPage(plain: Plain) {
  const name = `leads ${Object.values(plain).join(' ')}`
  const query = prepared.get(name) ?? preparePlainPage(name, plain)
  prepared.set(name, query)
  return query
}

const preparePlainPage = (name: string, plain: Plain) =>
  prepare<{ leads: Json<PageLead>[]; total: number }>(name, () => plainPageOf(plain))

function plainPageOf({ sort, size, hasStatus, hasPosition }: Plain): SQL {
  const workspaceId = sql`${sql.placeholder('workspaceId')}::uuid`
  const status = hasStatus ? sql`${sql.placeholder('status')}::text` : undefined
  const position = hasPosition ? { value: sql.placeholder('value'), id: sql.placeholder('id') } : null
  const behind = position ? sql`and ${isBehind(sort, position)}` : sql``
  const limit = sql`${size}`.inlineParams()
  const page = isStandingOrder(sort, status)
    ? sql`(
        select ${columns}
        from leads
        join (${standingIds(workspaceId, { status, sort, position })} limit ${limit}) ids using (id)
        order by ${inOrder(sort)}
      ) page`
    : sql`(
        select ${columns}
        from leads
        where workspace_id = ${workspaceId} ${behind}
        order by ${inOrder(sort)}
        limit ${limit}
      ) page`
  return sql`select ${asJson} as leads, ${countedLeads(workspaceId, status)} as total from ${page}`
}
