import { type SQL, sql } from 'drizzle-orm'
import { boolean, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../db/columns.ts'
import { leads } from '../leads/tables.ts'
import { dms } from '../sending/tables.ts'
import { workspaces } from '../workspaces/tables.ts'

/**
 * What was said in conversations with leads and is no message of ours: their replies, and what the account's owner wrote by hand.
 * Accounts stand here by their id at X, without a foreign key: whoever claims a message holds the account's row, and would be waited for.
 */
export const replies = pgTable(
  'replies',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    leadId: uuid('lead_id')
      .notNull()
      .references(() => leads.id, { onDelete: 'cascade' }),
    /** The message of ours that it answers; null: none, they wrote first, or it was written by hand. */
    dmId: uuid('dm_id').references(() => dms.id, { onDelete: 'set null' }),
    /** X's id of the workspace's account in that conversation. */
    accountXUserId: text('account_x_user_id').notNull(),
    /** X's id of the message. It may be told many times, and is kept once. */
    xEventId: text('x_event_id').notNull(),
    /** `reply`: the lead wrote it; `written`: the account's owner did, outside of this product. */
    kind: text('kind', { enum: ['reply', 'written'] }).notNull(),
    /** Its beginning, as long as REPLY_TEXT_MAX; null: somebody deleted it here. */
    text: text('text'),
    /** It held one of the workspace's opt-out words. */
    optedOut: boolean('opted_out').notNull().default(false),
    /** When it was written, by X's clock. */
    at: time('at').notNull(),
    /** When we learnt of it: from then on nothing that was queued before goes out. */
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('replies_event').on(t.workspaceId, t.xEventId),
    index('replies_lead').on(t.leadId, t.createdAt),
    index('replies_dm').on(t.dmId).where(sql`dm_id is not null`),
  ],
)

/** Up to when a lead has read what an account wrote to them, where X says so. */
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

/** How we learn what is said to an account of X, over all workspaces that have connected it. */
export const replyWatches = pgTable(
  'reply_watches',
  {
    xUserId: text('x_user_id').primaryKey(),
    /** X tells this webhook of ours, by these subscriptions. None: we only ask, now and then. */
    webhookId: text('webhook_id'),
    subscriptionIds: text('subscription_ids').array().notNull().default([]),
    /** Why X does not tell us, as a text to show. */
    problem: text('problem'),
    /** When the subscriptions are looked at next. */
    nextCheckAt: time('next_check_at').notNull().defaultNow(),
    /** The newest message that asking has come to. */
    cursorEventId: text('cursor_event_id'),
    /** Where asking goes on that did not come to the cursor yet, and the message at which it began. */
    pageToken: text('page_token'),
    pageNewestId: text('page_newest_id'),
    nextPollAt: time('next_poll_at').notNull().defaultNow(),
    polledAt: time('polled_at'),
    createdAt: createdAt(),
  },
  (t) => [index('reply_watches_check').on(t.nextCheckAt), index('reply_watches_poll').on(t.nextPollAt)],
)

/** A workspace's own opt-out words; one without a row has the default ones. */
export const replySettings = pgTable('reply_settings', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  optOutWords: text('opt_out_words').array().notNull(),
})

export const HAS_REPLIED = 'Skipped: this person has replied.'

/** Over a row of leads, by its alias: why they get no message, as they have replied to an earlier one; null if they may get it. @param isAllowed such people are included */
export function repliedBecause(lead: string, isAllowed: SQL): SQL {
  return sql`case when ${sql.raw(lead)}.replied_at is not null and not ${isAllowed} then ${HAS_REPLIED}::text end`
}

/**
 * Over a row of leads and one of dms, by their aliases: why the message must not go out any more, in the words that it then fails with; null where it may.
 * Whatever was said in the conversation since it was queued stops it.
 */
export function answeredBecause(lead: string, message: string): SQL {
  const [l, d] = [sql.raw(lead), sql.raw(message)]
  return sql`(select case r.kind when 'reply' then ${HAS_REPLIED}::text else 'Skipped: you have written to this person yourself.' end
    from replies r where r.lead_id = ${l}.id and r.created_at >= coalesce(${d}.requeued_at, ${d}.created_at)
    order by r.kind limit 1)`
}
