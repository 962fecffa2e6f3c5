import { REPLY_LABELS } from '@x-automated/contract/leads/leads'
import { CONVERSATION_STATUSES } from '@x-automated/contract/outreach/conversations'
import { WAITING_LABELS } from '@x-automated/contract/reply-labels'
import { sql } from 'drizzle-orm'
import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { createdAt, newId, partOf, time, updatedAt } from '../../db/columns.ts'
import { workspaceId, workspaceMembers } from '../../domains/identity/workspaces/tables.ts'
import { leads } from './leads.ts'

/** SQL over `conversations`: whether the lead waits for an answer. Ignores suppressions. */
export const isWaiting =
  sql`(status = 'open' and not is_last_ours and (label is null or label in ${WAITING_LABELS}))`.inlineParams()

/**
 * The messages between an X account and a lead, from the lead's first one. The messages are in
 * `dms` and `replies`; this row has the columns by which lists filter and sort. It is deleted with
 * its lead.
 */
export const conversations = pgTable(
  'conversations',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    /** The X id of the workspace's account. */
    accountXUserId: text('account_x_user_id').notNull(),
    leadId: uuid('lead_id').notNull(),
    /** The campaign that the lead last replied to. */
    campaignId: uuid('campaign_id'),
    status: text('status', { enum: CONVERSATION_STATUSES }).notNull().default('open'),
    snoozedUntil: time('snoozed_until'),
    /** The sort key of lists: the time of the latest message, or the end of the snooze. */
    sortAt: time('sort_at').notNull(),
    lastMessageId: uuid('last_message_id').notNull(),
    lastMessageAt: time('last_message_at').notNull(),
    isLastOurs: boolean('is_last_ours').notNull().default(false),
    isUnread: boolean('is_unread').notNull().default(true),
    label: text('label', { enum: REPLY_LABELS }),
    /** The confidence of the label; null if a person or a second opinion set it. */
    confidence: real('confidence'),
    /** The person who set the label; null: the classifier. */
    labelledBy: uuid('labelled_by'),
    /** The classifier suspects an opt-out, which suppresses nobody until a person confirms it. */
    suggestsSuppression: boolean('suggests_suppression').notNull().default(false),
    isEncrypted: boolean('is_encrypted').notNull().default(false),
    /** A member of the workspace; null once they have left it (a foreign key of the migration). */
    assigneeId: uuid('assignee_id'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex('conversations_once').on(t.workspaceId, t.leadId, t.accountXUserId),
    index('conversations_newest').on(t.workspaceId, t.sortAt, t.id),
    index('conversations_status').on(t.workspaceId, t.status, t.sortAt, t.id),
    index('conversations_label').on(t.workspaceId, t.label, t.sortAt, t.id),
    index('conversations_assignee').on(t.workspaceId, t.assigneeId, t.sortAt, t.id),
    index('conversations_campaign').on(t.workspaceId, t.campaignId, t.sortAt, t.id),
    index('conversations_account').on(t.workspaceId, t.accountXUserId, t.sortAt, t.id),
    // Serves the number of people who wait for an answer.
    index('conversations_waiting').on(t.workspaceId, t.accountXUserId).where(isWaiting),
    // Serves the job that ends snoozes, over all workspaces.
    index('conversations_snoozed').on(t.snoozedUntil).where(sql`status = 'snoozed'`),
  ],
)

/** The number of conversations per workspace. Statements that change conversations maintain it. */
export const conversationCounts = pgTable('conversation_counts', {
  workspaceId: workspaceId().primaryKey(),
  open: integer('open').notNull().default(0),
  /** How many of the open conversations are unread. */
  unread: integer('unread').notNull().default(0),
  snoozed: integer('snoozed').notNull().default(0),
})

/** A member's draft of a message. */
export const conversationDrafts = pgTable(
  'conversation_drafts',
  {
    workspaceId: workspaceId(),
    conversationId: uuid('conversation_id').notNull(),
    userId: uuid('user_id').notNull(),
    text: text('text').notNull(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.conversationId, t.userId] }),
    // A member's drafts are deleted when the member leaves the workspace.
    foreignKey({
      name: 'conversation_drafts_member',
      columns: [t.workspaceId, t.userId],
      foreignColumns: [workspaceMembers.workspaceId, workspaceMembers.userId],
    }).onDelete('cascade'),
    index('conversation_drafts_member').on(t.workspaceId, t.userId),
  ],
)

/** Labels that a person has corrected. They do not change the classifier. */
export const labelCorrections = pgTable(
  'label_corrections',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    conversationId: uuid('conversation_id').notNull(),
    userId: uuid('user_id').notNull(),
    oldLabel: text('old_label', { enum: REPLY_LABELS }),
    newLabel: text('new_label', { enum: REPLY_LABELS }).notNull(),
    at: time('at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    index('label_corrections_conversation').on(t.workspaceId, t.conversationId, t.at),
  ],
)

/** The former state of changed conversations, for the undo. `undoId` comes from the caller. */
export const conversationUndos = pgTable(
  'conversation_undos',
  {
    workspaceId: workspaceId(),
    undoId: uuid('undo_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    /** The former row of `conversations`, and the `enrollment` that re-engagement paused. */
    before: jsonb('before').notNull(),
    /** The reply whose label changed with the conversation's; null if none did. */
    replyId: uuid('reply_id'),
    replyLabel: text('reply_label', { enum: REPLY_LABELS }),
    /** When the conversation was changed. If it has changed since, the change is not undone. */
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.undoId, t.conversationId] }),
    index('conversation_undos_oldest').on(t.updatedAt),
  ],
)

/** Members' notes on a conversation. A note is deleted with its lead. */
export const conversationNotes = pgTable(
  'conversation_notes',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    conversationId: uuid('conversation_id').notNull(),
    leadId: partOf('lead_id', () => leads.id),
    text: text('text').notNull(),
    /** No foreign key: the note outlives the account of its author. */
    authorId: uuid('author_id').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    index('conversation_notes_oldest').on(t.workspaceId, t.conversationId, t.createdAt),
    index('conversation_notes_lead').on(t.leadId),
  ],
)
