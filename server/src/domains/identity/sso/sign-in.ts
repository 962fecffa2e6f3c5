import { isDeepStrictEqual } from 'node:util'
import type { InputOf } from '@x-automated/contract/contract'
import type { SsoProblem } from '@x-automated/contract/identity/sso-problems'
import { and, eq, isNotNull, lt, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../../actor.ts'
import { secondsFromNow } from '../../../db/columns.ts'
import type { Db } from '../../../db/open.ts'
import { type ProviderClaims, ProviderDeclined, ProviderUnavailable } from '../../../outside/openid.ts'
import { finishSaml, openSamlResponse } from '../../../outside/saml.ts'
import type { Plans, SignUpContext } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { requireProof } from '../account/proof.ts'
import { deleteUnconfirmed, insertAccount, insertIdentity } from '../auth/accounts.ts'
import type { AuthContext } from '../auth/sessions.ts'
import { proveMailbox } from '../auth/sign-in.ts'
import { issueCode } from '../auth/sign-up.ts'
import { authIdentities, authSessions, authUsers } from '../auth/tables.ts'
import { issueLinkCode } from '../identities/identities.ts'
import { findOpenInvitation } from '../people/invitations.ts'
import { workspaceMembers } from '../workspaces/tables.ts'
import { findRole } from '../workspaces/workspaces.ts'
import { type Connection, openIdOf, type ProviderContext, samlOf, startProviderSignIn } from './engine.ts'
import { domainOf, openIdRequestOf, providerIdOf, serviceProviderOf } from './rules.ts'
import { ssoAssertions, ssoConnections, ssoDomains, ssoRequests } from './tables.ts'

const REQUEST_SECONDS = 10 * 60

type SignInContext = AuthContext & SignUpContext & ProviderContext & { log: FastifyBaseLogger; plans: Plans }
type Request = typeof ssoRequests.$inferSelect
type Identity = Pick<typeof authIdentities.$inferSelect, 'id' | 'userId'>

/** Why a sign-in was rejected. The page to which the browser returns explains it. */
class SsoRejected extends Error {
  readonly problem: SsoProblem
  constructor(problem: SsoProblem) {
    super(problem)
    this.problem = problem
  }
}

// Redirecting to the provider

/**
 * Starts a sign-in by email domain or workspace. The response is the same if neither has single
 * sign-on. @returns a URL on our origin that redirects to the provider @throws Refusal RATE_LIMITED
 */
export async function begin(context: SignInContext, input: InputOf<'sso', 'begin'>): Promise<{ url: string }> {
  const { db, limits, request } = context
  await limits.consume('authorizeByAddress', request)
  const { email, workspaceId, codeChallenge } = input
  const domain = input.domain ?? domainOf(email ?? '') ?? ''
  const isAsked = workspaceId ? eq(ssoDomains.workspaceId, workspaceId) : eq(ssoDomains.domain, domain)
  const [connection] = await db
    .select({ id: ssoConnections.id })
    .from(ssoDomains)
    .innerJoin(ssoConnections, eq(ssoConnections.workspaceId, ssoDomains.workspaceId))
    .where(and(isAsked, isNotNull(ssoDomains.verifiedAt)))
    .limit(1)
  return prepare(context, {
    connectionId: connection?.id ?? null,
    codeChallenge,
    loginHint: email ?? null,
    sessionId: null,
  })
}

/** Starts linking a workspace's single sign-on. */
export async function beginLink(
  context: SignInContext,
  actor: Actor,
  { workspaceId, codeChallenge }: InputOf<'sso', 'beginLink'>,
): Promise<{ url: string }> {
  const { db } = context
  const [connection] = await db
    .select({ id: ssoConnections.id, email: authUsers.email })
    .from(ssoConnections)
    .innerJoin(workspaceMembers, eq(workspaceMembers.workspaceId, ssoConnections.workspaceId))
    .innerJoin(authUsers, eq(authUsers.id, workspaceMembers.userId))
    .where(and(eq(ssoConnections.workspaceId, workspaceId), eq(workspaceMembers.userId, actor.userId)))
  if (!connection) throw new Refusal('SSO_CONNECTION_NOT_FOUND')
  await requireProof(context, actor)
  return prepare(context, {
    connectionId: connection.id,
    codeChallenge,
    loginHint: connection.email,
    sessionId: actor.sessionId,
  })
}

async function prepare(
  { db, origin }: SignInContext,
  row: Pick<Request, 'connectionId' | 'codeChallenge' | 'loginHint' | 'sessionId'>,
): Promise<{ url: string }> {
  const request = newToken()
  await db
    .insert(ssoRequests)
    .values({ ...row, requestHash: hashToken(request), step: 'leave', expiresAt: secondsFromNow(REQUEST_SECONDS) })
  return { url: `${origin}/api/auth/sso/leave?request=${request}` }
}

/** Redirects a browser to its provider, once. @returns the provider's URL, or ours with `error` */
export async function leave(context: SignInContext, requestToken: string): Promise<string> {
  const request = await take(context.db, 'leave', requestToken)
  return redirectOnError(context, request, async () => {
    if (!request) throw new SsoRejected('sso_failed')
    if (!request.connectionId) throw new SsoRejected('sso_not_set_up')
    const connection = await connectionBy(context.db, request.connectionId)
    const { request: providerRequest, url } = await startProviderSignIn(context, connection, request.loginHint)
    await context.db.insert(ssoRequests).values({
      ...request,
      requestHash: hashToken(providerRequest),
      step: 'return',
      expiresAt: secondsFromNow(REQUEST_SECONDS),
    })
    return url
  })
}

// Returning from the provider

/** Handles an OpenID callback. @returns a URL on our origin, with a one-time code or `error` */
export async function finishOpenIdSignIn(context: SignInContext, workspaceId: string, callback: URL): Promise<string> {
  const state = callback.searchParams.get('state') ?? ''
  const request = await take(context.db, 'return', state)
  return redirectOnError(context, request, async () => {
    const connection = await connectionFor(context.db, request, { workspaceId, kind: 'oidc' })
    // The registered redirect URI, regardless of the host in the request.
    const address = new URL(serviceProviderOf(context.origin, workspaceId).redirectUri)
    address.search = callback.search
    const claims = await openIdOf(context, connection).finish(address, openIdRequestOf(context.env.authSecret, state))
    return completeSignIn(context, { request, connection, claims })
  })
}

/** Handles a posted SAML response; ignores RelayState. @returns a URL on our origin, with a one-time code or `error` */
export async function finishSamlSignIn(context: SignInContext, workspaceId: string, encoded: string): Promise<string> {
  const response = openSamlResponse(encoded)
  const requestId = response?.requestId ?? ''
  const request = await take(context.db, 'return', requestId)
  return redirectOnError(context, request, async () => {
    const connection = await connectionFor(context.db, request, { workspaceId, kind: 'saml' })
    if (!response) throw new Error('the response is no readable SAML response')
    const { assertionId, expiresAt, ...claims } = await finishSaml(samlOf(context, connection), {
      ...response,
      requestId,
    })
    const [first] = await context.db
      .insert(ssoAssertions)
      .values({ assertionHash: hashToken(`${connection.id}\n${assertionId}`), expiresAt })
      .onConflictDoNothing()
      .returning()
    if (!first) throw new Error('the assertion was already used')
    return completeSignIn(context, { request, connection, claims })
  })
}

/** Redeems a request. @returns null if it is unknown, used or expired */
async function take(db: Db, step: Request['step'], token: string): Promise<Request | null> {
  const [row] = await db
    .delete(ssoRequests)
    .where(and(eq(ssoRequests.requestHash, hashToken(token)), eq(ssoRequests.step, step)))
    .returning()
  return row && row.expiresAt > new Date() ? row : null
}

/** The connection of a request. @throws Error: not pending, or the response arrived at another endpoint; SsoRejected */
async function connectionFor(
  db: Db,
  request: Request | null,
  { workspaceId, kind }: Pick<Connection, 'workspaceId' | 'kind'>,
): Promise<Connection> {
  if (!request?.connectionId) throw new Error('the response matches no pending request')
  const connection = await connectionBy(db, request.connectionId)
  if (connection.workspaceId !== workspaceId || connection.kind !== kind)
    throw new Error('the response arrived at the endpoint of another workspace')
  return connection
}

async function connectionBy(db: Db, id: string): Promise<Connection> {
  const [connection] = await db.select().from(ssoConnections).where(eq(ssoConnections.id, id))
  if (!connection) throw new SsoRejected('sso_not_set_up')
  return connection
}

interface ProviderResponse {
  request: Request | null
  connection: Connection
  claims: ProviderClaims
}

/** Completes a sign-in or link that the provider vouched for. @returns the page to open, with a one-time code */
async function completeSignIn(
  context: SignInContext,
  { request, connection, claims }: ProviderResponse,
): Promise<string> {
  const { codeChallenge = '', sessionId = null } = request ?? {}
  const code = await context.db.transaction(async (tx) => {
    // The provider may have been replaced since it vouched.
    const [present] = await tx.select().from(ssoConnections).where(eq(ssoConnections.id, connection.id)).for('share')
    if (!isDeepStrictEqual(present, connection)) throw new SsoRejected('sso_failed')
    const email = await requireProvedEmail(tx, connection, claims)
    if (sessionId === null) {
      const { userId, id } = await findMember({ ...context, db: tx }, { connection, claims, email })
      return issueCode(tx, userId, codeChallenge, id)
    }
    const [session] = await tx.select().from(authSessions).where(eq(authSessions.id, sessionId))
    const member = { workspaceId: connection.workspaceId, userId: session?.userId ?? '' }
    if (!session || !(await findRole(tx, member))) throw new SsoRejected('sso_not_member')
    const identity = { providerId: providerIdOf(connection.id), accountId: claims.subject, email }
    return issueLinkCode(tx, { ...identity, codeChallenge, sessionId })
  })
  const page = pageOf(context, request)
  page.searchParams.set('code', code)
  return page.href
}

/** The address that the provider vouches for. @throws SsoRejected: missing, unconfirmed, or not on a verified domain */
async function requireProvedEmail(
  tx: Db,
  { workspaceId }: Connection,
  { email, emailConfirmed }: ProviderClaims,
): Promise<string> {
  const domain = email ? domainOf(email) : null
  if (!email || !domain) throw new SsoRejected('sso_no_email')
  if (emailConfirmed === false) throw new SsoRejected('sso_unconfirmed_email')
  const isProved = and(
    eq(ssoDomains.workspaceId, workspaceId),
    eq(ssoDomains.domain, domain),
    isNotNull(ssoDomains.verifiedAt),
  )
  const [provedDomain] = await tx.select({ id: ssoDomains.id }).from(ssoDomains).where(isProved)
  if (!provedDomain) throw new SsoRejected('sso_domain')
  return email
}

/**
 * Finds the member linked to the provider's subject, or creates an account for an invited address.
 * Never matches accounts by address.
 * @param email on a verified domain
 * @throws SsoRejected
 */
async function findMember(
  context: SignInContext,
  { connection, claims, email }: { connection: Connection; claims: ProviderClaims; email: string },
): Promise<Identity> {
  const { db: tx } = context
  const isSubject = and(
    eq(authIdentities.providerId, providerIdOf(connection.id)),
    eq(authIdentities.accountId, claims.subject),
  )
  const [linked] = await tx
    .select({ id: authIdentities.id, userId: authIdentities.userId })
    .from(authIdentities)
    .where(isSubject)
  if (!linked) return acceptInvitation(context, { connection, claims, email })
  const role = await findRole(tx, { workspaceId: connection.workspaceId, userId: linked.userId })
  if (!role) throw new SsoRejected('sso_not_member')
  return linked
}

/**
 * Creates an invited person's account, linked to the provider. @throws SsoRejected: not invited, or
 * has an account
 */
async function acceptInvitation(
  context: SignInContext,
  { connection, claims, email }: { connection: Connection; claims: ProviderClaims; email: string },
): Promise<Identity> {
  const { db: tx } = context
  const invitation = await findOpenInvitation(context, { workspaceId: connection.workspaceId, email })
  if (!invitation) throw new SsoRejected('sso_not_linked')
  // An unconfirmed account does not own its address.
  await deleteUnconfirmed(tx, email)
  const user = await insertAccount(tx, { email, name: claims.name ?? email.slice(0, email.lastIndexOf('@')) })
  if (!user) throw new SsoRejected('sso_not_linked')
  await proveMailbox(context, user)
  const link = { providerId: providerIdOf(connection.id), accountId: claims.subject, email }
  const identity = await insertIdentity(tx, { userId: user.id, ...link })
  if (!identity) throw new SsoRejected('sso_not_linked')
  await invitation.enter(user.id)
  return identity
}

/** The page to return to, always on our own origin. */
function pageOf({ origin }: { origin: string }, request: Request | null): URL {
  return new URL(`${request?.sessionId ? '/account' : '/auth/callback'}?provider=sso`, origin)
}

async function redirectOnError(
  context: SignInContext,
  request: Request | null,
  go: () => Promise<string>,
): Promise<string> {
  try {
    return await go()
  } catch (error) {
    const which = problemOf(error)
    // Log causes that the user cannot fix. They contain no addresses or codes.
    if (which === 'sso_failed' || which === 'sso_unavailable')
      context.log.warn({ reason: reasonOf(error) }, 'single sign-on failed')
    const page = pageOf(context, request)
    page.searchParams.set('error', which)
    return page.href
  }
}

function problemOf(error: unknown): SsoProblem {
  if (error instanceof SsoRejected) return error.problem
  if (error instanceof ProviderUnavailable) return 'sso_unavailable'
  return error instanceof ProviderDeclined && error.cancelled ? 'sso_cancelled' : 'sso_failed'
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return error.cause instanceof Error ? `${error.message}: ${reasonOf(error.cause)}` : error.message
}

/** Deletes expired sign-ins and assertions. */
export async function purgeExpiredRequests(db: Db): Promise<void> {
  await db.delete(ssoRequests).where(lt(ssoRequests.expiresAt, sql`now()`))
  await db.delete(ssoAssertions).where(lt(ssoAssertions.expiresAt, sql`now()`))
}
