import { CLOCK_SKEW_MS } from '@x-automated/contract/outreach/sending'
import { MINUTE_MS } from '@x-automated/contract/time'
import { type SQL, sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Database, Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { type XApi, type XConversationMessage, XError } from '../../../outside/x.ts'
import type { XActivity, XHappening } from '../../../outside/x-activity.ts'
import type { XChatConversation } from '../../../outside/x-chat-event.ts'
import type { JobQueue, XMeters } from '../../../ports.ts'
import type { Sealer } from '../../../sealing.ts'
import { withAccount } from '../../platform/x-account/service.ts'
import type { XApps } from '../../platform/x-apps/service.ts'
import { wakeFollowUps } from '../sending/limits.ts'
import { findRecipient } from '../sending/recipient.ts'
import { finishReading, recordMessagesFromX } from '../sending/restore.ts'
import { skipMessage } from '../sending/stop.ts'
import { POLL_SECONDS } from './rules.ts'
import { isChanged, isChatUnread, type ListReading, type Reading } from './tables.ts'

/*
 * Webhooks are quick, reading is certain. A read is complete once it has seen X's list of messages and
 * of X Chat's conversations down to the last complete read. Follow-ups need a recent one (tables.ts),
 * and ask for it: sending/limits.ts. Until then they wait, also if X cannot be read.
 */

/** What reading needs. `origin`: where X delivers to. */
export interface WatchContext {
  database: Database
  jobs: JobQueue
  x: XApi | null
  xApps: XApps
  xMeters: XMeters
  /** Of the operator's app. Null if its accounts can only be read. */
  xActivity: XActivity | null
  sealer: Sealer
  origin: string
}
/**
 * Stores what happened, to accounts of one app alone if it is given. @returns what cannot be decided yet
 * and must come again
 */
export type Receive = (
  db: Db,
  happenings: readonly XHappening[],
  ofApp?: string | null,
) => Promise<ReadonlySet<XHappening>>

export type Watch = {
  xUserId: string
  webhookId: string | null
  /** The apps that have subscriptions, or may have. */
  xAppIds: string[]
  /** The apps of its accounts that nobody disconnected, each with a connected one; null: all are lost. */
  connections: { xAppId: string; accountId: string | null }[]
  /** X reports everything. */
  isLive: boolean
  /** X did not report everything when it was last asked. */
  hasProblem: boolean
  readUntil: string | null
  reading: Reading | null
  isChatAbsent: boolean
  hasMessageRequests: boolean
  /** A connected account of that X user; null if none. */
  accountId: string | null
  /** The account's first message; null if none. */
  sentSince: string | null
  /** A restore lost messages sent since then; null if none. */
  unreadSince: string | null
  /** Until then, a message sent before the restore may still be in flight; null: not now. */
  inFlightUntil: string | null
}

/** SQL: a row of reply_watches as a `Watch`. @param watch table or alias */
export const watchColumns = (watch: SQL) => sql`${watch}.x_user_id as "xUserId", ${watch}.webhook_id as "webhookId",
  ${watch}.x_app_ids as "xAppIds", ${watch}.webhook_id is not null and ${watch}.problem is null as "isLive", ${watch}.problem is not null as "hasProblem", ${watch}.read_until as "readUntil", ${watch}.reading,
  coalesce(${watch}.chat_absent_until > now(), false) as "isChatAbsent", ${watch}.has_message_requests as "hasMessageRequests",
  (select id from x_accounts a where a.x_user_id = ${watch}.x_user_id and a.status = 'connected' order by a.last_connected_at desc limit 1) as "accountId",
  (select coalesce(json_agg(json_build_object('xAppId', c.x_app_id, 'accountId', c.id) order by c.x_app_id), '[]') from (
      select x_app_id, (array_agg(id order by last_connected_at desc) filter (where status = 'connected'))[1] as id
      from x_accounts a where a.x_user_id = ${watch}.x_user_id and a.status <> 'disconnected' group by x_app_id) c) as connections,
  (select min(d.claimed_at) from x_accounts a cross join lateral (
      select claimed_at from dms where x_account_id = a.id and claimed_at is not null order by claimed_at limit 1
    ) d where a.x_user_id = ${watch}.x_user_id) as "sentSince",
  (select min(unread_since) from x_accounts a where a.x_user_id = ${watch}.x_user_id) as "unreadSince",
  (select max(unread_until) from x_accounts a where a.x_user_id = ${watch}.x_user_id and unread_until > now()) as "inFlightUntil"`

/** What the last complete read may have missed, because X listed it late. */
const OVERLAP_MS = 10 * MINUTE_MS
/** Entries of a page. X bills each, so a read begins with few; each page is twice as large as the one before. */
const PAGE_SIZE = { least: 5, most: 100 }
/** Pages per list before other accounts get a turn. X allows 15 calls in 15 minutes. */
const MAX_PAGES = 6
/** The same for an unread account, which sends nothing until everything is read. */
const MAX_UNREAD_PAGES = 12
/** Delay before an account with unsettled messages is read again. */
const UNSETTLED_SECONDS = 20

/** The call that failed, as a failed read names it. */
class ReadFailed extends Error {
  readonly call: string
  readonly reason: XError
  constructor(call: string, reason: XError) {
    super(reason.message)
    this.call = call
    this.reason = reason
  }
}

async function naming<T>(call: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof XError ? new ReadFailed(call, error) : error
  }
}

function failureOf(error: unknown): ReadFailed {
  if (error instanceof ReadFailed) return error
  throw error
}

/** Reads an account's conversations, or continues a read, and schedules the next one. */
export async function readAccount(context: WatchContext, watch: Watch, receive: Receive): Promise<void> {
  const { db } = context.database
  const { xUserId, accountId } = watch
  const pollSeconds = watch.isLive ? POLL_SECONDS.live : POLL_SECONDS.degraded
  if (!accountId || (watch.sentSince ?? watch.unreadSince) === null) return schedule(db, xUserId, pollSeconds)
  if (watch.inFlightUntil !== null) return scheduleAt(db, xUserId, sql`${watch.inFlightUntil}::timestamptz`)
  try {
    const isComplete = await readLists(context, { ...watch, accountId }, receive)
    if (isComplete && watch.unreadSince !== null) {
      await readLostChats(context, { ...watch, accountId }, receive)
      if (!(await finishReading(db, xUserId))) return await schedule(db, xUserId, UNSETTLED_SECONDS)
    }
    await schedule(db, xUserId, isComplete ? pollSeconds : POLL_SECONDS.degraded)
    if (!isComplete) return
    const held = await identifyHeld(context, watch).catch(failureOf)
    const chats = readChangedChats(context, { ...watch, accountId }, receive)
    const failed = (await chats.finally(() => wakeFollowUps(db, xUserId))) ?? held
    if (failed) return await storeChatFailure(db, xUserId, failed)
    await db.execute(
      sql`update reply_watches set fails_since = null, failure = null, notified_at = null where x_user_id = ${xUserId} and fails_since is not null`,
    )
  } catch (error) {
    if (!(error instanceof ReadFailed)) throw error
    await storeFailure(db, xUserId, error)
  }
}

/** Reads both lists for one turn. @returns whether the read is complete */
async function readLists(context: WatchContext, watch: Watch & { accountId: string }, receive: Receive) {
  const { db } = context.database
  const { xUserId } = watch
  const { rows } = await db.execute<{ now: string }>(
    sql`select date_trunc('milliseconds', clock_timestamp())::text as now`,
  )
  const reading = watch.reading ?? { since: one(rows).now, messages: UNREAD, chats: UNREAD }
  const earliest = earliestOf(watch)
  const save = (state: Reading) =>
    db.execute(sql`update reply_watches set reading = ${JSON.stringify(state)}::jsonb where x_user_id = ${xUserId}`)

  const messages = await readMessages(context, watch, earliest, receive, reading.messages, (list) =>
    save({ ...reading, messages: list }),
  )
  if (!messages.isComplete) return false
  const chats = watch.isChatAbsent
    ? { ...UNREAD, isComplete: true }
    : await readChats(context, watch, earliest, reading, (list) => save({ ...reading, messages, chats: list }))
  if (!chats.isComplete) return false
  await db.execute(sql`
    update reply_watches set read_until = ${reading.since}::timestamptz, reading = null, rests_until = null
    where x_user_id = ${xUserId}`)
  return true
}

const UNREAD: ListReading = { next: null, isComplete: false, oldest: null, isOrdered: true }

/**
 * Until when a read must go back: to the last complete one, or to the first message that the product sent.
 * After a restore also to the backup, whose last read may be older.
 */
function earliestOf({ unreadSince, readUntil, sentSince }: Watch): Date {
  const known = readUntil
    ? new Date(readUntil).getTime() - OVERLAP_MS
    : new Date(sentSince ?? unreadSince ?? 0).getTime() - CLOCK_SKEW_MS
  return new Date(unreadSince ? Math.min(known, new Date(unreadSince).getTime() - CLOCK_SKEW_MS) : known)
}

interface ListPages<Entry> {
  earliest: Date
  size: number
  maxPages: number
  read(page: { cursor: string | null; size: number }): Promise<{ entries: readonly Entry[]; next: string | null }>
  /** Null: unknown. */
  timeOf(entry: Entry): Date | null
  save(list: ListReading): Promise<unknown>
}

/**
 * Reads pages of a list, newest first, until an entry is older than `earliest`. A list in another
 * order is read to its end.
 */
async function readPages<Entry>(
  list: ListReading,
  { earliest, size, maxPages, read, timeOf, save }: ListPages<Entry>,
): Promise<ListReading> {
  let state = list
  let pageSize = size
  for (let page = 0; page < maxPages && !state.isComplete; page += 1) {
    const { entries, next } = await read({ cursor: state.next, size: pageSize })
    let { isOrdered, oldest } = state
    for (const entry of entries) {
      const at = timeOf(entry)?.toISOString() ?? null
      if (at === null || (oldest !== null && at > oldest)) isOrdered = false
      oldest = at
    }
    const isEnd = next === null || (isOrdered && oldest !== null && oldest < earliest.toISOString())
    state = { next, oldest, isOrdered, isComplete: isEnd }
    pageSize = Math.min(PAGE_SIZE.most, pageSize * 2)
    await save(state)
  }
  return state
}

async function readMessages(
  context: WatchContext,
  { xUserId, accountId, unreadSince }: Watch & { accountId: string },
  earliest: Date,
  receive: Receive,
  list: ListReading,
  save: ListPages<never>['save'],
): Promise<ListReading> {
  const { db } = context.database
  const isUnread = unreadSince !== null
  return readPages(list, {
    earliest,
    size: isUnread ? PAGE_SIZE.most : await firstPageSize(db, xUserId, earliest),
    maxPages: isUnread ? MAX_UNREAD_PAGES : MAX_PAGES,
    timeOf: ({ at }) => at,
    save,
    async read(page) {
      const { messages, next } = await naming('GET /2/dm_events', () =>
        withAccount(context, accountId, (x, accessToken) => x.listAllMessages(accessToken, page)),
      )
      // First, or `receive` would take them for messages that the owner wrote by hand.
      if (isUnread) await recordMessagesFromX(db, xUserId, messages, (id) => findHandle(context, accountId, id))
      await receive(db, messages.map(toHappening))
      return { entries: messages, next }
    },
  })
}

/** The handle of an X id, for $0.01; null: X has no such user. */
async function findHandle(context: WatchContext, accountId: string, id: string): Promise<string | null> {
  const find = () => withAccount(context, accountId, (x, accessToken) => x.findUserById(accessToken, id))
  return (await naming('GET /2/users/:id', find))?.handle ?? null
}

/** Our own messages since then are on top of the list, so one page that is as large costs no more. */
async function firstPageSize(db: Db, xUserId: string, earliest: Date): Promise<number> {
  const { rows } = await db.execute<{ sent: number }>(sql`
    select count(*)::int as sent from (
      select from dms where x_account_id in (select id from x_accounts where x_user_id = ${xUserId}) and claimed_at > ${earliest.toISOString()}::timestamptz
      limit ${PAGE_SIZE.most}
    ) known`)
  return Math.min(PAGE_SIZE.most, Math.max(PAGE_SIZE.least, one(rows).sent + 1))
}

function toHappening({ id, ...message }: XConversationMessage): XHappening {
  return { kind: 'message', eventId: id, isEncrypted: false, ...message }
}

// X Chat

const CHATS_CALL = 'GET /2/chat/conversations'

/** Stores which conversations of X Chat changed. */
async function readChats(
  context: WatchContext,
  watch: Watch & { accountId: string },
  earliest: Date,
  { since, chats }: Reading,
  save: ListPages<never>['save'],
): Promise<ListReading> {
  const { db } = context.database
  const { xUserId, accountId } = watch
  let hadRequests = watch.hasMessageRequests
  // Where a request stands in the list is not documented.
  let isWhole = false
  return readPages<XChatConversation>(chats, {
    earliest,
    size: PAGE_SIZE.least * 2,
    maxPages: MAX_PAGES,
    timeOf: ({ updatedAt }) => (isWhole ? null : updatedAt),
    save,
    async read(page) {
      try {
        const { conversations, next, hasMessageRequests } = await withAccount(context, accountId, (x, accessToken) =>
          x.listChatConversations(accessToken, page),
        )
        isWhole ||= hasMessageRequests && !hadRequests
        hadRequests = hasMessageRequests
        await storeChanges(db, watch, conversations, { since, earliest, hasMessageRequests })
        return { entries: conversations, next }
      } catch (error) {
        if (!(error instanceof XError)) throw error
        if (!(await isChatAbsent(context, { xUserId, accountId }, error))) throw new ReadFailed(CHATS_CALL, error)
        await db.execute(sql`
          update reply_watches set chat_absent_until = now() + interval '1 day', has_message_requests = false where x_user_id = ${xUserId}`)
        return { entries: [], next: null }
      }
    },
  })
}

/** Whether the account has no X Chat: X knows no such list, or refuses it and the account has no keys. */
async function isChatAbsent(
  context: WatchContext,
  { xUserId, accountId }: { xUserId: string; accountId: string },
  { kind }: XError,
): Promise<boolean> {
  if (kind === 'not-found') return true
  if (kind !== 'forbidden') return false
  return !(await naming('GET /2/users/:id/public_keys', () =>
    withAccount(context, accountId, (x, accessToken) => x.hasPublicKey(accessToken, xUserId)),
  ))
}

async function storeChanges(
  db: Db,
  { xUserId }: Watch,
  conversations: readonly XChatConversation[],
  { since, earliest, hasMessageRequests }: { since: string; earliest: Date; hasMessageRequests: boolean },
): Promise<void> {
  const changed = conversations.flatMap(({ id, updatedAt, participantIds, isGroup }) => {
    if (isGroup || (updatedAt && updatedAt < earliest)) return []
    if (participantIds === null)
      throw new ReadFailed(CHATS_CALL, new XError('unknown', 'X does not say whose conversation it is.'))
    const others = participantIds.filter((participantId) => participantId !== xUserId)
    return others.length === 1 ? [{ person: others[0], conversation: id, at: updatedAt?.toISOString() ?? since }] : []
  })
  await db.execute(sql`
    with flagged as (
      update reply_watches set has_message_requests = ${hasMessageRequests} where x_user_id = ${xUserId} and has_message_requests <> ${hasMessageRequests}::boolean
    )
    insert into chat_reads as r (account_x_user_id, person_x_user_id, conversation_id, changed_at)
    select distinct on (person) ${xUserId}, person, conversation, at
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as c(person text, conversation text, at timestamptz) order by person, at desc
    on conflict (account_x_user_id, person_x_user_id) do update
      set changed_at = greatest(r.changed_at, excluded.changed_at), conversation_id = excluded.conversation_id`)
}

/** Conversations per read whose events are read. */
const CHATS_MAX = 10

type Held = { dmId: string; workspaceId: string; campaignId: string; accountId: string; leadId: string; handle: string }

/**
 * Looks up the X ids of people whose follow-up is due: without one, every changed conversation holds it up.
 * Each costs $0.01, which sending it would cost otherwise.
 */
async function identifyHeld(context: WatchContext, { xUserId }: Watch): Promise<void> {
  const { db } = context.database
  const { rows } = await db.execute<Held>(sql`
    select d.id as "dmId", d.workspace_id as "workspaceId", d.campaign_id as "campaignId", a.id as "accountId", l.id as "leadId", l.twitter_handle as handle
    from x_accounts a join dms d on ${waitsSoon('d', 'a')} join leads l on l.id = d.lead_id and l.x_user_id is null
    where a.x_user_id = ${xUserId} and a.status = 'connected' and ${isChatUnread(sql`a.x_user_id`, sql`null::text`)}
    order by d.due_at limit ${CHATS_MAX}`)
  for (const { dmId, leadId, handle, ...from } of rows) {
    const lead = { id: leadId, handle, xUserId: null, isIdChecked: false }
    const found = await naming('GET /2/users/by/username/:username', () => findRecipient(context, from, lead))
    if (!found) await transact(db, (tx) => skipMessage(tx, dmId, { errorMessage: `@${handle} doesn't exist on X.` }))
    else if (found.reasonNotToSend) {
      const { reasonNotToSend: reason } = found
      await transact(db, (tx) => skipMessage(tx, dmId, { reason }))
    }
  }
}

/** SQL over the aliases of a message and an account: a follow-up of the account that is due within a minute. */
const waitsSoon = (message: string, account: string) =>
  sql.raw(`(${message}.x_account_id = ${account}.id and ${message}.is_follow_up and ${message}.status = 'queued' and ${message}.lease_expires_at is null
    and not ${message}.is_held and ${message}.due_at < now() + interval '1 minute')`)

type ChangedChat = {
  personXUserId: string
  conversationId: string
  changedAt: string
  readUntil: string | null
  /** Our first message to the person; null: none. */
  sentSince: string | null
}

/**
 * Reads the events of changed conversations with people to whom a follow-up is due, longest due first,
 * to find out who wrote last. If X does not report everything, also those with other leads. One that
 * cannot be read holds up its person only. @returns the first failure; null: none
 */
async function readChangedChats(
  context: WatchContext,
  { xUserId, accountId, isLive }: Watch & { accountId: string },
  receive: Receive,
): Promise<ReadFailed | null> {
  const { db } = context.database
  const { rows } = await db.execute<ChangedChat>(sql`
    with waiting as (
      select d.lead_id, min(d.created_at) as since from x_accounts a join dms d on ${waitsSoon('d', 'a')} where a.x_user_id = ${xUserId} group by d.lead_id
    )
    select r.person_x_user_id as "personXUserId", r.conversation_id as "conversationId", r.changed_at as "changedAt", r.read_until as "readUntil",
      min((select min(claimed_at) from dms where lead_id = l.id and x_account_id = a.id)) as "sentSince"
    from chat_reads r join x_accounts a on a.x_user_id = r.account_x_user_id
      join leads l on l.workspace_id = a.workspace_id and l.x_user_id = r.person_x_user_id
      ${isLive ? sql`join` : sql`left join`} waiting w on w.lead_id = l.id
    where r.account_x_user_id = ${xUserId} and ${isChanged('r')}
    group by 1, 2, 3, 4 order by min(w.since) nulls last, r.changed_at limit ${CHATS_MAX}`)
  let failed: ReadFailed | null = null
  for (const chat of rows)
    try {
      await readChat(context, { xUserId, accountId }, chat, receive)
    } catch (error) {
      if (!(error instanceof ReadFailed)) throw error
      failed ??= error
      if (!OF_ONE_CHAT.has(error.reason.kind)) break
    }
  return failed
}
/** Kinds of errors with which X refuses one conversation, not all. */
const OF_ONE_CHAT = new Set<XError['kind']>(['forbidden', 'not-found', 'invalid', 'unknown'])

/** An account is read at least this often, so also in this time before a backup. */
const READ_EVERY = sql`interval '1 day'`

/**
 * After a restore, reads all conversations with leads that changed since the backup's last read: what was said there
 * may be lost, and first messages wait for no read. One that X refuses counts as a reply. @throws ReadFailed
 */
async function readLostChats(
  context: WatchContext,
  { xUserId, accountId, unreadSince }: Watch & { accountId: string },
  receive: Receive,
): Promise<void> {
  const { db } = context.database
  const { rows } = await db.execute<ChangedChat & { isKnown: boolean }>(sql`
    with own as materialized (
      select id, workspace_id from x_accounts where x_user_id = ${xUserId}
    ), unknown as materialized (
      select exists (select from own join leads l on l.workspace_id = own.workspace_id and l.x_user_id is null) as is_any
    )
    select r.person_x_user_id as "personXUserId", r.conversation_id as "conversationId", r.changed_at as "changedAt", r.read_until as "readUntil",
      known."sentSince", known."isKnown"
    from chat_reads r cross join unknown cross join lateral (
      select count(*) > 0 as "isKnown", min(d.claimed_at) as "sentSince"
      from own join leads l on l.workspace_id = own.workspace_id and l.x_user_id = r.person_x_user_id left join dms d on d.lead_id = l.id and d.x_account_id = own.id
    ) known
    -- Someone whom no lead is known to be may be a lead whose X id is unknown.
    where r.account_x_user_id = ${xUserId} and ${isChanged('r')} and r.changed_at > ${unreadSince}::timestamptz - ${READ_EVERY} and (known."isKnown" or unknown.is_any)
    order by r.changed_at`)
  for (const { isKnown, ...chat } of rows) {
    const { personXUserId, conversationId, changedAt } = chat
    const handle = isKnown ? null : await findHandle(context, accountId, personXUserId)
    const handles: Record<string, string> = handle ? { [personXUserId]: handle } : {}
    try {
      await readChat(context, { xUserId, accountId }, chat, receive, handles)
    } catch (error) {
      if (!(error instanceof ReadFailed) || !OF_ONE_CHAT.has(error.reason.kind)) throw error
      const ids = { eventId: `refused ${conversationId} ${changedAt}`, senderId: personXUserId, recipientId: xUserId }
      await receive(db, [{ kind: 'message', ...ids, text: '', at: new Date(changedAt), isEncrypted: true, handles }])
    }
  }
}

async function readChat(
  context: WatchContext,
  { xUserId, accountId }: { xUserId: string; accountId: string },
  { personXUserId, conversationId, changedAt, readUntil, sentSince }: ChangedChat,
  receive: Receive,
  handles: Record<string, string> = {},
): Promise<void> {
  const { db } = context.database
  let isDecided = true
  const list = await readPages(UNREAD, {
    // Only what was said since our first message can stop a follow-up.
    earliest: new Date(new Date(readUntil ?? sentSince ?? changedAt).getTime() - OVERLAP_MS),
    size: PAGE_SIZE.least * 2,
    maxPages: MAX_PAGES,
    timeOf: ({ at }) => at,
    save: async () => {},
    async read(page) {
      const { events, next } = await naming('GET /2/chat/conversations/:id/events', () =>
        withAccount(context, accountId, (x, accessToken) => x.listChatEvents(accessToken, conversationId, page)),
      )
      const happenings = events.flatMap(({ kind, identity, messageId, senderId, at }): XHappening[] => {
        if (kind === 'other') return []
        const recipientId = senderId === xUserId ? personXUserId : xUserId
        return [
          {
            kind: 'message',
            eventId: identity,
            messageId,
            senderId,
            recipientId,
            text: '',
            at,
            isEncrypted: true,
            handles,
          },
        ]
      })
      isDecided &&= (await receive(db, happenings)).size === 0
      return { entries: events, next }
    },
  })
  if (!list.isComplete || !isDecided) return
  await db.execute(sql`
    update chat_reads set read_until = ${changedAt}::timestamptz where account_x_user_id = ${xUserId} and person_x_user_id = ${personXUserId}`)
}

// The schedule

/** Schedules the next read in `seconds`, plus up to 10% so that accounts spread out. */
async function schedule(db: Db, xUserId: string, seconds: number): Promise<void> {
  await scheduleAt(db, xUserId, sql`now() + make_interval(secs => ${seconds * (1 + 0.1 * Math.random())})`)
}

async function scheduleAt(db: Db, xUserId: string, at: SQL): Promise<void> {
  await db.execute(sql`update reply_watches set next_poll_at = ${at} where x_user_id = ${xUserId}`)
}

/** Errors that a person cannot repair, or that are shown elsewhere. */
const TEMPORARY = new Set<XError['kind']>(['rate-limit', 'funds', 'unauthorized', 'account'])

async function storeFailure(db: Db, xUserId: string, failed: ReadFailed): Promise<void> {
  const { retryAt, kind } = failed.reason
  const limitSeconds = retryAt ? (retryAt.getTime() - Date.now()) / 1_000 : 0
  const seconds = Math.max(
    kind === 'funds' ? Math.min(limitSeconds, FUNDS_SECONDS) : limitSeconds,
    POLL_SECONDS.degraded,
  )
  await db.execute(sql`
    update reply_watches set rests_until = now() + make_interval(secs => ${seconds}), next_poll_at = now() + make_interval(secs => ${seconds}),
      ${failing(failed)},
      -- X may no longer accept where the lists continue.
      reading = case when ${kind === 'invalid'}::boolean then null else reading end
    where x_user_id = ${xUserId}`)
}
/** Credits and room below a spending limit may return at any time. */
const FUNDS_SECONDS = 900

/** Stores that conversations cannot be read. The account rests only until its next read is needed anyway. */
async function storeChatFailure(db: Db, xUserId: string, failed: ReadFailed): Promise<void> {
  await db.execute(sql`
    update reply_watches set rests_until = now() + make_interval(secs => ${POLL_SECONDS.degraded}), ${failing(failed)} where x_user_id = ${xUserId}`)
}

/** SQL: the columns of a failure. */
function failing({ call, reason }: ReadFailed): SQL {
  const failure = TEMPORARY.has(reason.kind) ? null : `X answers ${call} with “${reason.message.replace(/\.$/, '')}”.`
  return sql`fails_since = case when ${failure}::text is null then fails_since else coalesce(fails_since, now()) end,
    failure = coalesce(${failure}::text, failure)`
}
