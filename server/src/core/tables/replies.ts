import { REPLY_LABELS } from '@x-automated/contract/leads/leads'
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import {
  alias,
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { type AliasOf, createdAt, id, time } from '../../db/columns.ts'
import { reasonSql } from '../../db/reasons.ts'
import { workspaceId } from '../../domains/identity/workspaces/tables.ts'
import { OPERATOR_APP_ID, xApps } from '../../domains/platform/x-apps/tables.ts'
import { leads } from './leads.ts'
import { dms } from './messages.ts'
import { enrollments, isEnrollmentOf } from './sequences.ts'

/**
 * Messages that the product did not send: replies, and what the account's user wrote by hand. No
 * foreign key to accounts, because inserts would wait for claims, which lock the account's row.
 */
export const replies = pgTable(
  'replies',
  {
    id: id(),
    workspaceId: workspaceId(),
    leadId: uuid('lead_id')
      .notNull()
      .references(() => leads.id, { onDelete: 'cascade' }),
    /** Our message that this reply answers; null: the lead wrote first, or the account's user wrote the message. */
    dmId: uuid('dm_id').references(() => dms.id, { onDelete: 'set null' }),
    /** The X id of the workspace's account in the conversation. */
    accountXUserId: text('account_x_user_id').notNull(),
    /** The X id of the message. It may arrive many times, but is stored once. */
    xEventId: text('x_event_id').notNull(),
    /** `reply`: the lead wrote it. `written`: the account's user wrote it outside the product. */
    kind: text('kind', { enum: ['reply', 'written'] }).notNull(),
    /**
     * The first REPLY_TEXT_MAX characters, '' for a mere picture; null: too old, or not stored for
     * lack of consent; DELETED_TEXT: deleted by a person.
     */
    text: text('text'),
    /** A rule found that the text asks not to be messaged again. */
    optedOut: boolean('opted_out').notNull().default(false),
    /** The kind of reply; null: unknown. */
    label: text('label', { enum: REPLY_LABELS }),
    /** When the message was written, by X's clock. */
    at: time('at').notNull(),
    /** When the message was stored. A reply stops messages that were queued before this time. */
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('replies_event').on(t.workspaceId, t.xEventId),
    index('replies_lead').on(t.leadId, t.createdAt),
    index('replies_dm').on(t.dmId).where(sql`dm_id is not null`),
    // Serves the deletion of old texts.
    index('replies_texts').on(t.workspaceId, t.at).where(sql`text is not null`),
    // Serves the texts that can be read from X after a late consent.
    index('replies_missing_texts').on(t.workspaceId, t.accountXUserId, t.at).where(sql`text is null`),
  ],
)

/**
 * The text of a message whose text a person deleted, so that it is never read from X again: the
 * control character DEL, because messages without a text have the text ''.
 */
export const DELETED_TEXT = '\u007f'

/** SQL: the text of a message as screens show it; null if it is not stored. @param column of a row of `replies` */
export function storedText(column: SQL): SQL<string | null> {
  return sql`nullif(${column}, ${DELETED_TEXT})`
}

/** Up to when a lead has read an account's messages, if X reports it. */
export const leadReads = pgTable(
  'lead_reads',
  {
    leadId: uuid('lead_id')
      .notNull()
      .references(() => leads.id, { onDelete: 'cascade' }),
    accountXUserId: text('account_x_user_id').notNull(),
    readAt: time('read_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.leadId, t.accountXUserId] })],
)

/** A follow-up is sent at most this many seconds after its account's last complete read began. */
export const READ_COUNTS_SECONDS = 90

/**
 * SQL: a follow-up may be sent, because the account's replies are known: its last complete read
 * began recently, and no delivered message waits to be stored. @param xUserId SQL: the account's X
 * id @param seconds how recently the read began
 */
export function isReplyKnown(xUserId: SQL, seconds = READ_COUNTS_SECONDS): SQL<boolean> {
  return sql`(${isRead(xUserId, seconds)} and not ${hasUnstored(xUserId)})`
}

/**
 * SQL: the account's last complete read began within the last `seconds`, and nothing that arrived
 * since may be missing.
 */
export function isRead(xUserId: SQLWrapper, seconds = READ_COUNTS_SECONDS): SQL<boolean> {
  return sql`
    exists (
      select
      from reply_watches w
      where w.x_user_id = ${xUserId}
        and w.read_until > greatest(now() - make_interval(secs => ${seconds}), w.missed_until)
    )`
}

/** SQL: a message was delivered to the account and has not been stored yet. */
function hasUnstored(xUserId: SQL): SQL<boolean> {
  return sql`exists (select from x_deliveries u where u.account_x_user_id = ${xUserId} and u.holds)`
}

/** If this many recent deliveries have not been stored yet, claims wait briefly. */
const BACKLOG = 50

/** SQL: replies arrive faster than they are stored. Reads at most BACKLOG rows. */
export const areRepliesBehind = sql<boolean>`(
  select count(*) = ${BACKLOG} from (
    select from x_deliveries where next_at > now() - interval '5 seconds' and holds limit ${BACKLOG}
  ) unstored)`.inlineParams()

/**
 * SQL: the conversation in X Chat between a person and an account has changed since its events were
 * read, so who wrote last is unknown. @param personXUserId SQL; null: any changed conversation may
 * be theirs
 */
export function isChatUnread(xUserId: SQL, personXUserId: SQLWrapper): SQL<boolean> {
  return sql`exists (select from chat_reads t
    where t.account_x_user_id = ${xUserId}
      and t.person_x_user_id = coalesce(${personXUserId}, t.person_x_user_id)
      and ${isChanged(alias(chatReads, 't'))})`
}

/**
 * SQL over the aliases of a message and its lead: the message is a follow-up that must not be sent
 * now, because its account or its conversation has to be read first. @param xUserId SQL
 */
export function isBlind(message: AliasOf<typeof dms>, lead: AliasOf<typeof leads>, xUserId: SQL): SQL<boolean> {
  return sql`
    (${message.isFollowUp} and (not ${isReplyKnown(xUserId)} or ${isChatUnread(xUserId, lead.xUserId)}))`
}

/** Screens do not say why a follow-up waits for less than this, because a read takes a few seconds. */
const READ_TAKES = sql`interval '30 seconds'`

/** SQL over the alias of a queued follow-up: it waits because its account or its conversation could not be read. */
export function waitsForRead(message: AliasOf<typeof dms>): SQL<boolean> {
  const personXUserId = sql`(select h.x_user_id from leads h where h.id = ${message.leadId})`
  return sql`exists (select from x_accounts a left join reply_watches w on w.x_user_id = a.x_user_id
    where a.id = ${message.xAccountId} and (
      (
        ${message.dueAt} <= now()
        and not ${isRead(sql`a.x_user_id`)}
        and (w.fails_since is not null or w.rests_until > now() or ${message.dueAt} < now() - ${READ_TAKES})
      )
      or (${message.dueAt} <= now() + ${READ_TAKES} and ${isChatUnread(sql`a.x_user_id`, personXUserId)})))`
}

/** SQL: the seconds for which the account's last complete read still counts; null: there was none. */
export function knownForSeconds(xUserId: SQL): SQL<number | null> {
  return sql`
    (
      select extract(epoch from w.read_until - now())::float + ${READ_COUNTS_SECONDS}
      from reply_watches w
      where w.x_user_id = ${xUserId}
    )`
}

/** SQL over the alias of a row of `chat_reads`: its conversation changed since its events were read. */
export const isChanged = (chat: AliasOf<typeof chatReads>) =>
  sql`(${chat.readUntil} is null or ${chat.readUntil} < ${chat.changedAt})`

/** A read of an account's conversations that X or a restart has interrupted. */
export interface Reading {
  /** When the read began, as the database wrote it. */
  since: string
  /** The progress in the list of messages. */
  messages: ListReading
  /** The progress in the list of X Chat's conversations. */
  chats: ListReading
}
export interface ListReading {
  /** Where the list continues; null: at the newest entry. */
  next: string | null
  isComplete: boolean
  /** The time of the oldest entry so far (ISO 8601), if all were in descending order. */
  oldest: string | null
  isOrdered: boolean
}

/** Reply detection for one X account, shared by all workspaces that connected it. */
export const replyWatches = pgTable(
  'reply_watches',
  {
    xUserId: text('x_user_id').primaryKey(),
    /** X calls this webhook through `subscriptionIds`; null if the account is only polled. */
    webhookId: text('webhook_id'),
    subscriptionIds: text('subscription_ids').array().notNull().default([]),
    /** The X apps with subscriptions to the account. */
    xAppIds: uuid('x_app_ids').array().notNull().default([OPERATOR_APP_ID]),
    /** Why there are no subscriptions, as a text to show. */
    problem: text('problem'),
    /** When the subscriptions are checked next. */
    nextCheckAt: time('next_check_at').notNull().defaultNow(),
    /** When the account's conversations are read next. A due follow-up moves this forward. */
    nextPollAt: time('next_poll_at').notNull().defaultNow(),
    /** X refuses reads before this time. */
    restsUntil: time('rests_until'),
    /** When the last complete read began: everything up to then is known. */
    readUntil: time('read_until'),
    /** Messages that arrived up to this time may be missing, so only later reads count; null: none are missing. */
    missedUntil: time('missed_until'),
    /** The interrupted read to continue; null: the next one starts from the newest entry. */
    reading: jsonb('reading').$type<Reading>(),
    /** When reads began to fail; null: they succeed. */
    failsSince: time('fails_since'),
    /** The failing call with X's response, as a text to show. */
    failure: text('failure'),
    /** When the owners were notified of this failure. */
    notifiedAt: time('notified_at'),
    /** X Chat is not read before this time, because the account does not have it. */
    chatAbsentUntil: time('chat_absent_until'),
    /** X Chat has message requests, which X may not deliver. */
    hasMessageRequests: boolean('has_message_requests').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [index('reply_watches_check').on(t.nextCheckAt), index('reply_watches_poll').on(t.nextPollAt)],
)

/**
 * When conversations of X Chat changed according to X's list, and up to when their events were
 * read. If a conversation changed after that, follow-ups to that person wait.
 */
export const chatReads = pgTable(
  'chat_reads',
  {
    accountXUserId: text('account_x_user_id')
      .notNull()
      .references(() => replyWatches.xUserId, { onDelete: 'cascade' }),
    personXUserId: text('person_x_user_id').notNull(),
    conversationId: text('conversation_id').notNull(),
    changedAt: time('changed_at').notNull(),
    readUntil: time('read_until'),
  },
  (t) => [
    primaryKey({ columns: [t.accountXUserId, t.personXUserId] }),
    index('chat_reads_changed')
      .on(t.accountXUserId, t.changedAt)
      .where(sql`read_until is null or read_until < changed_at`),
  ],
)

/** Sealed deliveries from X that have not been processed yet. Processing deletes them. */
export const xDeliveries = pgTable(
  'x_deliveries',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The app whose webhook received the delivery. */
    xAppId: uuid('x_app_id')
      .notNull()
      .references(() => xApps.id, { onDelete: 'cascade' }),
    /** The X id of the account that the delivery names. */
    accountXUserId: text('account_x_user_id'),
    /** The X id of the person that the delivery names. */
    personXUserId: text('person_x_user_id'),
    /** The delivery may be a message, so the account's follow-ups wait until it is processed. */
    holds: boolean('holds').notNull(),
    sealedBody: text('sealed_body').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** When the delivery is tried next, or when another process may take it over. */
    nextAt: time('next_at').notNull().defaultNow(),
    receivedAt: time('received_at').notNull().defaultNow(),
  },
  (t) => [
    index('x_deliveries_of').on(t.accountXUserId, t.personXUserId, t.id),
    index('x_deliveries_next').on(t.nextAt),
  ],
)

/**
 * SQL over a lead's alias: the reason to skip a lead who replied; else null. @param isAllowed SQL:
 * leads who replied are included
 */
export function repliedReason(lead: AliasOf<typeof leads>, isAllowed: SQL): SQL {
  return sql`case when ${lead.repliedAt} is not null and not ${isAllowed} then ${reasonSql('replied')} end`
}

/**
 * SQL over the aliases of a lead and a message: the reason to skip the message if either side has
 * written since it was queued or, for a follow-up, since the previous message was sent; else null.
 * Messages before the enrollment was resumed do not count.
 */
export function answeredReason(lead: AliasOf<typeof leads>, message: AliasOf<typeof dms>): SQL {
  return sql`(select case r.kind when 'reply' then ${reasonSql('replied')} else ${reasonSql('written_by_hand')} end
    from replies r where r.lead_id = ${lead.id} and r.created_at >= coalesce((
      select greatest(
        case
          when ${message.isFollowUp} then e.last_sent_at
          else coalesce(${message.requeuedAt}, ${message.createdAt}) end,
        e.resumed_at
      )
      from enrollments e where ${isEnrollmentOf(alias(enrollments, 'e'), message)}
    ), ${message.requeuedAt}, ${message.createdAt})
    order by r.kind limit 1)`
}
