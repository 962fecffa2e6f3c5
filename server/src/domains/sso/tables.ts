import { sql } from 'drizzle-orm'
import { check, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time, updatedAt } from '../../db/columns.ts'
import { authSessions, authUsers } from '../auth/tables.ts'
import { workspaces } from '../workspaces/tables.ts'

/** The identity provider of a workspace, one at most. People who are linked to it have an identity of the provider `sso:<id>`. */
export const ssoConnections = pgTable(
  'sso_connections',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .unique()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    kind: text('kind', { enum: ['oidc', 'saml'] }).notNull(),
    /** What the provider calls itself: OpenID Connect's issuer, SAML's entity id. Subjects are unique within it. */
    issuer: text('issuer').notNull(),
    clientId: text('client_id'),
    sealedClientSecret: text('sealed_client_secret'),
    scopes: text('scopes'),
    ssoUrl: text('sso_url'),
    /** PEM texts; any of them may sign. */
    certificates: text('certificates').array(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  () => [
    check(
      'sso_connections_whole',
      sql`(kind = 'oidc' and client_id is not null and sealed_client_secret is not null and scopes is not null)
        or (kind = 'saml' and sso_url is not null and cardinality(certificates) > 0)`,
    ),
  ],
)

/** Domains of mail that a workspace says are its own, and since when DNS has proved it. */
export const ssoDomains = pgTable(
  'sso_domains',
  {
    id: id(),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    /** In lower case and ASCII (punycode). */
    domain: text('domain').notNull(),
    /** What the TXT record must say. */
    token: text('token').notNull(),
    verifiedAt: time('verified_at'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('sso_domains_of_workspace').on(t.workspaceId, t.domain),
    // Anybody may claim a domain; only one can have proved it.
    uniqueIndex('sso_domains_proved').on(t.domain).where(sql`verified_at is not null`),
  ],
)

/** Sign-ins under way: 10 minutes, single use, hashed. What goes with one (nonce, verifier) is derived from it and the secret. */
export const ssoRequests = pgTable(
  'sso_requests',
  {
    requestHash: text('request_hash').primaryKey(),
    /** `leave`: the browser has yet to go to the provider; `return`: it has yet to come back, and brings the request with it. */
    step: text('step', { enum: ['leave', 'return'] }).notNull(),
    /** Null where nobody has proved the domain that was asked for: that is told only once the browser has left. */
    connectionId: uuid('connection_id').references(() => ssoConnections.id, { onDelete: 'cascade' }),
    /** S256 of the verifier that the browser keeps. */
    codeChallenge: text('code_challenge').notNull(),
    /** The address that was typed, for the provider's form. */
    loginHint: text('login_hint'),
    /** The session that links an identity; null for signing in. */
    sessionId: uuid('session_id').references(() => authSessions.id, { onDelete: 'cascade' }),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [index('sso_requests_connection').on(t.connectionId)],
)

/** Assertions of SAML that were used, until they expire: none works twice. */
export const ssoAssertions = pgTable('sso_assertions', {
  assertionHash: text('assertion_hash').primaryKey(),
  expiresAt: time('expires_at').notNull(),
})
