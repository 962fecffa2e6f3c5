import { NOTICE_KINDS, type NoticeFacts } from '@x-automated/contract/notices'
import { sql } from 'drizzle-orm'
import { boolean, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../db/columns.ts'
import { authUsers } from '../auth/tables.ts'
import { workspaces } from '../workspaces/tables.ts'

/**
 * What a member of a workspace is told. Triggers on campaigns and X accounts write a row for each member who wants to know,
 * in the transaction of what it tells: so whoever changes a status, nobody has to think of it.
 */
export const notices = pgTable(
  'notices',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => authUsers.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: NOTICE_KINDS }).notNull(),
    facts: jsonb('facts').$type<NoticeFacts>().notNull(),
    /** Whether it is shown in the product, and whether it is mailed: as they had chosen when it came about. */
    inApp: boolean('in_app').notNull(),
    mail: boolean('mail').notNull(),
    /** When its mail was put into the queue. */
    mailedAt: time('mailed_at'),
    readAt: time('read_at'),
    createdAt: createdAt(),
  },
  (t) => [
    index('notices_newest').on(t.userId, t.workspaceId, t.createdAt, t.id).where(sql`in_app`),
    index('notices_unread').on(t.userId, t.workspaceId).where(sql`in_app and read_at is null`),
    index('notices_to_mail').on(t.createdAt).where(sql`mail and mailed_at is null`),
    index('notices_old').on(t.createdAt),
  ],
)

/** What somebody wants to be told, and how; without a row both ways. */
export const noticePreferences = pgTable(
  'notice_preferences',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => authUsers.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: NOTICE_KINDS }).notNull(),
    inApp: boolean('in_app').notNull().default(true),
    mail: boolean('mail').notNull().default(true),
  },
  (t) => [primaryKey({ columns: [t.userId, t.kind] })],
)
