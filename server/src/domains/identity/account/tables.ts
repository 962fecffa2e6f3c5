import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../../../db/columns.ts'
import { authSessions, authUsers, userId } from '../auth/tables.ts'

/** Emailed links that set a new password. They are hashed and valid once, for an hour. */
export const authPasswordResets = pgTable(
  'auth_password_resets',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: userId(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [index('auth_password_resets_user').on(t.userId)],
)

/**
 * Emailed one-time codes. Every address gets a row, with or without an account, so that neither
 * rows nor timing differ. The hash covers the long ticket and the code, so that the code cannot be
 * brute-forced.
 */
export const authMailCodes = pgTable('auth_mail_codes', {
  ticketHash: text('ticket_hash').primaryKey(),
  codeHash: text('code_hash').notNull(),
  email: text('email').notNull(),
  /** The session to reauthenticate; null for a sign-in. */
  sessionId: uuid('session_id').references(() => authSessions.id, { onDelete: 'cascade' }),
  attemptsLeft: integer('attempts_left').notNull(),
  expiresAt: time('expires_at').notNull(),
})

/** Email changes that wait for both mailboxes to confirm; one per account. */
export const authEmailChanges = pgTable('auth_email_changes', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => authUsers.id, { onDelete: 'cascade' }),
  email: text('email').notNull(),
  /** Hash of the link emailed to the current address. */
  currentTokenHash: text('current_token_hash').notNull().unique(),
  /** Hash of the link emailed to the new address. */
  newTokenHash: text('new_token_hash').notNull().unique(),
  currentConfirmedAt: time('current_confirmed_at'),
  newConfirmedAt: time('new_confirmed_at'),
  expiresAt: time('expires_at').notNull(),
})
