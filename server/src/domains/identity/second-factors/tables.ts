import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../../db/columns.ts'
import { authIdentities, userId } from '../auth/tables.ts'

/** Second factors. A factor counts once it is confirmed. */
export const authFactors = pgTable(
  'auth_factors',
  {
    id: id(),
    userId: userId(),
    kind: text('kind', { enum: ['totp', 'passkey'] }).notNull(),
    name: text('name').notNull(),
    /** An authenticator app's secret, sealed. */
    sealedSecret: text('sealed_secret'),
    /** The time step of the last accepted code, so that no code works twice. */
    lastStep: integer('last_step'),
    /** A passkey's credential id (base64url). */
    credentialId: text('credential_id').unique(),
    /** A passkey's public key (base64url). */
    publicKey: text('public_key'),
    /** A passkey's signature counter. */
    signCount: integer('sign_count').notNull().default(0),
    transports: text('transports').array(),
    /** The challenge to sign next. One attempt uses it up. */
    challenge: text('challenge'),
    challengeExpiresAt: time('challenge_expires_at'),
    confirmedAt: time('confirmed_at'),
    lastUsedAt: time('last_used_at'),
    createdAt: createdAt(),
  },
  (t) => [index('auth_factors_user').on(t.userId)],
)

/** Recovery codes, hashed. Each works once. */
export const authRecoveryCodes = pgTable(
  'auth_recovery_codes',
  {
    userId: userId(),
    codeHash: text('code_hash').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
)

/** Sign-ins that wait for their second step, for up to 10 minutes. The tickets are hashed. */
export const authTickets = pgTable('auth_tickets', {
  ticketHash: text('ticket_hash').primaryKey(),
  userId: userId(),
  /** The single sign-on identity of the session that the ticket creates; null: another way. */
  ssoIdentityId: uuid('sso_identity_id').references(() => authIdentities.id, { onDelete: 'cascade' }),
  attemptsLeft: integer('attempts_left').notNull(),
  challenge: text('challenge'),
  expiresAt: time('expires_at').notNull(),
})
