import { sql } from 'drizzle-orm'
import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time, updatedAt } from '../../db/columns.ts'
import { authUsers } from '../auth/tables.ts'
import { workspaces } from '../workspaces/tables.ts'

/** Connections that are under way at X: 10 minutes, single use. What goes with the state (the verifier) is derived from it and the secret. */
export const xAuthorizations = pgTable('x_authorizations', {
  stateHash: text('state_hash').primaryKey(),
  /** Of the cookie that binds the callback to the browser that began. */
  cookieHash: text('cookie_hash').notNull(),
  workspaceId: uuid('workspace_id')
    .notNull()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  userId: uuid('user_id')
    .notNull()
    .references(() => authUsers.id, { onDelete: 'cascade' }),
  expiresAt: time('expires_at').notNull(),
})

/** How long X lists an account's messages, in days. */
export const X_KEEPS_DAYS = 30

/** Each restore of a backup: an account that is connected for the first time after it may have sent messages before it. */
export const restores = pgTable('restores', {
  id: id(),
  backedUpAt: time('backed_up_at').notNull(),
  /** From then on nothing that was on its way at the restore can still reach X. */
  unreadUntil: time('unread_until').notNull(),
})

/** X accounts that a workspace sends and scrapes with. Tokens are sealed; passwords are never stored. */
export const xAccounts = pgTable(
  'x_accounts',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    xUserId: text('x_user_id').notNull(),
    handle: text('handle').notNull(),
    /** `connected`; `lost`: X refused our tokens, see `reason`; `disconnected`: by the user. */
    status: text('status', { enum: ['connected', 'lost', 'disconnected'] }).notNull(),
    reason: text('reason'),
    sealedAccessToken: text('sealed_access_token'),
    sealedRefreshToken: text('sealed_refresh_token'),
    accessTokenExpiresAt: time('access_token_expires_at'),
    lastConnectedAt: time('last_connected_at'),
    /** When it was connected first or chosen last: of a workspace's accounts the one chosen last is the current one. */
    chosenAt: time('chosen_at').notNull().defaultNow(),
    /** When the worker may next look for a message to send; null: nothing is queued. Moved on by whoever claims. */
    nextSendAt: time('next_send_at'),
    /** X takes no more from it before this moment, as it has said; kept apart, so that other settings never shorten it. */
    restsUntil: time('rests_until'),
    /** A restore lost what was sent from here since then. Until that has been read at X nothing is sent; null: nothing was lost. */
    unreadSince: time('unread_since'),
    /** From then on nothing that was on its way at the restore can still reach X. */
    unreadUntil: time('unread_until'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('x_accounts_user').on(t.workspaceId, t.xUserId),
    // One account of X may be connected to several workspaces: its cap and its pace hold over all of them.
    index('x_accounts_of_user').on(t.xUserId),
    index('x_accounts_next_send').on(t.nextSendAt).where(sql`next_send_at is not null and status = 'connected'`),
  ],
)
