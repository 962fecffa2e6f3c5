import { formatCount } from '@x-automated/contract/format'
import { CAMPAIGN_STATUS_TEXTS } from '@x-automated/contract/outreach/campaign-text'
import type { CampaignStatus } from '@x-automated/contract/outreach/campaigns'
import { SEARCH_GROUP_SIZE, type SearchGroup, type SearchItem } from '@x-automated/contract/overview/search'
import { type SQL, sql } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../../actor.ts'
import { anywhere } from '../../../core/people/filter.ts'
import { foldedHandle, foldedName, words } from '../../../core/tables/leads.ts'
import { storedText } from '../../../core/tables/replies.ts'
import type { Db } from '../../../db/open.ts'
import type { Pictures } from '../../../pictures.ts'

/**
 * How many leads are searched without an index: the newest ones, then a sample of the table. A text
 * that many leads contain is found among these, and the index would take longer.
 */
const NEWEST = 2_000
const SAMPLED_BYTES = 2_000_000
const NEWEST_CONVERSATIONS = 1_000
/** Minimum length of a text that the text index can find. */
const INDEXED_LENGTH = 3
/** How many matches of the text index are considered, to choose the best. */
const MATCHES = 50
/** Sorts after every character that text can contain. */
const LAST = String.fromCodePoint(0x10ffff)
const SUBTITLE_MAX = 120

type Urls = Pick<Pictures, 'urlOf'>
interface Context {
  db: Db
  pictures: Urls
}

/** Finds leads, lists, campaigns and, for members, conversations: at most five of each, best first. */
export async function find({ db, pictures }: Context, actor: Actor, q: string): Promise<{ groups: SearchGroup[] }> {
  const [lead, list, campaign, conversation] = await Promise.all([
    findLeads(db, pictures, actor, q),
    findLists(db, actor, q),
    findCampaigns(db, actor, q),
    roleAllows(actor.role, 'member') ? findConversations(db, pictures, actor, q) : [],
  ])
  const groups: SearchGroup[] = [
    { kind: 'lead', items: lead },
    { kind: 'list', items: list },
    { kind: 'campaign', items: campaign },
    { kind: 'conversation', items: conversation },
  ]
  return { groups: groups.filter(({ items }) => items.length > 0) }
}

type LeadRow = { id: string; name: string; handle: string; bio: string | null; picture: string | null }

/** Finds leads by the start of the handle, then by the start of the name, then anywhere in name, handle and bio. */
async function findLeads(db: Db, pictures: Urls, { workspaceId }: Actor, q: string): Promise<SearchItem[]> {
  const text = q.replace(/^@(?=.)/, '')
  const ours = sql`leads.workspace_id = ${workspaceId}`
  const matches = new Map<string, LeadRow>()
  const add = async (query: SQL, read = readRows) => {
    if (matches.size >= SEARCH_GROUP_SIZE) return
    const rows = await read<LeadRow>(db, query)
    for (const row of rows) if (matches.size < SEARCH_GROUP_SIZE) matches.set(row.id, row)
  }
  const columns = sql`
    leads.id, leads.name, leads.twitter_handle as handle, leads.bio, leads.profile_image_url as picture`
  await add(sql`
    (
      select ${columns}
      from leads
      where ${ours} and ${starts(foldedHandle, text)}
      order by workspace_id, lower(twitter_handle)
      limit ${SEARCH_GROUP_SIZE}
    )
    union all
    (
      select ${columns}
      from leads
      where ${ours} and ${starts(foldedName, text)}
      order by workspace_id, lower(name), id
      limit ${SEARCH_GROUP_SIZE}
    )`)
  const pattern = anywhere(text)
  const isNamed = sql`(leads.name ilike ${pattern} or leads.twitter_handle ilike ${pattern})`
  await add(sql`
    select ${columns} from (
      select * from leads where ${ours} order by created_at desc, id desc limit ${NEWEST}
    ) leads
    where ${words} ilike ${pattern}
    order by ${isNamed} desc, created_at desc, id desc
    limit ${SEARCH_GROUP_SIZE}`)
  if (text.length >= INDEXED_LENGTH) {
    const best = (from: SQL) => sql`
      select ${columns} from (select * from ${from} where ${ours} and ${words} ilike ${pattern} limit ${MATCHES}) leads
      order by ${isNamed} desc, created_at desc, id desc limit ${SEARCH_GROUP_SIZE}`
    const percent = sql`least(100, 100.0 * ${SAMPLED_BYTES} / greatest(pg_relation_size('leads'), 1))`
    await add(best(sql`leads tablesample system (${percent}) repeatable (0)`))
    await add(best(sql`leads`), readMatches)
  }
  return [...matches.values()].map(({ id, name, handle, bio, picture }) => ({
    id,
    title: name,
    subtitle: shorten(bio ? `@${handle} · ${bio}` : `@${handle}`),
    path: `/leads?lead=${id}`,
    pictureUrl: pictures.urlOf(id, picture),
  }))
}

async function readRows<T>(db: Db, query: SQL): Promise<T[]> {
  const { rows } = await db.execute<T & Record<string, unknown>>(query)
  return rows as T[]
}

/**
 * Reads rows with the text index. If many rows contain the words, PostgreSQL would otherwise check
 * one row after the other, which takes seconds if only the last ones match.
 */
async function readMatches<T>(db: Db, query: SQL): Promise<T[]> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`
      select set_config('enable_' || name, 'off', true) from unnest('{seqscan,indexscan}'::text[]) name`)
    return readRows<T>(tx, query)
  })
}

/** Finds lists by checking each one: a workspace has few lists and campaigns. */
async function findLists(db: Db, { workspaceId }: Actor, q: string): Promise<SearchItem[]> {
  const { rows } = await db.execute<{ id: string; name: string; count: number }>(sql`
    select id, name, lead_count as count
    from lead_lists
    where workspace_id = ${workspaceId} and name ilike ${anywhere(q)}
    order by name ilike ${startOf(q)} desc, created_at desc, id desc limit ${SEARCH_GROUP_SIZE}`)
  return rows.map(({ id, name, count }) => ({
    id,
    title: name,
    subtitle: formatCount(count, 'lead'),
    path: `/lists/${id}`,
    pictureUrl: null,
  }))
}

async function findCampaigns(db: Db, { workspaceId }: Actor, q: string): Promise<SearchItem[]> {
  const { rows } = await db.execute<{ id: string; name: string; status: CampaignStatus; replies: number }>(sql`
    select id, name, status, people_replied as replies from campaigns
    where workspace_id = ${workspaceId} and kind = 'campaign' and name ilike ${anywhere(q)}
    order by name ilike ${startOf(q)} desc, status = 'archived', created_at desc, id desc limit ${SEARCH_GROUP_SIZE}`)
  return rows.map(({ id, name, status, replies }) => ({
    id,
    title: name,
    subtitle: `${CAMPAIGN_STATUS_TEXTS[status]} · ${formatCount(replies, 'reply', 'replies')}`,
    path: `/campaigns/${id}`,
    pictureUrl: null,
  }))
}

type ConversationRow = Omit<LeadRow, 'bio'> & { leadId: string; text: string | null }

/** Searches the newest conversations by name and text, then all by the start of a name and by indexed text. */
async function findConversations(db: Db, pictures: Urls, { workspaceId }: Actor, q: string): Promise<SearchItem[]> {
  const read = (chosen: SQL) =>
    readRows<ConversationRow>(
      db,
      sql`
      select c.id, l.id as "leadId", l.name, l.twitter_handle as handle, l.profile_image_url as picture, coalesce(
        (select ${storedText(sql`r.text`)} from replies r where r.id = c.last_message_id), (
          select nullif(d.message, '') from dms d where d.id = c.last_message_id
        )) as text
      from (${chosen}) c
      join leads l on l.id = c.lead_id and l.workspace_id = c.workspace_id
      order by c.sort_at desc, c.id desc`,
    )
  const latest = sql`order by c.sort_at desc, c.id desc limit ${SEARCH_GROUP_SIZE}`
  const pattern = anywhere(q)
  const isNamed = sql`
    exists (
      select from leads l where l.id = c.lead_id and (l.name ilike ${pattern} or l.twitter_handle ilike ${pattern})
    )`
  // With a limit, PostgreSQL reads only the texts of these conversations.
  const says = sql`
    (
      select true
      from replies r
      where r.lead_id = c.lead_id and r.account_x_user_id = c.account_x_user_id and r.text ilike ${pattern}
      limit 1
    )
    or (select true from dms d join x_accounts a on a.id = d.x_account_id where d.lead_id = c.lead_id and a.x_user_id = c.account_x_user_id
      and (d.is_answer or d.status = 'replied') and d.message ilike ${pattern} limit 1)`
  const rows = await read(sql`
    select c.* from (
      select *
      from conversations
      where workspace_id = ${workspaceId}
      order by sort_at desc, id desc
      limit ${NEWEST_CONVERSATIONS}
    ) c where ${isNamed} ${q.length < INDEXED_LENGTH ? sql`` : sql`or ${says}`} ${latest}`)
  if (rows.length < SEARCH_GROUP_SIZE) {
    const textMatches =
      q.length < INDEXED_LENGTH ? [] : await readMatches<{ id: string }>(db, saying(workspaceId, pattern))
    const [knownIds, others] = [rows, textMatches].map((group) => sql`${sql.param(group.map(({ id }) => id))}::uuid[]`)
    const older = await read(sql`
      select c.* from conversations c
      where c.workspace_id = ${workspaceId} and c.id in (${named(workspaceId, q)} union all select unnest(${others}))
        and c.id <> all(${knownIds}) ${latest}`)
    rows.push(...older.slice(0, SEARCH_GROUP_SIZE - rows.length))
  }
  return rows.map(({ id, leadId, name, handle, picture, text }) => ({
    id,
    title: name,
    subtitle: shorten(text ?? `@${handle}`),
    path: `/inbox/${id}`,
    pictureUrl: pictures.urlOf(leadId, picture),
  }))
}

/** SQL: ids of conversations whose names match, up to a fixed number. */
function named(workspaceId: string, q: string): SQL {
  const text = q.replace(/^@(?=.)/, '')
  const people = (column: SQL) => sql`
    select f.id from (
      select id
      from leads
      where workspace_id = ${workspaceId} and ${starts(column, text)}
      order by workspace_id, ${column}
      limit ${MATCHES}
    ) l join conversations f on f.workspace_id = ${workspaceId} and f.lead_id = l.id`
  return sql`${people(foldedHandle)} union all ${people(foldedName)}`
}

/** SQL: ids of conversations whose texts match, up to a fixed number. */
function saying(workspaceId: string, pattern: string): SQL {
  return sql`
    select f.id from (
      select lead_id, account_x_user_id
      from replies
      where workspace_id = ${workspaceId} and text ilike ${pattern}
      limit ${MATCHES}
    ) r
    join conversations f on f.workspace_id = ${workspaceId}
      and f.lead_id = r.lead_id
      and f.account_x_user_id = r.account_x_user_id
    union all
    select f.id from (
      select lead_id, x_account_id from dms
      where workspace_id = ${workspaceId} and (is_answer or status = 'replied') and message ilike ${pattern}
      limit ${MATCHES}
    ) d join x_accounts a on a.id = d.x_account_id
      join conversations f on f.workspace_id = ${workspaceId}
        and f.lead_id = d.lead_id
        and f.account_x_user_id = a.x_user_id`
}

/** SQL condition: an indexed column in lower case starts with the text. */
function starts(column: SQL, text: string): SQL {
  const low = text.toLowerCase()
  return sql`${column} >= ${low} and ${column} < ${low + LAST} and ${column} like ${startOf(low)}`
}

/** A LIKE pattern for texts that start with this one. */
const startOf = (text: string) => anywhere(text).slice(1)

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > SUBTITLE_MAX ? `${[...line].slice(0, SUBTITLE_MAX - 1).join('')}…` : line
}
