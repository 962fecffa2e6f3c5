import {
  EMAIL_FREQUENCIES,
  NOTIFICATION_KINDS,
  type NotificationFacts,
} from '@x-automated/contract/platform/notifications'
import { REPLY_LABELS } from '@x-automated/contract/reply-labels'
import { sql } from 'drizzle-orm'
import { boolean, index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../../db/columns.ts'
import { userId } from '../../identity/auth/tables.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** Notifications: one row for each member who wants one. */
export const notifications = pgTable(
  'notifications',
  {
    id: id(),
    workspaceId: workspaceId(),
    userId: userId(),
    kind: text('kind', { enum: NOTIFICATION_KINDS }).notNull(),
    facts: jsonb('facts').$type<NotificationFacts>().notNull(),
    /** Whether the notification appears in the app, by the member's preferences at that time. */
    inApp: boolean('in_app').notNull(),
    /** Whether the notification is emailed, by the member's preferences at that time. */
    email: boolean('email').notNull(),
    /** Whether the member's open tabs show the notification. The bell shows it only if `inApp`. */
    browser: boolean('browser').notNull().default(false),
    /** Whether the notification is emailed together with the others of its day. */
    isDigest: boolean('is_digest').notNull().default(false),
    /** When the email was queued. */
    emailedAt: time('emailed_at'),
    readAt: time('read_at'),
    createdAt: createdAt(),
  },
  (t) => [
    index('notifications_newest').on(t.userId, t.workspaceId, t.createdAt, t.id).where(sql`in_app`),
    index('notifications_unread').on(t.userId, t.workspaceId).where(sql`in_app and read_at is null`),
    index('notifications_to_email').on(t.createdAt).where(sql`email and emailed_at is null and not is_digest`),
    index('notifications_to_digest')
      .on(t.userId, t.workspaceId, t.createdAt)
      .where(sql`email and emailed_at is null and is_digest`),
    index('notifications_digest_due').on(t.createdAt).where(sql`email and emailed_at is null and is_digest`),
    index('notifications_to_show').on(t.userId, t.workspaceId, t.createdAt, t.id).where(sql`browser`),
    // Serves the deletion of a lead's name together with the lead.
    index('notifications_of_conversation')
      .on(t.workspaceId, sql`(facts ->> 'conversationId')`)
      .where(sql`kind = 'lead_replied'`),
    index('notifications_old').on(t.createdAt),
  ],
)

/** A user's channels for each kind of notification; without a row, the app and email. */
export const notificationPreferences = pgTable(
  'notification_preferences',
  {
    userId: userId(),
    kind: text('kind', { enum: NOTIFICATION_KINDS }).notNull(),
    inApp: boolean('in_app').notNull().default(true),
    email: boolean('email').notNull().default(true),
    /** Whether open tabs show the notification. This and the next two fields apply to `lead_replied` only. */
    browser: boolean('browser').notNull().default(false),
    frequency: text('frequency', { enum: EMAIL_FREQUENCIES }).notNull().default('immediate'),
    /** Null: DEFAULT_REPLY_LABELS apply. */
    labels: text('labels', { enum: REPLY_LABELS }).array(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.kind] })],
)
