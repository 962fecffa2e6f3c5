import { type SQL, sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type AliasOf, createdAt, id, time, updatedAt } from '../../../db/columns.ts'
import { authUsers, userId } from '../../identity/auth/tables.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'
import { OPERATOR_APP_ID, xApps } from '../x-apps/tables.ts'

/** Pending connections at X. They are valid once, for 10 minutes. The verifier is derived from the state. */
export const xAuthorizations = pgTable('x_authorizations', {
  stateHash: text('state_hash').primaryKey(),
  /** Hash of the cookie that binds the callback to the browser that started it. */
  cookieHash: text('cookie_hash').notNull(),
  workspaceId: workspaceId(),
  userId: userId(),
  /** The app that asks for access. If it is removed, the connection attempt ends. */
  xAppId: uuid('x_app_id')
    .notNull()
    .default(OPERATOR_APP_ID)
    .references(() => xApps.id, { onDelete: 'cascade' }),
  expiresAt: time('expires_at').notNull(),
})

/** For this many days, X lists an account's messages. */
export const X_KEEPS_DAYS = 30

/** Restores of a backup. An account that is connected later may have sent messages after the backup. */
export const restores = pgTable('restores', {
  id: id(),
  backedUpAt: time('backed_up_at').notNull(),
  /** After this time, messages in flight at the restore can no longer reach X. */
  unreadUntil: time('unread_until').notNull(),
})

/** X accounts of a workspace. Tokens are sealed; passwords are never stored. */
export const xAccounts = pgTable(
  'x_accounts',
  {
    id: id(),
    workspaceId: workspaceId(),
    /** The person who connected the account last. */
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    xUserId: text('x_user_id').notNull(),
    /** The app that issued the tokens. No other app can use them. */
    xAppId: uuid('x_app_id')
      .notNull()
      .default(OPERATOR_APP_ID)
      .references(() => xApps.id),
    handle: text('handle').notNull(),
    /** When X last reported the handle; null: not since the product began to store this. */
    handleReadAt: time('handle_read_at'),
    profileImageUrl: text('profile_image_url'),
    /** The number of followers when X last reported it; null: not since the product began to store this. */
    followerCount: integer('follower_count'),
    /** `connected`; `lost`: X refused our tokens, see `reason`; `disconnected`: by the user. */
    status: text('status', { enum: ['connected', 'lost', 'disconnected'] }).notNull(),
    reason: text('reason'),
    sealedAccessToken: text('sealed_access_token'),
    sealedRefreshToken: text('sealed_refresh_token'),
    accessTokenExpiresAt: time('access_token_expires_at'),
    lastConnectedAt: time('last_connected_at'),
    /** When the account was first connected or last chosen. The workspace's current account has the latest time. */
    chosenAt: time('chosen_at').notNull().defaultNow(),
    /** Whether texts of the account's conversations are stored; null: nobody has decided, so they are not. */
    storesConversations: boolean('stores_conversations'),
    /** Who allowed storing texts. No foreign key: the consent outlives this person's account. */
    consentBy: uuid('consent_by'),
    /** When storing texts was allowed. */
    consentAt: time('consent_at'),
    /** Whether the inbox suggests unknown senders as leads. */
    offersUnknownSenders: boolean('offers_unknown_senders').notNull().default(false),
    /** When to look for the next message; null: nothing is queued. Claims move it forward. */
    nextSendAt: time('next_send_at'),
    /**
     * Number of follow-ups claimed since the last first message. At least one of ten messages is a
     * first message, if any wait.
     */
    followUpsInRow: integer('follow_ups_in_row').notNull().default(0),
    /** X accepts nothing before this time. A separate column, so that other settings never shorten it. */
    restsUntil: time('rests_until'),
    /** The time since which a restore lost messages. The workspace sends nothing until they have been read from X. */
    unreadSince: time('unread_since'),
    /** After this time, messages in flight at the restore can no longer reach X. */
    unreadUntil: time('unread_until'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('x_accounts_user').on(t.workspaceId, t.xUserId),
    // Several workspaces can connect the same X account; they share its cap and interval.
    index('x_accounts_of_user').on(t.xUserId),
    index('x_accounts_of_app').on(t.xAppId),
    index('x_accounts_next_send').on(t.nextSendAt).where(sql`next_send_at is not null and status = 'connected'`),
  ],
)

/**
 * SQL over an account's alias: the time from which X has to be read, for this account or for
 * another one of the workspace that may have messaged the same people; null: everything has been
 * read.
 */
export function unreadSince(account: AliasOf<typeof xAccounts>): SQL<string | null> {
  return sql`(select min(u.unread_since) from x_accounts u
    where u.workspace_id = ${account.workspaceId} and (u.id = ${account.id} or u.status <> 'disconnected'))`
}
