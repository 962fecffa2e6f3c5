import { sql } from 'drizzle-orm'
import { boolean, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, partOf, time, updatedAt } from '../../../db/columns.ts'

/** User accounts. (The table `users` holds the members of the waitlist.) */
export const authUsers = pgTable('auth_users', {
  id: id(),
  name: text('name').notNull(),
  email: text('email').notNull().unique(),
  emailVerified: boolean('email_verified').notNull().default(false),
  image: text('image'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** The column of a row that belongs to a user. */
export const userId = () => partOf('user_id', () => authUsers.id)

/** One row per sign-in. Nothing reads `token`, which is random. */
export const authSessions = pgTable(
  'auth_sessions',
  {
    id: id(),
    userId: userId(),
    token: text('token').notNull().unique(),
    expiresAt: time('expires_at').notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    /** When the user last reauthenticated. Sensitive changes require a recent time. */
    reauthenticatedAt: time('reauthenticated_at'),
    /**
     * The single sign-on identity that created the session. The session is limited to that
     * identity's workspace and deleted with it.
     */
    ssoIdentityId: uuid('sso_identity_id').references(() => authIdentities.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    index('auth_sessions_user').on(t.userId),
    index('auth_sessions_sso').on(t.ssoIdentityId).where(sql`sso_identity_id is not null`),
  ],
)

/** Sign-ups that have no account yet, because their link is unopened. An address can have several. */
export const authSignUps = pgTable(
  'auth_sign_ups',
  {
    id: uuid('id').primaryKey(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    password: text('password').notNull(),
    /** Hash of the cookie of the browser that signed up; null if unknown. */
    browserHash: text('browser_hash'),
    /** PKCE challenge (S256) for the confirmation's one-time code. */
    codeChallenge: text('code_challenge'),
    /** The referral to credit once the sign-up is confirmed. */
    referral: jsonb('referral').$type<SignUpReferral>(),
    createdAt: createdAt(),
    /** When the link expires. Each email extends it. */
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [index('auth_sign_ups_email').on(t.email, t.createdAt), index('auth_sign_ups_age').on(t.expiresAt)],
)

/** A sign-up's referral code, and where it came from. */
export interface SignUpReferral {
  referralCode: string
  addressHash: string
  rangeHash: string
  isLoopback?: boolean
  country: string | null
}

/** A sign-in method: `credential` (a hashed password) or an outside identity. */
export const authIdentities = pgTable(
  'auth_identities',
  {
    id: id(),
    userId: userId(),
    providerId: text('provider_id').notNull(),
    accountId: text('account_id').notNull(),
    /** Address of an outside identity when it was linked. */
    email: text('email'),
    password: text('password'),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: time('access_token_expires_at'),
    refreshTokenExpiresAt: time('refresh_token_expires_at'),
    scope: text('scope'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('auth_identities_account').on(t.providerId, t.accountId),
    index('auth_identities_user').on(t.userId),
  ],
)

/** Keys that sign access tokens; private halves are sealed with AUTH_SECRET. */
export const authKeys = pgTable('auth_keys', {
  id: id(),
  publicKey: text('public_key').notNull(),
  privateKey: text('private_key').notNull(),
  alg: text('alg'),
  crv: text('crv'),
  createdAt: createdAt(),
  expiresAt: time('expires_at'),
})

/** Refresh tokens, hashed. Rotated ones are kept to detect their reuse. */
export const authRefreshTokens = pgTable(
  'auth_refresh_tokens',
  {
    id: id(),
    sessionId: partOf('session_id', () => authSessions.id),
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
    rotatedAt: time('rotated_at'),
    /** The token that this one replaced. */
    parentId: uuid('parent_id'),
    /** Set when a sibling of this token was used. */
    revokedAt: time('revoked_at'),
  },
  (t) => [index('auth_refresh_tokens_session').on(t.sessionId), index('auth_refresh_tokens_parent').on(t.parentId)],
)

/** One-time codes that complete a sign-in by redirect. They are hashed and valid once, for 60 seconds. */
export const authCodes = pgTable('auth_codes', {
  codeHash: text('code_hash').primaryKey(),
  userId: userId(),
  /** PKCE challenge (S256); null if none was given. */
  codeChallenge: text('code_challenge'),
  /** The single sign-on identity behind the sign-in; null: another way. */
  ssoIdentityId: uuid('sso_identity_id').references(() => authIdentities.id, { onDelete: 'cascade' }),
  expiresAt: time('expires_at').notNull(),
})

/** Ended sessions whose access tokens may still be valid. Kept for an hour. */
export const authRevocations = pgTable(
  'auth_revocations',
  { sessionId: uuid('session_id').primaryKey(), revokedAt: time('revoked_at').notNull().defaultNow() },
  (t) => [index('auth_revocations_at').on(t.revokedAt)],
)
