import { boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, time } from '../../../db/columns.ts'
import { authSessions, userId } from '../../identity/auth/tables.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/**
 * Paired browser extensions. Each has its own session, so that whatever ends sessions (sign-out
 * everywhere, a new password, account deletion) also ends the pairing.
 */
export const extensionPairings = pgTable(
  'extension_pairings',
  {
    sessionId: uuid('session_id')
      .primaryKey()
      .references(() => authSessions.id, { onDelete: 'cascade' }),
    userId: userId(),
    workspaceId: workspaceId(),
    tokenHash: text('token_hash').notNull().unique(),
    version: text('version').notNull(),
    /** The X account signed in in that browser at the last report. */
    signedInAs: text('signed_in_as'),
    paused: boolean('paused').notNull().default(false),
    /** The part of X's page that the extension cannot find. */
    pageChanged: text('page_changed'),
    /** Whether it sends without an open page of the product. */
    sendsInBackground: boolean('sends_in_background').notNull().default(false),
    reportedAt: time('reported_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (t) => [index('extension_pairings_user').on(t.userId)],
)

/** One-time codes that pair an extension: 10 minutes, single use, hashed. */
export const extensionCodes = pgTable('extension_codes', {
  codeHash: text('code_hash').primaryKey(),
  userId: userId(),
  workspaceId: workspaceId(),
  /** The session that created the code; the code ends with it. */
  sessionId: uuid('session_id')
    .notNull()
    .references(() => authSessions.id, { onDelete: 'cascade' }),
  expiresAt: time('expires_at').notNull(),
})
