import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../../../db/columns.ts'
import { authSessions } from '../auth/tables.ts'

/**
 * Pending provider sign-ins (10 minutes, single use) and used id_tokens until they expire.
 * Nonce and verifier are derived from the state and the secret.
 */
export const authStates = pgTable('auth_states', {
  stateHash: text('state_hash').primaryKey(),
  intent: text('intent', { enum: ['login', 'waitlist', 'link', 'used'] }).notNull(),
  /** PKCE challenge (S256); the browser keeps the verifier. */
  codeChallenge: text('code_challenge').notNull(),
  referralCode: text('referral_code'),
  /** The session that links an account; null for a sign-in. */
  sessionId: uuid('session_id').references(() => authSessions.id, { onDelete: 'cascade' }),
  expiresAt: time('expires_at').notNull(),
})

/**
 * Outside accounts that wait to be linked by the session that started it: 60 seconds, single use,
 * hashed.
 */
export const authLinkCodes = pgTable('auth_link_codes', {
  codeHash: text('code_hash').primaryKey(),
  codeChallenge: text('code_challenge').notNull(),
  sessionId: uuid('session_id')
    .notNull()
    .references(() => authSessions.id, { onDelete: 'cascade' }),
  providerId: text('provider_id').notNull(),
  accountId: text('account_id').notNull(),
  email: text('email'),
  expiresAt: time('expires_at').notNull(),
})
