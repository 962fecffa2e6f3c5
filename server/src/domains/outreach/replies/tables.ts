import { REPLY_LABELS } from '@x-automated/contract/leads/leads'
import { type SQL, sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../../db/columns.ts'
import { reasonSql } from '../../../db/reasons.ts'
import { workspaceId, workspaces } from '../../identity/workspaces/tables.ts'
import { leads } from '../../leads/leads/tables.ts'
import { OPERATOR_APP_ID } from '../../platform/x-apps/tables.ts'
import { dms } from '../sending/tables.ts'
import { isEnrollmentOf } from '../sequences/tables.ts'

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

/** How long a confirmed webhook, or a read conversation, counts. */
const KNOWN_FOR = sql`interval '6 hours'`

/**
 * SQL: whether replies to an X account are known, so that a follow-up is not blind: X's webhook was
 * confirmed, or the account was read after its message. @param xUserId SQL; @param sentAt SQL
 */
export function isReplyKnown(xUserId: SQL, sentAt: SQL): SQL<boolean> {
  return sql`exists (select from reply_watches w where w.x_user_id = ${xUserId} and (
    (w.webhook_id is not null and w.confirmed_at > now() - ${KNOWN_FOR})
    or w.read_until > greatest(${sentAt}, now() - ${KNOWN_FOR})))`
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
    /** The newest message that a poll has reached. */
    cursorEventId: text('cursor_event_id'),
    /** Where an unfinished poll continues, and the message at which it began. */
    pageToken: text('page_token'),
    pageNewestId: text('page_newest_id'),
    nextPollAt: time('next_poll_at').notNull().defaultNow(),
    polledAt: time('polled_at'),
    /** When X last confirmed the webhook. */
    confirmedAt: time('confirmed_at'),
    /** Every message until then was read by polling. */
    readUntil: time('read_until'),
    createdAt: createdAt(),
  },
  (t) => [index('reply_watches_check').on(t.nextCheckAt), index('reply_watches_poll').on(t.nextPollAt)],
)

/** How long a workspace keeps texts. Without a row, KEEP_TEXTS_DAYS. */
export const conversationSettings = pgTable('conversation_settings', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  keepTextsDays: integer('keep_texts_days').notNull(),
})

/** A workspace's own opt-out words, in addition to the built-in ones. */
export const replySettings = pgTable('reply_settings', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  optOutWords: text('opt_out_words').array().notNull(),
})

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
