import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../db/columns.ts'
import { authIdentities, authUsers } from '../auth/tables.ts'

/** What somebody proves themselves with beside their password. It counts once it is confirmed. */
export const authFactors = pgTable(
  'auth_factors',
  {
    id: id(),
    userId: uuid('user_id')
      .notNull()
      .references(() => authUsers.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: ['totp', 'passkey'] }).notNull(),
    name: text('name').notNull(),
    /** Of an authenticator app, sealed. */
    sealedSecret: text('sealed_secret'),
    /** The 30-second step of the last code that was taken: none works twice. */
    lastStep: integer('last_step'),
    /** Of a passkey: base64url, with its public key, how often it says it was used, and how browsers reach it. */
    credentialId: text('credential_id').unique(),
    publicKey: text('public_key'),
    signCount: integer('sign_count').notNull().default(0),
    transports: text('transports').array(),
    /** What the passkey is to sign next; used up by the try. */
    challenge: text('challenge'),
    challengeExpiresAt: time('challenge_expires_at'),
    confirmedAt: time('confirmed_at'),
    lastUsedAt: time('last_used_at'),
    createdAt: createdAt(),
  },
  (t) => [index('auth_factors_user').on(t.userId)],
)

/** Codes for when the device is lost: single use, hashed. */
export const authRecoveryCodes = pgTable(
  'auth_recovery_codes',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => authUsers.id, { onDelete: 'cascade' }),
    codeHash: text('code_hash').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
)

/** Sign-ins whose first step is done: 10 minutes, hashed. */
export const authTickets = pgTable('auth_tickets', {
  ticketHash: text('ticket_hash').primaryKey(),
  userId: uuid('user_id')
    .notNull()
    .references(() => authUsers.id, { onDelete: 'cascade' }),
  /** As in the session that the ticket becomes. */
  ssoIdentityId: uuid('sso_identity_id').references(() => authIdentities.id, { onDelete: 'cascade' }),
  attemptsLeft: integer('attempts_left').notNull(),
  challenge: text('challenge'),
  expiresAt: time('expires_at').notNull(),
})
