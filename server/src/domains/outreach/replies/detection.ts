import { setImmediate } from 'node:timers/promises'
import type { InputOf } from '@x-automated/contract/contract'
import type { ReplyDetection } from '@x-automated/contract/outreach/replies'
import { sql } from 'drizzle-orm'
import { type Actor, callerId } from '../../../actor.ts'
import { namedDay } from '../../../core/classifier/label-rules.ts'
import { classifyReply, detectLanguage, isUnknownOrMixed } from '../../../core/classifier/labels.ts'
import { optOutWordsOf } from '../../../core/messages/sending-state.ts'
import type { DeliveryContext } from '../../../core/replies/deliveries.ts'
import { learnFromEvents } from '../../../core/replies/handles.ts'
import type { WatchContext } from '../../../core/replies/pages.ts'
import {
  type Conversation,
  classifyMessages,
  publishChanges,
  recordMessages,
  recordReads,
} from '../../../core/replies/record.ts'
import { watchReplies } from '../../../core/replies/watches.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import type { XHappening } from '../../../outside/x-delivery.ts'
import type { Limits } from '../../../requests/limits.ts'
import { offerSenders } from '../conversation-offers/offers.ts'

/*
 * X's events may arrive twice, in any order, in any process, and even before our message is
 * recorded. Each is stored once, by X's id, and every order leads to the same state.
 */

type Message = Extract<XHappening, { kind: 'message' }>
type Read = Extract<XHappening, { kind: 'read' }>
type Part = { conversation: Conversation } & ({ event: Message; at: Date } | { event: Read; at: Date })

/** How many leads' events one transaction stores. */
const LEADS_AT_A_TIME = 100

/**
 * Stores events from X, each lead's in order. Ignores events that are already stored. From someone
 * who is not a lead, it stores at most an offer.
 * @param ofApp limits events to this app's accounts, because the app's owner can sign events about
 * anyone
 * @returns messages that an active sender may have written; pass them in again later
 */
export async function receive(
  db: Db,
  events: readonly XHappening[],
  ofApp: string | null = null,
): Promise<ReadonlySet<XHappening>> {
  await learnFromEvents(db, events, ofApp)
  const relevant = events.filter((event) => event.kind === 'message' || event.kind === 'read')
  const parts = await findConversations(db, relevant, ofApp)
  const workspaces = [...Map.groupBy(parts, ({ conversation }) => conversation.workspaceId)]
  const undecided = new Set<XHappening>()
  const storeNext = async () => {
    for (let next = workspaces.shift(); next; next = workspaces.shift())
      for (const event of await storeParts(db, ...next)) undecided.add(event)
  }
  const stored = await Promise.allSettled(Array.from({ length: WORKSPACES_AT_A_TIME }, storeNext))
  for (const result of stored) if (result.status === 'rejected') throw result.reason
  const messages = events.filter((event) => event.kind === 'message')
  await offerSenders(db, messages, ofApp)
  return undecided
}

/** How many workspaces are processed at a time. Each takes a connection. */
const WORKSPACES_AT_A_TIME = 3

/** Stores the events of a workspace, those of many leads in one transaction. @returns see `receive` */
async function storeParts(db: Db, workspaceId: string, parts: readonly Part[]): Promise<XHappening[]> {
  const undecided: XHappening[] = []
  for (const round of roundsOf(parts)) {
    const messages = await classifyMessages(
      db,
      workspaceId,
      round.flatMap(({ conversation, event, at }) =>
        event.kind === 'message' ? [{ conversation, event: { ...event, at }, source: event }] : [],
      ),
    )
    const reads = round.flatMap(({ conversation, event, at }) =>
      event.kind === 'read' ? [{ conversation, readAt: at }] : [],
    )
    const open = await transact(db, async (tx) => {
      const unknown = messages.length > 0 ? await recordMessages(tx, workspaceId, messages) : []
      if (reads.length > 0) await recordReads(tx, reads)
      await publishChanges(tx, workspaceId, round)
      return unknown
    })
    undecided.push(...open)
  }
  return undecided
}

/** Splits events so that no part has two events of one lead, and each lead's events stay in order. */
function roundsOf(parts: readonly Part[]): Part[][] {
  const rounds: Part[][] = []
  const next = new Map<string, number>()
  for (const part of parts) {
    const { leadId } = part.conversation
    let at = next.get(leadId) ?? 0
    while ((rounds[at]?.length ?? 0) >= LEADS_AT_A_TIME) at += 1
    const round = rounds[at] ?? []
    rounds[at] = round
    round.push(part)
    next.set(leadId, at + 1)
  }
  return rounds
}

/** Starts reply detection in this process. */
export function startReplyDetection(context: WatchContext & DeliveryContext): Promise<{ close(): Promise<void> }> {
  return watchReplies(context, receive)
}

/**
 * Finds the account and lead of each event that is new to a workspace: by X id, or by handle,
 * because imported leads may have no X id.
 */
async function findConversations(db: Db, events: readonly (Message | Read)[], ofApp: string | null): Promise<Part[]> {
  if (events.length === 0) return []
  const rows = events.map((event, index) => {
    const [first, second] =
      event.kind === 'message' ? [event.senderId, event.recipientId] : [event.authorId, event.readerId]
    const ids = event.kind === 'message' ? { event_id: event.eventId, message_id: event.messageId ?? null } : {}
    const handles = { first_handle: event.handles[first] ?? null, second_handle: event.handles[second] ?? null }
    return { place: index, first, second, ...handles, ...ids }
  })
  const { rows: matches } = await db.execute<Conversation & { place: number; now: string }>(sql`
    select x.place, clock_timestamp() as now, a.workspace_id as "workspaceId", l.id as "leadId", a.id as "accountId",
      a.x_user_id as "accountXUserId",
      a.handle as "accountHandle", other.id as "leadXUserId"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as x(place int, first text, second text, first_handle text, second_handle text, event_id text, message_id text)
      cross join lateral (
        values (x.first, x.second, x.second_handle), (x.second, x.first, x.first_handle)
      ) as other(account, id, handle)
      join x_accounts a on a.x_user_id = other.account
      cross join lateral (
        select id from (
          select id, 1 as place from leads where workspace_id = a.workspace_id and x_user_id = other.id
          union all
          select id, 2
          from leads
          where workspace_id = a.workspace_id and x_user_id is null and lower(twitter_handle) = lower(other.handle)
        ) found order by place limit 1
      ) l
    where a.status <> 'disconnected' and x.first <> x.second and (${ofApp}::uuid is null or a.x_app_id = ${ofApp}::uuid)
      -- Most events are our own messages, known by their id.
      and not exists (select from replies r where r.workspace_id = a.workspace_id and r.x_event_id = x.event_id)
      and not exists (
        select from dms d where d.x_event_id in (x.event_id, x.message_id) and d.workspace_id = a.workspace_id
      )
    order by x.place`)
  return matches.map(({ place: index, now, ...conversation }): Part => {
    const event = events[index] as Message | Read
    // X does not always name the time.
    return { conversation, event, at: event.at ?? new Date(now) } as Part
  })
}

/** How many texts count as one call. */
const TEXTS_PER_CALL = 10

/** How texts would be labelled as replies today. @throws Refusal RATE_LIMITED */
export async function classifyTexts(
  { db, actor, limits }: { db: Db; actor: Actor; limits: Limits },
  { texts, writtenOn }: InputOf<'replies', 'classify'>,
) {
  const calls = Math.ceil(texts.length / TEXTS_PER_CALL)
  // The call itself is counted already.
  if (calls > 1) limits.countCall(callerId(actor), calls - 1)
  const now = writtenOn ? new Date(writtenOn) : new Date()
  const options = { optOutWords: await optOutWordsOf(db, actor.workspaceId), now, timeZone: 'UTC' }
  const results = []
  for (const text of texts) {
    const language = detectLanguage(text)
    const isUnread = isUnknownOrMixed(text)
    const { label, confidence } = classifyReply(text, options, isUnread)
    results.push({ label, confidence, language, date: isUnread ? null : namedDay(text, options) })
    // Long texts take milliseconds each, which delays other work.
    await setImmediate()
  }
  return { results }
}

/** The current state of reply detection for the workspace's accounts. */
export async function detection(db: Db, actor: Actor) {
  const { rows } = await db.execute<Detected>(sql`
    select a.handle, w.webhook_id is not null as "isSubscribed", w.problem, w.failure, w.read_until as "readUntil",
      coalesce(w.has_message_requests, false) as "hasRequests"
    from x_accounts a left join reply_watches w on w.x_user_id = a.x_user_id
    where a.workspace_id = ${actor.workspaceId} and a.status = 'connected'
    order by w.read_until nulls first`)
  const unread = rows.find(({ failure }) => failure !== null)
  const problem = unread
    ? `We can't read the messages of @${unread.handle}: ${unread.failure} Follow-ups wait.`
    : (rows.find((row) => row.problem !== null)?.problem ?? null)
  const isPolled = unread !== undefined || rows.some((row) => row.problem !== null)
  const state: ReplyDetection['state'] =
    rows.length === 0
      ? 'off'
      : isPolled
        ? 'degraded'
        : rows.every(({ isSubscribed }) => isSubscribed)
          ? 'live'
          : 'starting'
  const readUntil = rows[0]?.readUntil
  const requestsOf = rows.filter(({ hasRequests }) => hasRequests).map(({ handle }) => handle)
  return { state, problem, checkedAt: readUntil ? new Date(readUntil) : null, requestsOf }
}

type Detected = {
  handle: string
  isSubscribed: boolean
  /** Why X does not report everything. */
  problem: string | null
  /** Why the account cannot be read. */
  failure: string | null
  readUntil: string | null
  hasRequests: boolean
}
