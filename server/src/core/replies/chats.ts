import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import type { XChatConversation } from '../../outside/x-chat-event.ts'
import type { XHappening } from '../../outside/x-delivery.ts'
import { XError } from '../../outside/x-errors.ts'
import { findRecipient } from '../messages/recipient.ts'
import { skipMessage } from '../messages/stop.ts'
import { withAccount } from '../neighbors.ts'
import { chatReads, isChanged, isChatUnread, type ListReading, type Reading } from '../tables/replies.ts'
import {
  findHandle,
  type ListPages,
  MAX_PAGES,
  naming,
  OVERLAP_MS,
  PAGE_SIZE,
  ReadFailed,
  readPages,
  UNREAD,
  type Watch,
  type WatchContext,
} from './pages.ts'
import { receive } from './receive.ts'

// X Chat

const read = alias(chatReads, 'r')

const CHATS_CALL = 'GET /2/chat/conversations'

/** Stores which conversations of X Chat have changed. */
export async function readChats(
  context: WatchContext,
  watch: Watch & { accountId: string },
  earliest: Date,
  { since, chats }: Reading,
  save: ListPages<never>['save'],
): Promise<ListReading> {
  const { db } = context.database
  const { xUserId, accountId } = watch
  let hadRequests = watch.hasMessageRequests
  // X does not document where message requests appear in the list.
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
          update reply_watches
          set chat_absent_until = now() + interval '1 day', has_message_requests = false
          where x_user_id = ${xUserId}`)
        return { entries: [], next: null }
      }
    },
  })
}

/** Whether the account has no X Chat: X does not offer the list, or refuses it to an account without keys. */
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
      update reply_watches
      set has_message_requests = ${hasMessageRequests}
      where x_user_id = ${xUserId} and has_message_requests <> ${hasMessageRequests}::boolean
    )
    insert into chat_reads as r (account_x_user_id, person_x_user_id, conversation_id, changed_at)
    select distinct on (person) ${xUserId}, person, conversation, at
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as c(person text, conversation text, at timestamptz)
    order by person, at desc
    on conflict (account_x_user_id, person_x_user_id) do update
      set changed_at = greatest(r.changed_at, excluded.changed_at), conversation_id = excluded.conversation_id`)
}

/** The maximum number of conversations to read, or people to look up, per read of the account. */
const CHATS_MAX = 10

type Held = { dmId: string; workspaceId: string; campaignId: string; accountId: string; leadId: string; handle: string }

/**
 * Looks up the X ids of people whose follow-up is due. Without an id, every changed conversation
 * delays the follow-up. Each lookup costs $0.01, which sending the message would cost anyway.
 */
export async function identifyHeld(context: WatchContext, { xUserId }: Watch): Promise<void> {
  const { db } = context.database
  const { rows } = await db.execute<Held>(sql`
    select d.id as "dmId", d.workspace_id as "workspaceId", d.campaign_id as "campaignId", a.id as "accountId",
      l.id as "leadId", l.twitter_handle as handle
    from x_accounts a join dms d on ${waitsSoon} join leads l on l.id = d.lead_id and l.x_user_id is null
    where a.x_user_id = ${xUserId} and a.status = 'connected' and ${isChatUnread(sql`a.x_user_id`, sql`null::text`)}
    order by d.due_at limit ${CHATS_MAX}`)
  for (const { dmId, leadId, handle, ...from } of rows) {
    const lead = { id: leadId, handle, xUserId: null, isIdChecked: false }
    const recipient = await naming('GET /2/users/by/username/:username', () => findRecipient(context, from, lead))
    if (!recipient)
      await transact(db, (tx) => skipMessage(tx, dmId, { errorMessage: `@${handle} doesn't exist on X.` }))
    else if (recipient.reasonNotToSend) {
      const { reasonNotToSend: reason } = recipient
      await transact(db, (tx) => skipMessage(tx, dmId, { reason }))
    }
  }
}

/** SQL over `dms d` and `x_accounts a`: the message is a follow-up of the account, due within a minute. */
const waitsSoon = sql`(d.x_account_id = a.id and d.is_follow_up and d.status = 'queued' and d.lease_expires_at is null
  and not d.is_held and d.due_at < now() + interval '1 minute')`

type ChangedChat = {
  personXUserId: string
  conversationId: string
  changedAt: string
  readUntil: string | null
  /** When our first message to the person was sent; null: none has been sent. */
  sentSince: string | null
}

/**
 * Finds out who wrote last in changed conversations with people to whom a follow-up is due, longest
 * due first. If X does not report everything, also reads those with other leads. A conversation
 * that X refuses delays only the follow-up in it. @returns the first failure; null: there was none
 */
export async function readChangedChats(
  context: WatchContext,
  { xUserId, accountId, isLive }: Watch & { accountId: string },
): Promise<ReadFailed | null> {
  const { db } = context.database
  const { rows } = await db.execute<ChangedChat>(sql`
    with waiting as (
      select d.lead_id, min(d.created_at) as since
      from x_accounts a
      join dms d on ${waitsSoon}
      where a.x_user_id = ${xUserId}
      group by d.lead_id
    )
    select r.person_x_user_id as "personXUserId", r.conversation_id as "conversationId", r.changed_at as "changedAt",
      r.read_until as "readUntil",
      min((select min(claimed_at) from dms where lead_id = l.id and x_account_id = a.id)) as "sentSince"
    from chat_reads r join x_accounts a on a.x_user_id = r.account_x_user_id
      join leads l on l.workspace_id = a.workspace_id and l.x_user_id = r.person_x_user_id
      ${isLive ? sql`join` : sql`left join`} waiting w on w.lead_id = l.id
    where r.account_x_user_id = ${xUserId} and ${isChanged(read)}
    group by 1, 2, 3, 4 order by min(w.since) nulls last, r.changed_at limit ${CHATS_MAX}`)
  let failed: ReadFailed | null = null
  for (const chat of rows)
    try {
      await readChat(context, { xUserId, accountId }, chat)
    } catch (error) {
      if (!(error instanceof ReadFailed)) throw error
      failed ??= error
      if (!OF_ONE_CHAT.has(error.reason.kind)) break
    }
  return failed
}
/** Errors with which X refuses one conversation, not all of them. */
const OF_ONE_CHAT = new Set<XError['kind']>(['forbidden', 'not-found', 'invalid', 'unknown'])

/** Every account is read at least this often, so it was also read within this time before a backup. */
const READ_EVERY = sql`interval '1 day'`

/**
 * After a restore, reads all conversations with leads that changed since the backup's last read:
 * messages in them may be lost, and first messages do not wait for a read. A conversation that X
 * refuses counts as a reply. @throws ReadFailed
 */
export async function readLostChats(
  context: WatchContext,
  { xUserId, accountId, unreadSince }: Watch & { accountId: string },
): Promise<void> {
  const { db } = context.database
  const { rows } = await db.execute<ChangedChat & { isKnown: boolean }>(sql`
    with own as materialized (
      select id, workspace_id from x_accounts where x_user_id = ${xUserId}
    ), unknown as materialized (
      select exists (
        select from own join leads l on l.workspace_id = own.workspace_id and l.x_user_id is null
      ) as is_any
    )
    select r.person_x_user_id as "personXUserId", r.conversation_id as "conversationId", r.changed_at as "changedAt",
      r.read_until as "readUntil",
      known."sentSince", known."isKnown"
    from chat_reads r cross join unknown cross join lateral (
      select count(*) > 0 as "isKnown", min(d.claimed_at) as "sentSince"
      from own
      join leads l on l.workspace_id = own.workspace_id and l.x_user_id = r.person_x_user_id
      left join dms d on d.lead_id = l.id and d.x_account_id = own.id
    ) known
    -- A person who is not a known lead may be a lead whose X id is unknown.
    where r.account_x_user_id = ${xUserId}
      and ${isChanged(read)}
      and r.changed_at > ${unreadSince}::timestamptz - ${READ_EVERY}
      and (known."isKnown" or unknown.is_any)
    order by r.changed_at`)
  for (const { isKnown, ...chat } of rows) {
    const { personXUserId, conversationId, changedAt } = chat
    const handle = isKnown ? null : await findHandle(context, accountId, personXUserId)
    const handles: Record<string, string> = handle ? { [personXUserId]: handle } : {}
    try {
      await readChat(context, { xUserId, accountId }, chat, handles)
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
  handles: Record<string, string> = {},
): Promise<void> {
  const { db } = context.database
  let isDecided = true
  const list = await readPages(UNREAD, {
    // Only messages since our first one can stop a follow-up.
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
    update chat_reads
    set read_until = ${changedAt}::timestamptz
    where account_x_user_id = ${xUserId} and person_x_user_id = ${personXUserId}`)
}
