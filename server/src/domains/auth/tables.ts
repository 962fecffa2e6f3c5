import { sql } from 'drizzle-orm'
import { boolean, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time, updatedAt } from '../../db/columns.ts'

/** Accounts of people. (The specification's table `users` holds the waitlist's members.) */
export const authUsers = pgTable('auth_users', {
  id: id(),
  name: text('name').notNull(),
  email: text('email').notNull().unique(),
  emailVerified: boolean('email_verified').notNull().default(false),
  image: text('image'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** One row a sign-in. `token` is better-auth's own session token, stored hashed; it never leaves the server. */
export const authSessions = pgTable(
  'auth_sessions',
  {
    id: id(),
    userId: uuid('user_id')
      .notNull()
      .references(() => authUsers.id, { onDelete: 'cascade' }),
    token: text('token').notNull().unique(),
    expiresAt: time('expires_at').notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    /** When its user last proved who they are, for sensitive changes. */
    reauthenticatedAt: time('reauthenticated_at'),
    /** The single sign-on that the session came from: it works in that workspace only and ends with the link. */
    ssoIdentityId: uuid('sso_identity_id').references(() => authIdentities.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    index('auth_sessions_user').on(t.userId),
    index('auth_sessions_sso').on(t.ssoIdentityId).where(sql`sso_identity_id is not null`),
  ],
)

/** Sign-ups whose mailed link nobody has opened yet: there is no account before. Several of one address stand side by side. */
export const authSignUps = pgTable(
  'auth_sign_ups',
  {
    id: uuid('id').primaryKey(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    password: text('password').notNull(),
    /** Of the cookie of the browser that signed up; null if unknown. */
    browserHash: text('browser_hash'),
    /** S256 of the verifier that must come with the one-time code of the confirmation. */
    codeChallenge: text('code_challenge'),
    /** Who is credited once it is confirmed. */
    referral: jsonb('referral').$type<SignUpReferral>(),
    createdAt: createdAt(),
    /** The end of its link; each time that it is mailed again it lasts longer. */
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [index('auth_sign_ups_email').on(t.email, t.createdAt), index('auth_sign_ups_age').on(t.expiresAt)],
)

/** A referral code that came with a sign-up, and from where. */
export interface SignUpReferral {
  referralCode: string
  addressHash: string
  rangeHash: string
  country: string | null
}

/** A way to sign in: `credential` (a hashed password) or an outside identity. */
export const authIdentities = pgTable(
  'auth_identities',
  {
    id: id(),
    userId: uuid('user_id')
      .notNull()
      .references(() => authUsers.id, { onDelete: 'cascade' }),
    providerId: text('provider_id').notNull(),
    accountId: text('account_id').notNull(),
    /** Of an outside identity, when it was linked. */
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

export const authVerifications = pgTable(
  'auth_verifications',
  {
    id: id(),
    identifier: text('identifier').notNull(),
    value: text('value').notNull(),
    expiresAt: time('expires_at').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [index('auth_verifications_identifier').on(t.identifier)],
)

/** Keys that access tokens are signed with; private halves are encrypted by AUTH_SECRET. */
export const authKeys = pgTable('auth_keys', {
  id: id(),
  publicKey: text('public_key').notNull(),
  privateKey: text('private_key').notNull(),
  alg: text('alg'),
  crv: text('crv'),
  createdAt: createdAt(),
  expiresAt: time('expires_at'),
})

/** Refresh tokens, hashed. A rotated one stays until its session ends, so that using it again is noticed. */
export const authRefreshTokens = pgTable(
  'auth_refresh_tokens',
  {
    id: id(),
    sessionId: uuid('session_id')
      .notNull()
      .references(() => authSessions.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
    rotatedAt: time('rotated_at'),
    /** The token that it was traded for. */
    parentId: uuid('parent_id'),
    /** When another successor of its parent was used. */
    revokedAt: time('revoked_at'),
  },
  (t) => [index('auth_refresh_tokens_session').on(t.sessionId), index('auth_refresh_tokens_parent').on(t.parentId)],
)

/** One-time codes that end a sign-in by redirect: 60 seconds, single use, hashed. */
export const authCodes = pgTable('auth_codes', {
  codeHash: text('code_hash').primaryKey(),
  userId: uuid('user_id')
    .notNull()
    .references(() => authUsers.id, { onDelete: 'cascade' }),
  /** S256 of the verifier that must come with the code; null where none was asked for. */
  codeChallenge: text('code_challenge'),
  /** As in the session that the code becomes. */
  ssoIdentityId: uuid('sso_identity_id').references(() => authIdentities.id, { onDelete: 'cascade' }),
  expiresAt: time('expires_at').notNull(),
})

/** Sessions ended before their access tokens expire: every process reads these within 30 s. Kept for an hour. */
export const authRevocations = pgTable(
  'auth_revocations',
  { sessionId: uuid('session_id').primaryKey(), revokedAt: time('revoked_at').notNull().defaultNow() },
  (t) => [index('auth_revocations_at').on(t.revokedAt)],
)
