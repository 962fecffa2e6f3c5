import { REPLY_TEXT_MAX } from '@x-automated/contract/outreach/replies'
import type { EventKind } from '@x-automated/contract/platform/events'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/open.ts'
import { parseTime } from '../../db/parse-time.ts'
import { storable } from '../../db/storable.ts'
import type { XHappening, XMessage } from '../../outside/x-delivery.ts'
import { checkOptOuts } from '../campaigns/pause.ts'
import { labelToContinue, type Reading } from '../classifier/labels.ts'
import { addReplies, addWritten } from '../conversations/messages.ts'
import { allowsTexts } from '../messages/accounts.ts'
import { countedColumns, countMessages } from '../messages/counts.ts'
import { findSentMessage } from '../messages/find.ts'
import { lockLeadsAndCampaigns } from '../messages/locks.ts'
import { stopMessages } from '../messages/stop.ts'
import { notifyReplies, publishEvents } from '../neighbors.ts'
import { suppressOptOuts } from '../people/suppression.ts'
import { dms } from '../tables/messages.ts'
import { replies } from '../tables/replies.ts'
import { storeAnswers } from './answers.ts'
import { endAnswered, type MessageMeaning } from './stop-answered.ts'
import { answeredMessage, type OwnMessage, writerOf } from './writers.ts'

/*
 * Stores what happened in conversations of one workspace, for many leads in one transaction: in a
 * burst of replies, a statement for each lead would take too long. Rows are locked in the lock
 * order (core/README.md): the caller locks enrollments and messages, then leads and campaigns follow.
 */

/** A conversation between a lead and an X account of its workspace. */
export type Conversation = {
  workspaceId: string
  leadId: string
  accountId: string
  accountXUserId: string
  accountHandle: string
  /** The X id of the lead. */
  leadXUserId: string
}
type Timed<Event> = Event & { at: Date }
/** `source`: the message as it was received. */
type MessageIn = {
  conversation: Conversation
  event: Timed<XMessage>
  source: XHappening
  reading: Reading | null
}
type ReadIn = { conversation: Conversation; readAt: Date }

const message = alias(dms, 'd')

const idsOf = (all: readonly { conversation: Conversation }[]): string[] => [
  ...new Set(all.map(({ conversation }) => conversation.leadId)),
]
/** SQL: the ids of the leads of these conversations. */
export const listLeads = (all: readonly { conversation: Conversation }[]): SQL =>
  sql`select unnest(${sql.param(idsOf(all))}::uuid[])`
/** SQL: rows as a relation. @param columns names and types */
const relation = (rows: readonly object[], columns: SQL): SQL =>
  sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(${columns})`

type Own = OwnMessage & {
  leadId: string
  campaignId: string
  message: string
  eventId: string | null
  triedAt: Date | null
  isSent: boolean
}

/**
 * Locks our messages in these conversations before their leads, as recording an outcome does.
 * @returns the messages by lead id
 */
export async function lockMessages(
  tx: Db,
  all: readonly { conversation: Conversation }[],
): Promise<ReadonlyMap<string, readonly Own[]>> {
  const pairs = all.map(({ conversation: { leadId, accountId } }) => ({ lead_id: leadId, account_id: accountId }))
  const { rows } = await tx.execute<
    Omit<Own, 'triedAt' | 'claimedAt' | 'endedAt' | 'isSent'> &
      Record<'triedAt' | 'claimedAt' | 'endedAt', string | null> & { status: string }
  >(sql`
    select d.id, d.lead_id as "leadId", d.campaign_id as "campaignId", d.message, d.status, d.holder,
      d.x_event_id as "eventId", d.tried_at as "triedAt",
      d.claimed_at as "claimedAt", d.lease_expires_at is not null as "isOut",
      -- Settling a message of a worker takes up to a day, during which the message may report its own id.
      d.lease_expires_at is not null and (not d.outcome_unknown or d.holder like 'extension:%') as "isClaimed",
      case when d.status <> 'queued' then coalesce(d.sent_at, d.updated_at) end as "endedAt"
    from ${relation(pairs, sql`lead_id uuid, account_id uuid`)}
    join dms d on d.lead_id = x.lead_id and coalesce(d.x_account_id, x.account_id) = x.account_id
    order by d.id for no key update of d`)
  const own = new Map<string, Own[]>()
  for (const { status, ...row } of rows) {
    const isSent = SENT.has(status)
    const theirs = own.get(row.leadId) ?? []
    own.set(row.leadId, theirs)
    theirs.push({
      ...row,
      triedAt: parseTime(row.triedAt),
      claimedAt: parseTime(row.claimedAt),
      endedAt: parseTime(row.endedAt),
      isSent,
      isOut: isSent || row.isOut,
    })
  }
  return own
}
const SENT = new Set(['sent', 'delivered', 'replied'])

/** A stored message and its meaning. */
type Stored = MessageIn & { id: string; isReply: boolean; answered: Own | null; isOptOut: boolean }

/**
 * Stores messages, at most one per lead. @param own see `lockMessages` @returns messages from the
 * account itself that an active sender may have written
 */
export async function recordMessages(
  tx: Db,
  workspaceId: string,
  messages: readonly MessageIn[],
  own: ReadonlyMap<string, readonly Own[]>,
): Promise<XHappening[]> {
  const { foreign, undecided, ours } = sortOut(messages, own)
  await storeEventIds(tx, ours)
  if (foreign.length === 0) return undecided
  await lockLeadsAndCampaigns(tx, listLeads(foreign))
  const stored = await storeMessages(tx, workspaceId, foreign, own)
  await answerMessages(tx, workspaceId, stored, own)
  await stopFollowUps(tx, workspaceId, stored)
  await addToConversations(tx, workspaceId, stored)
  return undecided
}

/** Stores the X ids of messages that extensions sent: extensions do not learn them. */
async function storeEventIds(tx: Db, ours: readonly { id: string; event_id: string }[]): Promise<void> {
  if (ours.length === 0) return
  await tx.execute(
    sql`update dms set x_event_id = x.event_id from ${relation(ours, sql`id uuid, event_id text`)} where dms.id = x.id`,
  )
}

/** Ends or pauses the sequences of people who wrote, and marks them and their messages as answered. */
async function answerMessages(
  tx: Db,
  workspaceId: string,
  stored: readonly Stored[],
  own: ReadonlyMap<string, readonly Own[]>,
): Promise<void> {
  await endSequences(tx, workspaceId, stored)
  await updateLeads(tx, stored, own)
  await markAnswered(tx, stored)
}

/** Stops what is queued for people who wrote, and suppresses those who asked to stop. */
async function stopFollowUps(tx: Db, workspaceId: string, stored: readonly Stored[]): Promise<void> {
  const optedOut = stored.filter(({ isOptOut }) => isOptOut)
  if (optedOut.length > 0) {
    await suppressOptOuts({ db: tx, sending: { stopMessages } }, workspaceId, idsOf(optedOut))
    // One check per campaign covers all its messages.
    const perCampaign = new Map(
      optedOut.flatMap(({ answered }) => (answered ? [[answered.campaignId, answered.id]] : [])),
    )
    for (const dmId of perCampaign.values()) await checkOptOuts(tx, dmId)
  }
  const others = stored.filter(({ isOptOut }) => !isOptOut)
  if (others.length > 0) await stopMessages(tx, workspaceId, listLeads(others))
}

/**
 * Separates messages that the product did not send (`foreign`) from its own, and from those that an
 * active sender may have sent (`undecided`).
 */
function sortOut(messages: readonly MessageIn[], own: ReadonlyMap<string, readonly Own[]>) {
  const foreign: MessageIn[] = []
  const undecided: XHappening[] = []
  /** Messages of extensions, which do not learn ids from X. */
  const ours: { id: string; event_id: string }[] = []
  for (const incoming of messages) {
    const { conversation, event } = incoming
    const theirs = own.get(conversation.leadId) ?? []
    if (event.senderId === conversation.leadXUserId) foreign.push(incoming)
    else if (!event.isEncrypted) {
      if (!theirs.some((message) => isSameMessage(message, event))) foreign.push(incoming)
    } else {
      const writer = writerOf(theirs, event)
      if (writer === 'unknown') undecided.push(incoming.source)
      else if (writer === 'owner') foreign.push(incoming)
      else if (writer.eventId === null) ours.push({ id: writer.id, event_id: event.eventId })
    }
  }
  return { foreign, undecided, ours }
}

/**
 * Whether a message from the account is the given one of ours. Unrecorded messages and those of
 * extensions are matched by text.
 */
function isSameMessage(ours: Own, { eventId, senderId, text, at }: Timed<XMessage>): boolean {
  if (ours.eventId !== null) return ours.eventId === eventId
  if (ours.triedAt === null) return false
  const sent = { text: ours.message, senderId, since: ours.triedAt }
  return findSentMessage([{ id: eventId, senderId, text, at }], sent, new Set()) !== null
}

/** Stores messages, with their texts if the account allows it. @returns the new ones */
async function storeMessages(
  tx: Db,
  workspaceId: string,
  messages: readonly MessageIn[],
  own: ReadonlyMap<string, readonly Own[]>,
): Promise<Stored[]> {
  const accounts = new Set(messages.map(({ conversation }) => conversation.accountXUserId))
  const areTextsAllowed = new Map<string, boolean>()
  for (const xUserId of [...accounts].sort()) areTextsAllowed.set(xUserId, await allowsTexts(tx, workspaceId, xUserId))
  const prepared = messages.map((incoming): Omit<Stored, 'id'> => {
    const { conversation, event, reading } = incoming
    const isReply = event.senderId === conversation.leadXUserId
    return {
      ...incoming,
      isReply,
      answered: isReply ? answeredMessage(own.get(conversation.leadId) ?? [], event.at) : null,
      // The model alone never suppresses anyone; it only stops what is queued.
      isOptOut: isReply && reading?.label === 'opted_out' && reading.by === 'rule',
    }
  })
  const inserted = await tx
    .insert(replies)
    .values(
      prepared.map(({ conversation: { leadId, accountXUserId }, event, reading, isReply, answered, isOptOut }) => ({
        workspaceId,
        leadId,
        accountXUserId,
        dmId: answered?.id ?? null,
        xEventId: event.eventId,
        kind: isReply ? ('reply' as const) : ('written' as const),
        text:
          areTextsAllowed.get(accountXUserId) && !event.isEncrypted
            ? storable(event.text.slice(0, REPLY_TEXT_MAX))
            : null,
        optedOut: isOptOut,
        label: isReply ? (reading?.label ?? null) : null,
        at: event.at,
        // Not `now()`: this transaction may have waited for a message that was queued in the meantime.
        createdAt: sql`clock_timestamp()`,
      })),
    )
    .onConflictDoNothing()
    .returning({ id: replies.id, leadId: replies.leadId })
  return inserted.flatMap(({ id, leadId }) => {
    const match = prepared.find(({ conversation }) => conversation.leadId === leadId)
    return match ? [{ ...match, id }] : []
  })
}

/**
 * Ends or pauses the enrollments of people who wrote or were written to. People with the same label
 * are handled together.
 */
async function endSequences(tx: Db, workspaceId: string, stored: readonly Stored[]): Promise<void> {
  const groups = new Map<string, { meaning: MessageMeaning; leadIds: string[] }>()
  for (const { conversation, event, isReply, reading, isOptOut } of stored) {
    if (isOptOut) continue
    const label: MessageMeaning['label'] =
      isReply && reading ? (reading.label === 'opted_out' ? 'opted_out' : labelToContinue(reading)) : null
    const isUntil = label === 'auto_reply' || label === 'later'
    const meaning: MessageMeaning = { isReply, label, until: (isUntil && reading?.until) || null, at: event.at }
    const key = JSON.stringify([isReply, label, meaning.until, label === 'auto_reply' ? meaning.at : null])
    const group = groups.get(key) ?? { meaning, leadIds: [] }
    groups.set(key, group)
    group.leadIds.push(conversation.leadId)
  }
  for (const { meaning, leadIds } of groups.values()) await endAnswered(tx, workspaceId, leadIds, meaning)
}

/** Updates the leads of messages: their X id, when they replied, and whether they wrote first. */
async function updateLeads(tx: Db, stored: readonly Stored[], own: ReadonlyMap<string, readonly Own[]>): Promise<void> {
  const rows = stored.map(({ conversation, event, isReply, answered, reading }) => ({
    lead_id: conversation.leadId,
    x_user_id: conversation.leadXUserId,
    at: event.at,
    is_answer: answered !== null && reading?.label !== 'auto_reply',
    // Writing first is a contact basis, which X's automation rules require.
    wrote_first: isReply && !(own.get(conversation.leadId) ?? []).some(({ isOut }) => isOut),
    source: `Wrote to @${conversation.accountHandle} on X`,
  }))
  const columns = sql`
    lead_id uuid, x_user_id text, at timestamptz, is_answer boolean, wrote_first boolean, source text`
  const isBasis = sql`(x.wrote_first and l.basis = 'none')`
  // Among duplicate leads, the one that already has the X id gets the message.
  await tx.execute(sql`
    update leads l set updated_at = now(),
      x_user_id = coalesce(l.x_user_id, x.x_user_id),
      x_user_checked_at = case when l.x_user_id is null then now() else l.x_user_checked_at end,
      replied_at = case when x.is_answer then greatest(l.replied_at, x.at) else l.replied_at end,
      basis = case when ${isBasis} then 'wrote_first' else l.basis end,
      basis_at = case when ${isBasis} then x.at else l.basis_at end,
      basis_source = case when ${isBasis} then x.source else l.basis_source end
    from ${relation(rows, columns)}
    where l.id = x.lead_id`)
}

/** Marks the messages that replies answer. */
async function markAnswered(tx: Db, stored: readonly Stored[]): Promise<void> {
  const answeredMessages = stored.flatMap(({ answered, event }) =>
    answered?.isSent ? [{ id: answered.id, at: event.at }] : [],
  )
  if (answeredMessages.length > 0)
    await tx.execute(sql`
      with old as (
        select x.at, ${countedColumns(message)}
        from dms d
        join ${relation(answeredMessages, sql`id uuid, at timestamptz`)} on x.id = d.id
        order by d.id
        for no key update of d
      ), changed as (
        update dms d
        set status = 'replied', replied_at = least(d.replied_at, old.at),
          delivered_at = coalesce(d.delivered_at, old.at), updated_at = now()
        from old
        where d.id = old.id
        returning ${countedColumns(message)}
      ), ${countMessages({ before: 'old', after: 'changed' })}
      select from changed`)
  await storeAnswers(
    tx,
    stored.flatMap(({ answered }) => answered?.id ?? []),
  )
  // A reply proves that earlier messages were read.
  const reads = stored.filter(({ isReply }) => isReply)
  await recordReads(
    tx,
    reads.map(({ conversation, event }) => ({ conversation, readAt: event.at })),
  )
}

async function addToConversations(tx: Db, workspaceId: string, stored: readonly Stored[]): Promise<void> {
  const messageOf = ({ conversation: { leadId, accountXUserId }, id, event: { at, isEncrypted } }: Stored) => ({
    leadId,
    accountXUserId,
    id,
    at,
    isEncrypted,
  })
  for (const message of stored) if (!message.isReply) await addWritten(tx, workspaceId, messageOf(message))
  const theirs = stored.filter(({ isReply }) => isReply)
  if (theirs.length === 0) return
  await addReplies(
    tx,
    workspaceId,
    theirs.map((message) => ({
      ...messageOf(message),
      label: message.reading?.label ?? null,
      confidence: message.reading?.label ? message.reading.confidence : null,
      suggestsSuppression: message.reading?.label === 'opted_out' && message.reading.by === 'model',
      dmId: message.answered?.id ?? null,
      laterAt: message.reading?.label === 'later' ? message.reading.until : null,
    })),
  )
  await notifyReplies(
    tx,
    workspaceId,
    theirs.map((message) => ({ ...messageOf(message), label: message.reading?.label ?? null })),
  )
}

/**
 * Marks messages as delivered that were sent before their lead read the conversation. @param reads
 * at most one per lead
 */
export async function recordReads(tx: Db, reads: readonly ReadIn[]): Promise<void> {
  if (reads.length === 0) return
  const rows = reads.map(({ conversation: { leadId, accountId, accountXUserId }, readAt }) => ({
    lead_id: leadId,
    account_id: accountId,
    account: accountXUserId,
    at: readAt,
  }))
  const columns = sql`lead_id uuid, account_id uuid, account text, at timestamptz`
  await tx.execute(sql`
    insert into lead_reads as s (lead_id, account_x_user_id, read_at)
    select lead_id, account, at from ${relation(rows, columns)} order by lead_id
    on conflict (lead_id, account_x_user_id) do update set read_at = greatest(s.read_at, excluded.read_at)`)
  await tx.execute(sql`
    with old as (
      select x.at, ${countedColumns(message)}
      from dms d
      join ${relation(rows, columns)} on x.lead_id = d.lead_id
      where d.status = 'sent'
        and coalesce(d.x_account_id, x.account_id) = x.account_id
        and d.claimed_at <= x.at
      order by d.id
      for no key update of d
    ), changed as (
      update dms d
      set status = 'delivered', delivered_at = old.at, updated_at = now()
      from old
      where d.id = old.id
      returning ${countedColumns(message)}
    ), ${countMessages({ before: 'old', after: 'changed' })}
    select from changed`)
}

/** Publishes the changed conversations, and the campaigns that contain them. */
export async function publishChanges(tx: Db, workspaceId: string, all: readonly { conversation: Conversation }[]) {
  const leadIds = listLeads(all)
  const { rows } = await tx.execute<{ kind: EventKind; ids: string[] }>(sql`
    select 'campaign' as kind, array_agg(distinct campaign_id) as ids
    from dms
    where lead_id in (${leadIds})
    having count(*) > 0
    union all select 'conversation', array_agg(id) from conversations
    where workspace_id = ${workspaceId} and lead_id in (${leadIds}) having count(*) > 0`)
  for (const { kind, ids } of rows) await publishEvents(tx, workspaceId, kind, ids)
}
