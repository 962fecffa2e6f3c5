import type { InputOf } from '@x-automated/contract/contract'
import { NO_ID } from '@x-automated/contract/fields'
import {
  type Conversation,
  type Filter,
  MESSAGES_PAGE_SIZE,
  type Message,
} from '@x-automated/contract/outreach/conversations'
import { REPLIES_WAITING_MAX } from '@x-automated/contract/reply-labels'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { z } from 'zod'
import type { Actor } from '../../../actor.ts'
import { anywhere } from '../../../core/people/filter.ts'
import { isTag } from '../../../core/people/selection.ts'
import { isWaiting } from '../../../core/tables/conversations.ts'
import { leads, words } from '../../../core/tables/leads.ts'
import { storedText } from '../../../core/tables/replies.ts'
import { isSuppressed } from '../../../core/tables/suppressions.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { type Position, readCursor, writeCursor } from '../../../db/paging.ts'
import { Refusal } from '../../../refusal.ts'
import { notesOf } from './notes.ts'

// Conversations

/** A conversation as input of the contract's output schema, before its lead's picture has a URL. */
export type ReadConversation = Omit<z.input<typeof Conversation>, 'lead'> & {
  lead: Omit<z.input<typeof Conversation>['lead'], 'pictureUrl'>
}

type Row = Record<string, unknown> & { id: string; sortAt: string; accountXUserId: string; leadId: string } & {
  conversation: Omit<ReadConversation, 'lastMessage' | 'snoozedUntil'> & {
    lastMessage: Omit<ReadConversation['lastMessage'], 'at'> & { at: string }
    snoozedUntil: string | null
  }
}

/** Reads conversations in the order of lists. @param chosen a subquery of a few rows of `conversations` */
async function readConversations(db: Db, chosen: SQL): Promise<Row[]> {
  const { rows } = await db.execute<Row>(sql`
    select c.id, c.sort_at as "sortAt", c.account_x_user_id as "accountXUserId", c.lead_id as "leadId",
      jsonb_build_object(
      'id', c.id, 'lead', jsonb_build_object(
        'id', l.id, 'name', l.name, 'twitterHandle', l.twitter_handle, 'profileImageUrl', l.profile_image_url,
        'tagIds', array(select t.tag_id::text from lead_tags t where t.lead_id = l.id order by t.added_at, t.tag_id)),
      'xAccountId', a.id, 'campaignId', c.campaign_id, 'lastMessage', jsonb_build_object(
        'id', c.last_message_id, 'at', c.last_message_at, 'isOurs', c.is_last_ours, 'text', coalesce(
          (select ${storedText(sql`r.text`)} from replies r where r.id = c.last_message_id), (select nullif(d.message, '') from dms d where d.id = c.last_message_id))),
      'isUnread', c.is_unread, 'status', c.status, 'snoozedUntil', c.snoozed_until, 'label', c.label, 'confidence',
      c.confidence,
      'suppression',
      case
        when ${isSuppressed(alias(leads, 'l'))} then 'suppressed'
        when c.suggests_suppression then 'suggested'
        else 'none' end,
      'isEncrypted', c.is_encrypted, 'assigneeId', c.assignee_id
    ) as conversation
    from (${chosen}) c join leads l on l.id = c.lead_id and l.workspace_id = c.workspace_id
      join x_accounts a on a.workspace_id = c.workspace_id and a.x_user_id = c.account_x_user_id
    order by c.sort_at desc, c.id desc`)
  return rows
}

function conversationOf({ conversation }: Row): ReadConversation {
  const { lastMessage, snoozedUntil, ...rest } = conversation
  return {
    ...rest,
    lastMessage: { ...lastMessage, at: new Date(lastMessage.at) },
    snoozedUntil: snoozedUntil && new Date(snoozedUntil),
  } as ReadConversation
}

/** SQL condition on `conversations c`: it belongs to the workspace and matches the filter. */
export function matching(
  { workspaceId, userId }: Pick<Actor, 'workspaceId' | 'userId'>,
  { status, label, tag, leadId, assigneeId, xAccountId, campaignId, q }: Filter,
): SQL {
  const conditions = [
    sql`c.workspace_id = ${workspaceId}`,
    status && sql`c.status = ${status}`,
    label && sql`c.label = ${label}`,
    tag &&
      sql`
        c.lead_id in (
          select g.lead_id from lead_tags g join tags on tags.id = g.tag_id where ${isTag(workspaceId, tag)}
        )`,
    leadId && sql`c.lead_id = ${leadId}`,
    assigneeId &&
      (assigneeId === 'none'
        ? sql`c.assignee_id is null`
        : sql`c.assignee_id = ${assigneeId === 'me' ? userId : assigneeId}`),
    xAccountId &&
      sql`
        c.account_x_user_id = (
          select x_user_id from x_accounts where workspace_id = ${workspaceId} and id = ${xAccountId}
        )`,
    campaignId && sql`c.campaign_id = ${campaignId}`,
    q && sql`c.id in (${saying(workspaceId, q)})`,
  ]
  return sql.join(
    conditions.filter((condition) => condition !== undefined && condition !== ''),
    sql` and `,
  )
}

/** SQL conditions that find `q`: in a lead, in a reply `r`, and in an answer or answered message `d`. */
function containing(q: string) {
  const pattern = anywhere(q)
  if (q.length >= INDEXED_LENGTH)
    return {
      words: sql`${words} ilike ${pattern}`,
      lead: sql`(leads.name ilike ${pattern} or leads.twitter_handle ilike ${pattern})`,
      reply: sql`r.text ilike ${pattern}`,
      message: sql`((d.is_answer or d.status = 'replied') and d.message ilike ${pattern})`,
    }
  const [first, later] = [pattern.slice(1), `% ${pattern.slice(1)}`]
  return {
    words: sql`(${words} ilike ${first} or ${words} ilike ${later})`,
    lead: sql`(leads.name ilike ${first} or leads.name ilike ${later} or leads.twitter_handle ilike ${first})`,
    reply: sql`false`,
    message: sql`false`,
  }
}
/** Minimum length of a text that the text indexes can find, except at the beginning of a word. */
const INDEXED_LENGTH = 3

/** SQL subquery of conversations whose lead, replies, answers or answered messages contain `q`. */
function saying(workspaceId: string, q: string): SQL {
  const has = containing(q)
  return sql`
    select f.id from conversations f join leads on leads.id = f.lead_id
    where f.workspace_id = ${workspaceId} and leads.workspace_id = ${workspaceId} and ${has.words} and ${has.lead}
    union all
    select f.id from replies r join conversations f
      on f.workspace_id = ${workspaceId} and f.lead_id = r.lead_id and f.account_x_user_id = r.account_x_user_id
    where r.workspace_id = ${workspaceId} and ${has.reply}
    union all
    select f.id from dms d join x_accounts a on a.id = d.x_account_id join conversations f
      on f.workspace_id = ${workspaceId} and f.lead_id = d.lead_id and f.account_x_user_id = a.x_user_id
    where d.workspace_id = ${workspaceId} and ${has.message}`
}

/** SQL condition on a few conversations `c`: like `saying`, but without an index. */
function says(q: string): SQL {
  const has = containing(q)
  return sql`(
    exists (select from leads where leads.id = c.lead_id and ${has.lead})
    or exists (
      select from replies r where r.lead_id = c.lead_id and r.account_x_user_id = c.account_x_user_id and ${has.reply}
    )
    or exists (select from dms d join x_accounts a on a.id = d.x_account_id
      where d.lead_id = c.lead_id and a.x_user_id = c.account_x_user_id and ${has.message}))`
}

/** How many conversations a search reads first. Frequent words are found among these. */
const NEWEST = 1_000

/** One page of conversations, and the counts of the workspace. */
export async function list(db: Db, actor: Actor, input: InputOf<'conversations', 'list'>) {
  const { pageSize, cursor, ...filter } = input
  const position = cursor === undefined ? null : readCursor(cursor)
  const behind = position
    ? sql`and (c.sort_at, c.id) < (${position.at.toISOString()}::timestamptz, ${position.id}::uuid)`
    : sql``
  const newest = (from: SQL, which: SQL, count: number) =>
    sql`select c.* from ${from} c where ${which} order by c.sort_at desc, c.id desc limit ${count}`
  const all = sql`conversations`
  const search = async () => {
    const { q, ...others } = filter
    // One extra row shows whether there are more.
    const count = pageSize + 1
    if (q) {
      const first = newest(all, sql`${matching(actor, others)} ${behind}`, NEWEST)
      const matches = await readConversations(db, newest(sql`(${first})`, says(q), count))
      if (matches.length === count) return matches
    }
    return readConversations(db, newest(all, sql`${matching(actor, filter)} ${behind}`, count))
  }
  const [rows, counted] = await Promise.all([
    search(),
    db.execute<{ open: number; unread: number; snoozed: number }>(
      sql`select open, unread, snoozed from conversation_counts where workspace_id = ${actor.workspaceId}`,
    ),
  ])
  const visible = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? visible.at(-1) : undefined
  return {
    conversations: visible.map(conversationOf),
    counts: counted.rows[0] ?? { open: 0, unread: 0, snoozed: 0 },
    cursor: last ? writeCursor({ at: new Date(last.sortAt), id: last.id }) : null,
  }
}

/**
 * The number of people who wait for an answer in open conversations, read or unread, up to
 * REPLIES_WAITING_MAX. @param accountXUserId null: all accounts
 */
export async function countWaiting(
  db: Db,
  { workspaceId }: Pick<Actor, 'workspaceId'>,
  accountXUserId: string | null,
): Promise<number> {
  // A person who wrote to several accounts counts once. Checked row by row, so that the limit ends the scan.
  const isCounted =
    accountXUserId === null
      ? sql`not exists (select from conversations o where o.workspace_id = c.workspace_id and o.lead_id = c.lead_id
          and o.account_x_user_id < c.account_x_user_id and ${isWaiting})`
      : sql`c.account_x_user_id = ${accountXUserId}`
  // The planner would expect few rows for `is null`, and would not stop at the limit.
  const mayGetAnswer = sql`case when ${isSuppressed(leads)} then false else true end`
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from (
      select from conversations c join leads on leads.id = c.lead_id and leads.workspace_id = c.workspace_id
      where c.workspace_id = ${workspaceId} and ${isCounted} and ${isWaiting} and ${mayGetAnswer}
      limit ${REPLIES_WAITING_MAX}) counted`)
  return one(rows).count
}

/** A conversation with one page of its messages. @throws Refusal CONVERSATION_NOT_FOUND */
export async function find(db: Db, actor: Actor, { id, cursor }: InputOf<'conversations', 'find'>) {
  const position = cursor === undefined ? null : readCursor(cursor)
  const row = await findRow(db, actor, id)
  const [{ messages, cursor: next }, notes, drafts] = await Promise.all([
    readMessages(db, actor, row, position),
    notesOf(db, actor, id),
    db.execute<{ userId: string; name: string; text: string; updatedAt: string }>(sql`
      select d.user_id as "userId", coalesce(nullif(u.name, ''), u.email) as name, d.text, d.updated_at as "updatedAt"
      from conversation_drafts d join auth_users u on u.id = d.user_id
      where d.workspace_id = ${actor.workspaceId} and d.conversation_id = ${id} order by d.updated_at desc`),
  ])
  const allDrafts = drafts.rows.map(({ updatedAt, ...draft }) => ({ ...draft, updatedAt: new Date(updatedAt) }))
  return {
    ...conversationOf(row),
    messages,
    notes,
    draft: allDrafts.find(({ userId }) => userId === actor.userId) ?? null,
    otherDrafts: allDrafts.filter(({ userId }) => userId !== actor.userId),
    cursor: next,
  }
}

/** A conversation as lists show it. @throws Refusal CONVERSATION_NOT_FOUND */
export async function findConversation(db: Db, actor: Actor, id: string): Promise<ReadConversation> {
  return conversationOf(await findRow(db, actor, id))
}

/** @throws Refusal CONVERSATION_NOT_FOUND */
export async function findRow(db: Db, { workspaceId }: Actor, id: string): Promise<Row> {
  const [row] = await readConversations(
    db,
    sql`select * from conversations where workspace_id = ${workspaceId} and id = ${id}`,
  )
  if (!row) throw new Refusal('CONVERSATION_NOT_FOUND')
  return row
}

// Messages

type MessageRow = Record<string, unknown> & Omit<z.input<typeof Message>, 'at'> & { at: string }

/**
 * SQL: the messages of one conversation. Includes our messages that were sent, may have been sent,
 * or failed when they were tried.
 */
function messagesOf({ workspaceId }: Actor, { leadId, accountXUserId }: Pick<Row, 'leadId' | 'accountXUserId'>): SQL {
  return sql`
    select d.id, nullif(d.message, '') as text, coalesce(d.claimed_at, d.sent_at, d.created_at) as at, true as "isOurs",
      case c.kind when 'campaign' then 'campaign' else 'member' end as author,
      case c.kind when 'direct' then d.user_id end as "memberId",
      d.status, d.step_number as "stepNumber", (
        select jsonb_build_object('id', variant.value -> 'id', 'name', variant.value -> 'name')
        from sequence_versions v
        cross join lateral jsonb_array_elements(v.steps) s
        cross join lateral jsonb_array_elements(s.value -> 'variants') variant
        where v.workspace_id = c.workspace_id and v.campaign_id = c.id and variant.value ->> 'id' = d.variant_id::text
        order by v.version desc limit 1
      ) as variant, null as label, d.reason as why
    from dms d join campaigns c on c.id = d.campaign_id
      join x_accounts a on a.workspace_id = ${workspaceId} and a.x_user_id = ${accountXUserId}
    where d.lead_id = ${leadId} and coalesce(d.x_account_id, a.id) = a.id
      and (
        d.sent_at is not null
        or d.outcome_unknown
        or d.lease_expires_at is not null
        or (d.status = 'failed' and d.tried_at is not null)
      )
    union all
    select r.id, ${storedText(sql`r.text`)}, r.at, r.kind = 'written', case r.kind when 'reply' then 'lead' else 'owner' end, null, null,
      null, null, r.label, null
    from replies r where r.lead_id = ${leadId} and r.account_x_user_id = ${accountXUserId}`
}

/** The messages after the given one, or the newest page if there is no such message. */
export async function findNewer(db: Db, actor: Actor, row: Row, afterId: string) {
  const { rows } = await db.execute<MessageRow>(sql`
    with message as materialized (${messagesOf(actor, row)})
    select * from message
    where (at, id) > coalesce(
      (select (at, id) from message where id = ${afterId}), ('-infinity'::timestamptz, ${NO_ID}::uuid)
    )
      and status is distinct from 'failed'
    order by at desc, id desc limit ${MESSAGES_PAGE_SIZE}`)
  return rows.map(messageOf)
}

/** A message that was sent in this conversation, even if its lead has been merged since. */
export async function findSent(db: Db, actor: Actor, row: Row, id: string) {
  const { rows: sent } = await db.execute<{ leadId: string }>(sql`
    select lead_id as "leadId" from dms where workspace_id = ${actor.workspaceId} and id = ${id}`)
  const all = messagesOf(actor, { ...row, ...one(sent) })
  const { rows } = await db.execute<MessageRow>(sql`select * from (${all}) message where id = ${id}`)
  return messageOf(one(rows))
}

async function readMessages(db: Db, actor: Actor, row: Row, position: Position | null) {
  const behind = position
    ? sql`where (at, id) < (${position.at.toISOString()}::timestamptz, ${position.id}::uuid)`
    : sql``
  const { rows } = await db.execute<MessageRow>(sql`
    select *
    from (${messagesOf(actor, row)}) message ${behind}
    order by at desc, id desc
    limit ${MESSAGES_PAGE_SIZE + 1}`)
  const visible = rows.slice(0, MESSAGES_PAGE_SIZE).map(messageOf)
  const last = rows.length > MESSAGES_PAGE_SIZE ? visible.at(-1) : undefined
  return { messages: visible, cursor: last ? writeCursor(last) : null }
}

const messageOf = ({ at, ...rest }: MessageRow) => ({ ...rest, at: new Date(at) }) as z.input<typeof Message>
