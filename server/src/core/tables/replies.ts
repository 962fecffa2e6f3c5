import { REPLY_LABELS } from '@x-automated/contract/leads/leads'
import { type SQL, sql } from 'drizzle-orm'
import {
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
import { createdAt, id, time } from '../../db/columns.ts'
import { reasonSql } from '../../db/reasons.ts'
import { workspaceId } from '../../domains/identity/workspaces/tables.ts'
import { OPERATOR_APP_ID, xApps } from '../../domains/platform/x-apps/tables.ts'
import { leads } from './leads.ts'
import { dms } from './messages.ts'
import { isEnrollmentOf } from './sequences.ts'

/**
 * Messages that the product did not send: replies, and what the account's owner wrote by hand.
 * No foreign key to accounts, because inserts would wait for claims, which lock the account's row.
 */
export const replies = pgTable(
  'replies',
  {
    id: id(),
    workspaceId: workspaceId(),
    leadId: uuid('lead_id')
      .notNull()
      .references(() => leads.id, { onDelete: 'cascade' }),
    /** Our message that it answers; null if they wrote first or the owner wrote it. */
    dmId: uuid('dm_id').references(() => dms.id, { onDelete: 'set null' }),
    /** X's id of the workspace's account in that conversation. */
    accountXUserId: text('account_x_user_id').notNull(),
    /** X's id of the message. It may arrive many times and is stored once. */
    xEventId: text('x_event_id').notNull(),
    /** `reply`: the lead wrote it. `written`: the account's owner wrote it outside the product. */
    kind: text('kind', { enum: ['reply', 'written'] }).notNull(),
    /** The first REPLY_TEXT_MAX characters; null if it was deleted, or never stored without consent. */
    text: text('text'),
    /** Asks, by a rule, not to be messaged again. */
    optedOut: boolean('opted_out').notNull().default(false),
    /** What kind of reply it is; null: unknown. */
    label: text('label', { enum: REPLY_LABELS }),
    /** When it was written, by X's clock. */
    at: time('at').notNull(),
    /** When it was stored. It stops messages that were queued before. */
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('replies_event').on(t.workspaceId, t.xEventId),
    index('replies_lead').on(t.leadId, t.createdAt),
    index('replies_dm').on(t.dmId).where(sql`dm_id is not null`),
    // For the deletion of old texts.
    index('replies_texts').on(t.workspaceId, t.at).where(sql`text is not null`),
  ],
)

/** Until when a lead has read an account's messages, if X reports it. */
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

/** A follow-up leaves at most this many seconds after its account's last complete read began. */
export const READ_COUNTS_SECONDS = 90

/**
 * SQL: whether all that X showed until a few seconds ago is known, so that a follow-up is not blind:
 * the account's last complete read began recently, and no delivered message waits to be stored.
 * @param xUserId SQL of the account's id at X @param seconds how recently
 */
export function isReplyKnown(xUserId: SQL, seconds = READ_COUNTS_SECONDS): SQL<boolean> {
  return sql`(${isRead(xUserId, seconds)} and not ${hasUnstored(xUserId)})`
}

/** SQL: the account's last complete read began within these seconds. */
export function isRead(xUserId: SQL, seconds = READ_COUNTS_SECONDS): SQL<boolean> {
  return sql`exists (select from reply_watches w where w.x_user_id = ${xUserId} and w.read_until > now() - make_interval(secs => ${seconds}))`
}

/** SQL: a message was delivered to the account and is not stored yet. */
function hasUnstored(xUserId: SQL): SQL<boolean> {
  return sql`exists (select from x_deliveries u where u.account_x_user_id = ${xUserId} and u.holds)`
}

/** Deliveries of the last seconds that nobody has stored yet, from which on claims wait a little. */
const BACKLOG = 50

/** SQL: replies arrive faster than they are stored. Reads at most BACKLOG rows. */
export const areRepliesBehind = sql<boolean>`(
  select count(*) = ${sql.raw(String(BACKLOG))} from (
    select from x_deliveries where next_at > now() - interval '5 seconds' and holds limit ${sql.raw(String(BACKLOG))}
  ) unstored)`

/**
 * SQL: a person's conversation in X Chat with an account changed since its events were read, so that
 * nobody knows who wrote last. @param personXUserId SQL; null: nobody knows whose conversations changed
 */
export function isChatUnread(xUserId: SQL, personXUserId: SQL): SQL<boolean> {
  return sql`exists (select from chat_reads t
    where t.account_x_user_id = ${xUserId} and t.person_x_user_id = coalesce(${personXUserId}, t.person_x_user_id) and ${isChanged('t')})`
}

/**
 * SQL over the aliases of a message and its lead: it is a follow-up that nobody may send now, because
 * its account or its person's conversation has to be read first. @param xUserId SQL
 */
export function isBlind(message: string, lead: string, xUserId: SQL): SQL<boolean> {
  const person = sql.raw(`${lead}.x_user_id`)
  return sql`(${sql.raw(message)}.is_follow_up and (not ${isReplyKnown(xUserId)} or ${isChatUnread(xUserId, person)}))`
}

/** A read takes a few seconds, in which nobody needs to be told why a follow-up waits. */
const READ_TAKES = sql`interval '30 seconds'`

/** SQL over the alias of a queued follow-up: it waits because its account or its person could not be read. */
export function waitsForRead(message: string): SQL<boolean> {
  const d = sql.raw(message)
  return sql`exists (select from x_accounts a left join reply_watches w on w.x_user_id = a.x_user_id
    where a.id = ${d}.x_account_id and (
      (${d}.due_at <= now() and not ${isRead(sql`a.x_user_id`)} and (w.fails_since is not null or w.rests_until > now() or ${d}.due_at < now() - ${READ_TAKES}))
      or (${d}.due_at <= now() + ${READ_TAKES} and ${isChatUnread(sql`a.x_user_id`, sql`(select h.x_user_id from leads h where h.id = ${d}.lead_id)`)})))`
}

/** SQL: for how many seconds the account's last complete read still counts; null: there is none. */
export function knownForSeconds(xUserId: SQL): SQL<number | null> {
  return sql`(select extract(epoch from w.read_until - now())::float + ${READ_COUNTS_SECONDS} from reply_watches w where w.x_user_id = ${xUserId})`
}

/** SQL over the alias of a row of `chat_reads`: its conversation changed since its events were read. */
export const isChanged = (chat: string) =>
  sql.raw(`(${chat}.read_until is null or ${chat}.read_until < ${chat}.changed_at)`)

/** A read of an account's conversations that X or this server has interrupted. */
export interface Reading {
  /** When it began, as the database wrote it. */
  since: string
  /** The lists of messages and of X Chat's conversations. */
  messages: ListReading
  chats: ListReading
}
export interface ListReading {
  /** Where the list continues; null: from the newest entry. */
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
    /** The X apps that have subscriptions to it. */
    xAppIds: uuid('x_app_ids').array().notNull().default([OPERATOR_APP_ID]),
    /** Why there are no subscriptions, as a text to show. */
    problem: text('problem'),
    /** When the subscriptions are checked next. */
    nextCheckAt: time('next_check_at').notNull().defaultNow(),
    /** When its conversations are read next. A due follow-up moves this forward. */
    nextPollAt: time('next_poll_at').notNull().defaultNow(),
    /** Before this, X refuses to be read. */
    restsUntil: time('rests_until'),
    /** When the last complete read began: what was said until then is known. */
    readUntil: time('read_until'),
    /** The read to continue; null: the next one begins. */
    reading: jsonb('reading').$type<Reading>(),
    /** Since when reading fails, and which call X answers how, as a text to show; null: it does not. */
    failsSince: time('fails_since'),
    failure: text('failure'),
    /** When the owners were notified of this failure. */
    notifiedAt: time('notified_at'),
    /** Until then X Chat is not read, because the account does not have it. */
    chatAbsentUntil: time('chat_absent_until'),
    /** X Chat has message requests, which X may not deliver. */
    hasMessageRequests: boolean('has_message_requests').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [index('reply_watches_check').on(t.nextCheckAt), index('reply_watches_poll').on(t.nextPollAt)],
)

/**
 * When conversations of X Chat changed, by X's list, and until when their events were read. Follow-ups
 * to a person whose conversation changed since then wait.
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

/** What X has delivered and nobody has stored yet, sealed. Deleted once it is stored. */
export const xDeliveries = pgTable(
  'x_deliveries',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The app whose webhook got it. */
    xAppId: uuid('x_app_id')
      .notNull()
      .references(() => xApps.id, { onDelete: 'cascade' }),
    /** Whom it names, as ids at X. */
    accountXUserId: text('account_x_user_id'),
    personXUserId: text('person_x_user_id'),
    /** It may be a message: until it is stored, the account's follow-ups wait. */
    holds: boolean('holds').notNull(),
    sealedBody: text('sealed_body').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** When it is tried next; while a process works on it, when others may. */
    nextAt: time('next_at').notNull().defaultNow(),
    receivedAt: time('received_at').notNull().defaultNow(),
  },
  (t) => [
    index('x_deliveries_of').on(t.accountXUserId, t.personXUserId, t.id),
    index('x_deliveries_next').on(t.nextAt),
  ],
)

/**
 * SQL over a lead's alias: the reason to skip it if it replied; else null.
 * @param isAllowed SQL: leads who replied are included
 */
export function repliedReason(lead: string, isAllowed: SQL): SQL {
  return sql`case when ${sql.raw(lead)}.replied_at is not null and not ${isAllowed} then ${reasonSql('replied')} end`
}

/**
 * SQL over the aliases of a lead and a message: the reason to skip it if either side wrote in the
 * conversation since it was queued, or a follow-up's previous message was sent; else null. What was
 * said before its enrollment was resumed does not count.
 */
export function answeredReason(lead: string, message: string): SQL {
  const [l, d] = [sql.raw(lead), sql.raw(message)]
  return sql`(select case r.kind when 'reply' then ${reasonSql('replied')} else ${reasonSql('written_by_hand')} end
    from replies r where r.lead_id = ${l}.id and r.created_at >= coalesce((
      select greatest(case when ${d}.is_follow_up then e.last_sent_at else coalesce(${d}.requeued_at, ${d}.created_at) end, e.resumed_at)
      from enrollments e where ${isEnrollmentOf('e', message)}
    ), ${d}.requeued_at, ${d}.created_at)
    order by r.kind limit 1)`
}
