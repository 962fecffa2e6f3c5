import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../../db/columns.ts'
import { authSessions } from '../auth/tables.ts'

/**
 * Sign-ins that are under way at a provider: 10 minutes, single use. What goes with the state (nonce, verifier) is derived from it and the secret.
 * Also id_tokens that were used, until they expire.
 */
export const authStates = pgTable('auth_states', {
  stateHash: text('state_hash').primaryKey(),
  intent: text('intent', { enum: ['login', 'waitlist', 'link', 'used'] }).notNull(),
  /** S256 of the verifier that the browser keeps. */
  codeChallenge: text('code_challenge').notNull(),
  referralCode: text('referral_code'),
  /** The session that links an account; null for signing in. */
  sessionId: uuid('session_id').references(() => authSessions.id, { onDelete: 'cascade' }),
  expiresAt: time('expires_at').notNull(),
})

/** Accounts elsewhere that were signed in to, and wait for the session that began to link them: 60 seconds, single use, hashed. */
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
