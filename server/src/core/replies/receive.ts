import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import type { XHappening, XMessage } from '../../outside/x-delivery.ts'
import { classifyReplies } from '../classifier/classify-replies.ts'
import { lockEnrollmentsOfLeads } from '../messages/locks.ts'
import { offerSenders } from '../neighbors.ts'
import { learnFromEvents } from '../people/handles.ts'
import { type Conversation, listLeads, lockMessages, publishChanges, recordMessages, recordReads } from './record.ts'

/*
 * X's events may arrive twice, in any order, in any process, and even before our message is
 * recorded. Each is stored once, by X's id, and every order leads to the same state.
 */

type Read = Extract<XHappening, { kind: 'read' }>
type Part = { conversation: Conversation } & ({ event: XMessage; at: Date } | { event: Read; at: Date })

/** How many leads' events one transaction stores. */
const LEADS_AT_A_TIME = 100

/** How many workspaces are processed at a time. Each takes a connection. */
const WORKSPACES_AT_A_TIME = 3

/**
 * Stores events from X, each lead's in order. Ignores events that are already stored. A sender who
 * is not a lead may be offered as one.
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
    for (let next = workspaces.shift(); next; next = workspaces.shift()) {
      const [workspaceId, theirs] = next
      for (const round of roundsOf(theirs))
        for (const event of await storeRound(db, workspaceId, round)) undecided.add(event)
    }
  }
  const stored = await Promise.allSettled(Array.from({ length: WORKSPACES_AT_A_TIME }, storeNext))
  for (const result of stored) if (result.status === 'rejected') throw result.reason
  const messages = events.filter((event) => event.kind === 'message')
  await offerSenders(db, messages, ofApp)
  return undecided
}

/**
 * Finds the account and lead of each event that is new to a workspace: by X id, or by handle,
 * because imported leads may have no X id.
 */
async function findConversations(db: Db, events: readonly (XMessage | Read)[], ofApp: string | null): Promise<Part[]> {
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
    const event = events[index] as XMessage | Read
    // X does not always name the time.
    return { conversation, event, at: event.at ?? new Date(now) } as Part
  })
}

/** Splits events into rounds with at most one event of each lead, and keeps each lead's events in order. */
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

/** Classifies and stores one event of each lead, in one transaction. @returns see `receive` */
async function storeRound(db: Db, workspaceId: string, round: readonly Part[]): Promise<XHappening[]> {
  const received = round.flatMap(({ conversation, event, at }) =>
    event.kind === 'message' ? [{ conversation, event: { ...event, at }, source: event }] : [],
  )
  const reads = round.flatMap(({ conversation, event, at }) =>
    event.kind === 'read' ? [{ conversation, readAt: at }] : [],
  )
  const readings = await classifyReplies(
    db,
    workspaceId,
    received.map(({ conversation: { accountId, leadXUserId }, event: { senderId, text, at } }) => ({
      accountId,
      text: senderId === leadXUserId ? text : '',
      at,
    })),
  )
  const messages = received.map((message, index) => ({ ...message, reading: readings[index] ?? null }))
  return transact(db, async (tx) => {
    if (messages.length > 0) await lockEnrollmentsOfLeads(tx, workspaceId, listLeads(messages))
    const own = await lockMessages(tx, round)
    const undecided = messages.length > 0 ? await recordMessages(tx, workspaceId, messages, own) : []
    await recordReads(tx, reads)
    await publishChanges(tx, workspaceId, round)
    return undecided
  })
}
