import { boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, time } from '../../db/columns.ts'
import { authSessions, authUsers } from '../auth/tables.ts'
import { workspaces } from '../workspaces/tables.ts'

/**
 * Browser extensions that may act for somebody. Each hangs on a session of its own, so that whatever ends sessions (signing out
 * everywhere, a new password, deleting the account) ends it too.
 */
export const extensionPairings = pgTable(
  'extension_pairings',
  {
    sessionId: uuid('session_id')
      .primaryKey()
      .references(() => authSessions.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => authUsers.id, { onDelete: 'cascade' }),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull().unique(),
    version: text('version').notNull(),
    /** Who was signed in to X in that browser when it last reported. */
    signedInAs: text('signed_in_as'),
    paused: boolean('paused').notNull().default(false),
    /** The part of X's page that it does not find. */
    pageChanged: text('page_changed'),
    /** Does it send while no page of the product is open? */
    sendsInBackground: boolean('sends_in_background').notNull().default(false),
    reportedAt: time('reported_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (t) => [index('extension_pairings_user').on(t.userId)],
)

/** One-time codes that pair an extension: 10 minutes, single use, hashed. */
export const extensionCodes = pgTable('extension_codes', {
  codeHash: text('code_hash').primaryKey(),
  userId: uuid('user_id')
    .notNull()
    .references(() => authUsers.id, { onDelete: 'cascade' }),
  workspaceId: uuid('workspace_id')
    .notNull()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  /** The session that made the code, and that it ends with. */
  sessionId: uuid('session_id')
    .notNull()
    .references(() => authSessions.id, { onDelete: 'cascade' }),
  expiresAt: time('expires_at').notNull(),
})
