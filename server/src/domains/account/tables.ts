import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../../db/columns.ts'
import { authSessions, authUsers } from '../auth/tables.ts'

/** Mailed links that set a new password: an hour, single use, hashed. */
export const authPasswordResets = pgTable(
  'auth_password_resets',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => authUsers.id, { onDelete: 'cascade' }),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [index('auth_password_resets_user').on(t.userId)],
)

/**
 * Mailed one-time codes. A row is made for every address that asks, known or not, so that nothing tells them apart.
 * The hash is of ticket and code together: the ticket is long, so that the code cannot be found by trying all.
 */
export const authMailCodes = pgTable('auth_mail_codes', {
  ticketHash: text('ticket_hash').primaryKey(),
  codeHash: text('code_hash').notNull(),
  email: text('email').notNull(),
  /** The session that proves itself by the code; null where it signs in. */
  sessionId: uuid('session_id').references(() => authSessions.id, { onDelete: 'cascade' }),
  attemptsLeft: integer('attempts_left').notNull(),
  expiresAt: time('expires_at').notNull(),
})

/** Addresses that accounts move to once both mailboxes have confirmed; one under way an account. */
export const authEmailChanges = pgTable('auth_email_changes', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => authUsers.id, { onDelete: 'cascade' }),
  email: text('email').notNull(),
  /** Of the links mailed to the present and to the new address, hashed. */
  currentTokenHash: text('current_token_hash').notNull().unique(),
  newTokenHash: text('new_token_hash').notNull().unique(),
  currentConfirmedAt: time('current_confirmed_at'),
  newConfirmedAt: time('new_confirmed_at'),
  expiresAt: time('expires_at').notNull(),
})
