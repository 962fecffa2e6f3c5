import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { partOf, time } from '../../../db/columns.ts'
import { authSessions } from '../auth/tables.ts'

/** Pending sign-ins (valid once, for 10 minutes), and used id_tokens until they expire. */
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
 * One-time codes that link an outside account, in the session that started the linking. They are
 * hashed and valid once, for 60 seconds.
 */
export const authLinkCodes = pgTable('auth_link_codes', {
  codeHash: text('code_hash').primaryKey(),
  codeChallenge: text('code_challenge').notNull(),
  sessionId: partOf('session_id', () => authSessions.id),
  providerId: text('provider_id').notNull(),
  accountId: text('account_id').notNull(),
  email: text('email'),
  expiresAt: time('expires_at').notNull(),
})
