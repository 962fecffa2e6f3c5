import { setImmediate } from 'node:timers/promises'
import type { InputOf } from '@x-automated/contract/contract'
import { REPLY_TEXT_MAX, type ReplyDetection } from '@x-automated/contract/outreach/replies'
import type { EventKind } from '@x-automated/contract/platform/events'
import { sql } from 'drizzle-orm'
import { type Actor, callerId } from '../../../actor.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import type { XHappening } from '../../../outside/x-activity.ts'
import type { Limits } from '../../../requests/limits.ts'
import { suppressOptOut } from '../../leads/suppressions/service.ts'
import { publishEvents } from '../../platform/events/service.ts'
import { notifyReply } from '../../platform/notifications/service.ts'
import { allowsTexts } from '../../platform/x-account/service.ts'
import { offerSender } from '../conversation-offers/service.ts'
import { addReply, addWritten } from '../conversations/service.ts'
import { lockEnrollmentsOfLead, lockLeadAndCampaigns } from '../sending/queue.ts'
import { findSentMessage } from '../sending/send.ts'
import { checkOptOuts, endAnswered, stopMessages } from '../sending/stop.ts'
import { optOutWordsOf } from '../sending-settings/service.ts'
import { type WatchContext, watchReplies } from './engine.ts'
import { classifyReply, detectLanguage, labelToContinue } from './engine-labels.ts'
import { answeredMessage } from './rules.ts'
import { namedDay } from './rules-labels.ts'
import { storeAnswers } from './service-answers.ts'
import { replies } from './tables.ts'

export { resumeReading, WEBHOOK_PATH, webhookUrl } from './engine.ts'
export { detectLanguage } from './engine-labels.ts'
export { storeAnswers } from './service-answers.ts'
export { purgeOldTexts } from './service-texts.ts'

/*
 * Events at X may arrive twice, in any order and process, even before our message is recorded.
 * Each is stored once, by X's id, and every order leads to the same state.
 */

/**
 * Processes events from X. Ignores known ones. Of those without a lead, only an offer may stay.
 * @param ofApp counts for accounts of this app only: whoever brought it can sign events of anyone
 */
export async function receive(db: Db, happenings: readonly XHappening[], ofApp: string | null = null): Promise<void> {
  for (const happening of happenings) {
    if (happening.kind === 'handle' || happening.kind === 'revoked') continue
    const event: XEvent = happening.kind === 'read' ? happening : { ...happening, at: happening.at ?? new Date() }
    for (const conversation of await findConversations(db, event, ofApp)) {
      await transact(db, async (tx) => {
        if (event.kind === 'message') await recordMessage(tx, conversation, event)
        else await recordRead(tx, conversation, event.at)
        await publishChange(tx, conversation)
      })
    }
    if (event.kind === 'message') await offerSender(db, event, ofApp)
  }
}

/** Publishes the changed conversation, and the campaigns that show it. */
async function publishChange(tx: Db, { workspaceId, leadId }: Conversation): Promise<void> {
  const { rows } = await tx.execute<{ kind: EventKind; ids: string[] }>(sql`
    select 'campaign' as kind, array_agg(distinct campaign_id) as ids from dms where lead_id = ${leadId} having count(*) > 0
    union all select 'conversation', array_agg(id) from conversations
    where workspace_id = ${workspaceId} and lead_id = ${leadId} having count(*) > 0`)
  for (const { kind, ids } of rows) await publishEvents(tx, workspaceId, kind, ids)
}

/** Starts reply detection in this process. */
export function startReplyDetection(context: WatchContext): Promise<void> {
  return watchReplies(context, receive)
}

/** A conversation between a lead and an X account of its workspace. */
type Conversation = {
  workspaceId: string
  leadId: string
  accountId: string
  accountXUserId: string
  accountHandle: string
  /** X's id of the lead. */
  leadXUserId: string
}

/**
 * Finds each workspace's account and lead in an event: by X id, or by handle, since imported leads
 * may have no X id.
 */
async function findConversations(db: Db, event: XEvent, ofApp: string | null): Promise<Conversation[]> {
  const [first, second] =
    event.kind === 'message' ? [event.senderId, event.recipientId] : [event.authorId, event.readerId]
  if (first === second) return []
  // Most events are our own messages, known by their id.
  const isKnown =
    event.kind === 'message'
      ? sql`exists (select from replies r where r.workspace_id = a.workspace_id and r.x_event_id = ${event.eventId})
          or exists (select from dms d where d.x_event_id = ${event.eventId} and d.workspace_id = a.workspace_id)`
      : sql`false`
  const { rows } = await db.execute<Conversation>(sql`
    select a.workspace_id as "workspaceId", l.id as "leadId", a.id as "accountId", a.x_user_id as "accountXUserId", a.handle as "accountHandle",
      other.id as "leadXUserId"
    from x_accounts a
    join (values (${first}, ${second}, ${event.handles[second] ?? null}::text), (${second}, ${first}, ${event.handles[first] ?? null}::text))
      as other(account, id, handle) on other.account = a.x_user_id
    cross join lateral (
      select id from (
        select id, 1 as place from leads where workspace_id = a.workspace_id and x_user_id = other.id
        union all
        select id, 2 from leads where workspace_id = a.workspace_id and x_user_id is null and lower(twitter_handle) = lower(other.handle)
      ) found order by place limit 1
    ) l
    where a.status <> 'disconnected' and not (${isKnown}) and (${ofApp}::uuid is null or a.x_app_id = ${ofApp}::uuid)`)
  return rows
}

/** Locks a lead's messages. Call it before locking the lead, as recording an outcome does. */
async function lockMessages(tx: Db, { leadId, accountId }: Conversation) {
  const { rows } = await tx.execute<{
    id: string
    message: string
    status: string
    eventId: string | null
    triedAt: string | null
    claimedAt: string | null
    isClaimed: boolean
  }>(sql`
    select id, message, status, x_event_id as "eventId", tried_at as "triedAt", claimed_at as "claimedAt", lease_expires_at is not null as "isClaimed"
    from dms where lead_id = ${leadId} and coalesce(x_account_id, ${accountId}::uuid) = ${accountId}::uuid order by id for no key update`)
  return rows.map((row) => ({
    ...row,
    triedAt: row.triedAt ? new Date(row.triedAt) : null,
    claimedAt: row.claimedAt ? new Date(row.claimedAt) : null,
    isSent: SENT.has(row.status),
    isOut: SENT.has(row.status) || row.isClaimed,
  }))
}
const SENT = new Set(['sent', 'delivered', 'replied'])

type XMessageEvent = Extract<XHappening, { kind: 'message' }> & { at: Date }
type XEvent = XMessageEvent | Extract<XHappening, { kind: 'read' }>

async function recordMessage(tx: Db, conversation: Conversation, message: XMessageEvent): Promise<void> {
  const { workspaceId, leadId, leadXUserId, accountXUserId } = conversation
  const isReply = message.senderId === leadXUserId
  await lockEnrollmentsOfLead(tx, workspaceId, leadId)
  const ours = await lockMessages(tx, conversation)
  if (!isReply && !message.isEncrypted && ours.some((one) => isSameMessage(one, message))) return
  await lockLeadAndCampaigns(tx, leadId)
  const answered = isReply ? answeredMessage(ours, message.at) : null
  const said = isReply ? await classify(tx, conversation, message) : null
  // The model alone never suppresses anyone: it only stops what is queued.
  const optedOut = said?.label === 'opted_out' && said.by === 'rule'
  const keptId = await storeMessage(tx, conversation, message, {
    kind: isReply ? 'reply' : 'written',
    dmId: answered?.id ?? null,
    optedOut,
    label: said?.label ?? null,
  })
  if (!keptId) return
  if (!optedOut)
    await endAnswered(tx, workspaceId, leadId, {
      isReply,
      label: said?.label === 'opted_out' ? 'opted_out' : said && labelToContinue(said),
      until: said?.until ?? null,
      at: message.at,
    })
  const isAnswer = answered !== null && said?.label !== 'auto_reply'
  await updateLead(tx, conversation, message.at, {
    isAnswer,
    wroteFirst: isReply && !ours.some(({ isOut }) => isOut),
  })
  const at = sql`${message.at.toISOString()}::timestamptz`
  if (answered?.isSent)
    await tx.execute(sql`
      update dms set status = 'replied', replied_at = least(replied_at, ${at}), delivered_at = coalesce(delivered_at, ${at}), updated_at = now()
      where id = ${answered.id}`)
  if (answered) await storeAnswers(tx, [answered.id])
  // A reply implies that earlier messages were read.
  if (isReply) await recordRead(tx, conversation, message.at)
  if (optedOut) await suppressOptOut({ db: tx, sending: { stopMessages } }, workspaceId, leadId)
  if (optedOut && answered) await checkOptOuts(tx, answered.id)
  if (!optedOut) await stopMessages(tx, workspaceId, sql`select ${leadId}::uuid`)
  const stored = { workspaceId, leadId, accountXUserId, id: keptId, at: message.at, isEncrypted: message.isEncrypted }
  if (!isReply) await addWritten(tx, stored)
  else
    await addReply(tx, stored, {
      label: said?.label ?? null,
      confidence: said?.confidence ?? null,
      suggestsSuppression: said?.label === 'opted_out' && said.by === 'model',
      dmId: answered?.id ?? null,
      laterAt: said?.label === 'later' ? said.until : null,
    })
  if (isReply)
    await notifyReply(tx, workspaceId, { leadId, accountXUserId, label: said?.label ?? null, at: message.at })
}

/** Stores a message that X reports, with its text if the account allows it. @returns null: it is known */
async function storeMessage(
  tx: Db,
  { workspaceId, leadId, accountXUserId }: Conversation,
  { eventId, isEncrypted, text, at }: XMessageEvent,
  about: Pick<typeof replies.$inferInsert, 'kind' | 'dmId' | 'optedOut' | 'label'>,
): Promise<string | null> {
  const isTextAllowed = await allowsTexts(tx, workspaceId, accountXUserId)
  const [stored] = await tx
    .insert(replies)
    .values({
      ...about,
      workspaceId,
      leadId,
      accountXUserId,
      xEventId: eventId,
      text: isTextAllowed && !isEncrypted ? text.slice(0, REPLY_TEXT_MAX) : null,
      at,
      // The clock, since this transaction may have waited for a message that was queued meanwhile.
      createdAt: sql`clock_timestamp()`,
    })
    .onConflictDoNothing()
    .returning({ id: replies.id })
  return stored?.id ?? null
}

/** Stores what a message says of its lead: their X id, when they answered, and whether they wrote first. */
async function updateLead(
  tx: Db,
  { leadId, leadXUserId, accountHandle }: Conversation,
  messageAt: Date,
  { isAnswer, wroteFirst }: { isAnswer: boolean; wroteFirst: boolean },
): Promise<void> {
  const at = sql`${messageAt.toISOString()}::timestamptz`
  // A contact basis, which X's automation rules require.
  const isBasis = sql`(${wroteFirst}::boolean and l.basis = 'none')`
  // Of duplicate leads, the one that already has the X id is found by it.
  await tx.execute(sql`
    update leads l set updated_at = now(),
      x_user_id = coalesce(l.x_user_id, ${leadXUserId}),
      replied_at = case when ${isAnswer}::boolean then greatest(l.replied_at, ${at}) else l.replied_at end,
      basis = case when ${isBasis} then 'wrote_first' else l.basis end,
      basis_at = case when ${isBasis} then ${at} else l.basis_at end,
      basis_source = case when ${isBasis} then ${`Wrote to @${accountHandle} on X`} else l.basis_source end
    where l.id = ${leadId}`)
}

/** What a reply says, with the days of the account's time zone. */
async function classify(tx: Db, { workspaceId, accountId }: Conversation, { text, at }: XMessageEvent) {
  const { rows } = await tx.execute<{ timeZone: string }>(
    sql`select time_zone as "timeZone" from sending_limits where workspace_id = ${workspaceId} and x_account_id = ${accountId}`,
  )
  if (text.trim() === '') return null
  const optOutWords = await optOutWordsOf(tx, workspaceId)
  return classifyReply(text.slice(0, REPLY_TEXT_MAX), { optOutWords, now: at, timeZone: rows[0]?.timeZone ?? 'UTC' })
}

/** Texts that count as one call. */
const TEXTS_PER_CALL = 10

/** What texts would be labelled as replies today. @throws Refusal RATE_LIMITED */
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
    const { label, confidence } = classifyReply(text, options)
    results.push({ label, confidence, language: detectLanguage(text), date: namedDay(text, options) })
    // Long texts take milliseconds each, in which others wait.
    await setImmediate()
  }
  return { results }
}

/**
 * Whether a message from the account is ours. Unrecorded messages and those of extensions are
 * matched by text.
 */
function isSameMessage(
  ours: { eventId: string | null; triedAt: Date | null; message: string },
  { eventId, senderId, text, at }: XMessageEvent,
): boolean {
  if (ours.eventId !== null) return ours.eventId === eventId
  if (ours.triedAt === null) return false
  const sent = { text: ours.message, senderId, since: ours.triedAt }
  return findSentMessage([{ id: eventId, senderId, text, at }], sent, new Set()) !== null
}

/** Marks messages sent up to `readAt` as delivered. */
async function recordRead(tx: Db, conversation: Conversation, readAt: Date): Promise<void> {
  const { leadId, accountId, accountXUserId } = conversation
  await lockMessages(tx, conversation)
  const at = sql`${readAt.toISOString()}::timestamptz`
  await tx.execute(sql`
    insert into lead_reads as s (lead_id, account_x_user_id, read_at) values (${leadId}, ${accountXUserId}, ${at})
    on conflict (lead_id, account_x_user_id) do update set read_at = greatest(s.read_at, excluded.read_at)`)
  await tx.execute(sql`
    update dms set status = 'delivered', delivered_at = ${at}, updated_at = now()
    where lead_id = ${leadId} and status = 'sent' and coalesce(x_account_id, ${accountId}::uuid) = ${accountId}::uuid
      and claimed_at <= ${at}`)
}

/** The current state of reply detection for the workspace's accounts. */
export async function detection(db: Db, actor: Actor) {
  const { rows } = await db.execute<{ isSubscribed: boolean; problem: string | null; polledAt: string | null }>(sql`
    select w.webhook_id is not null as "isSubscribed", w.problem, w.polled_at as "polledAt"
    from x_accounts a left join reply_watches w on w.x_user_id = a.x_user_id
    where a.workspace_id = ${actor.workspaceId} and a.status = 'connected'
    order by w.polled_at nulls first`)
  const problem = rows.find((row) => row.problem !== null)?.problem ?? null
  const isPolled = rows.some((row) => row.problem !== null && !row.isSubscribed)
  const state: ReplyDetection['state'] =
    rows.length === 0
      ? 'off'
      : isPolled
        ? 'degraded'
        : rows.every(({ isSubscribed }) => isSubscribed)
          ? 'live'
          : 'starting'
  const polledAt = rows[0]?.polledAt
  return { state, problem, checkedAt: polledAt ? new Date(polledAt) : null }
}
