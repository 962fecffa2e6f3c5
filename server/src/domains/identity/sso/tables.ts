import { sql } from 'drizzle-orm'
import { check, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time, updatedAt } from '../../../db/columns.ts'
import { authSessions, authUsers } from '../auth/tables.ts'
import { workspaceId, workspaces } from '../workspaces/tables.ts'

/** The identity provider of a workspace, which has at most one. Its identities have the provider `sso:<id>`. */
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
    /** OpenID Connect's issuer or SAML's entity id. Subjects are unique within it. */
    issuer: text('issuer').notNull(),
    clientId: text('client_id'),
    sealedClientSecret: text('sealed_client_secret'),
    scopes: text('scopes'),
    ssoUrl: text('sso_url'),
    /** In PEM. Responses may be signed with any of them. */
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

/** Email domains that a workspace claims, and when each was verified by DNS. */
export const ssoDomains = pgTable(
  'sso_domains',
  {
    id: id(),
    workspaceId: workspaceId(),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    /** Lowercase, in ASCII (punycode). */
    domain: text('domain').notNull(),
    /** The value that the TXT record must contain. */
    token: text('token').notNull(),
    verifiedAt: time('verified_at'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('sso_domains_of_workspace').on(t.workspaceId, t.domain),
    // Anyone can claim a domain, but only one workspace can have it verified.
    uniqueIndex('sso_domains_proved').on(t.domain).where(sql`verified_at is not null`),
  ],
)

/** Pending sign-ins. They are hashed and valid once, for 10 minutes. Nonce and verifier are derived from the token. */
export const ssoRequests = pgTable(
  'sso_requests',
  {
    requestHash: text('request_hash').primaryKey(),
    /** `leave`: waits for the redirect to the provider. `return`: waits for the browser to come back. */
    step: text('step', { enum: ['leave', 'return'] }).notNull(),
    /** Null if no workspace has verified the requested domain. This is revealed only after the redirect. */
    connectionId: uuid('connection_id').references(() => ssoConnections.id, { onDelete: 'cascade' }),
    /** PKCE challenge (S256); the browser keeps the verifier. */
    codeChallenge: text('code_challenge').notNull(),
    /** The address that the user entered, to prefill the provider's form. */
    loginHint: text('login_hint'),
    /** The session that links an identity; null for a sign-in. */
    sessionId: uuid('session_id').references(() => authSessions.id, { onDelete: 'cascade' }),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [index('sso_requests_connection').on(t.connectionId)],
)

/** Used SAML assertions, stored until they expire so that none works twice. */
export const ssoAssertions = pgTable('sso_assertions', {
  assertionHash: text('assertion_hash').primaryKey(),
  expiresAt: time('expires_at').notNull(),
})
