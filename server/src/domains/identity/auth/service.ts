import { createHash, timingSafeEqual } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import type { SwitchProof } from '@x-automated/contract/identity/people'
import type { Role } from '@x-automated/contract/route'
import { DAY_MS } from '@x-automated/contract/time'
import { and, eq, exists, gt, inArray, isNotNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { hashPassword, verifyPassword } from '../../../passwords.ts'
import type { SignUpContext } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import type { ClientHashes, Limits } from '../../../requests/limits.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { authFactors, authRecoveryCodes } from '../second-factors/tables.ts'
import { createTicket, deleteFactors, deleteTickets } from '../second-factors/tickets.ts'
import { ssoConnections, ssoDomains } from '../sso/tables.ts'
import {
  chooseWorkspace,
  ensurePersonalWorkspace,
  findChosenWorkspace,
  listWorkspaces,
  type VersionedMembership,
  workspaceOf,
} from '../workspaces/service.ts'
import { extensionCodes } from '../workspaces/tables.ts'
import { changeAccount } from './accounts.ts'
import { ACCESS_TOKEN_SECONDS, SESSION_DAYS } from './engine.ts'
import { deletePairingCodes } from './pairing-codes.ts'
import { purgeSignUps, rejectUnconfirmed } from './sign-up.ts'
import {
  authCodes,
  authIdentities,
  authRefreshTokens,
  authRevocations,
  authSessions,
  authUsers,
  type SignUpReferral,
} from './tables.ts'
import type { Auth } from './tokens.ts'

/** Within this time, two tabs may use the same refresh token. */
const REFRESH_GRACE_SECONDS = 10

type RefreshToken = typeof authRefreshTokens.$inferSelect

/** The actor of an `Authorization: Bearer` header. @throws Refusal UNAUTHORIZED */
export async function authenticate({ auth }: { auth: Auth }, authorization: string | null): Promise<Actor> {
  const token = authorization?.match(/^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i)?.[1]
  const actor = token ? await auth.verify(token) : null
  if (!actor) throw new Refusal('UNAUTHORIZED', auth.knowsKeys() ? undefined : 'JWKS is empty')
  return actor
}

/** Like `authenticate`, for operators only. @throws Refusal NOT_FOUND for everyone else */
export async function authenticateOperator(
  context: { db: Db; auth: Auth; env: { operators: string[] } },
  authorization: string | null,
): Promise<Actor> {
  const actor = await authenticate(context, authorization).catch((error: unknown) => {
    if (error instanceof Refusal) return null
    throw error
  })
  if (!actor || !(await isOperator(context.db, context.env, actor))) throw new Refusal('NOT_FOUND')
  return actor
}

/** Where a request comes from. */
export interface Client extends ClientHashes {
  address: string
  userAgent: string | null
}
export interface AuthContext {
  db: Db
  auth: Auth
  limits: Limits
  request: Client
}

/** Signs in with a password. Emails an unconfirmed address its link again. */
export async function signIn(
  context: AuthContext & Parameters<typeof rejectUnconfirmed>[0],
  input: InputOf<'auth', 'signInEmail'>,
) {
  const { db, limits, request } = context
  const account = hashToken(`${input.email}\n${request.addressHash}`)
  // Count the attempt before the check, so that parallel guesses count too. It is refunded if the
  // password is right.
  await limits.consume('signInByAddress', request)
  await limits.consume('signInByAccountAndAddress', account)
  const isKnown = await isKnownAddress(db, input.email, request.address)
  if (!isKnown) await limits.consume('signInByAccount', hashToken(input.email))
  const isAccount = and(eq(authUsers.email, input.email), eq(authUsers.emailVerified, true))
  const [existing] = await db.select({ id: authUsers.id }).from(authUsers).where(isAccount)
  if (!existing) return rejectUnconfirmed(context, input)
  const isPassword = and(eq(authIdentities.userId, existing.id), eq(authIdentities.providerId, 'credential'))
  const [credential] = await db.select({ hash: authIdentities.password }).from(authIdentities).where(isPassword)
  const hash = credential?.hash
  // This is slow by design. It runs outside any transaction, so that it does not occupy a pool connection.
  const isRight = await (hash ? verifyPassword(hash, input.password) : hashPassword(input.password).then(() => false))
  if (!hash || !isRight) throw new Refusal('INVALID_CREDENTIALS')
  const session = await db.transaction(async (tx) => {
    // Locked, so that a concurrent password or address change either rejects this sign-in or ends
    // its session.
    const [user] = await tx
      .select()
      .from(authUsers)
      .where(and(eq(authUsers.id, existing.id), isAccount))
      .for('key share')
    const isSame = and(isPassword, eq(authIdentities.password, hash))
    const [same] = await tx.select({ id: authIdentities.id }).from(authIdentities).where(isSame).for('share')
    if (!user || !same) throw new Refusal('INVALID_CREDENTIALS')
    return finishSignIn(tx, context, user)
  })
  await limits.refund('signInByAddress', request)
  if (!isKnown) await limits.refund('signInByAccount', hashToken(input.email))
  await limits.reset('signInByAccountAndAddress', account)
  return session
}

/** Completes the first step: a session, or a ticket for the second factor. @throws as signInAs */
export async function finishSignIn(
  tx: Db,
  context: Pick<AuthContext, 'auth' | 'request'>,
  user: { id: string; email: string; name: string },
  ssoIdentityId: string | null = null,
) {
  return (await requestSecondFactor(tx, user.id, ssoIdentityId)) ?? signInAs(tx, context, user, ssoIdentityId)
}

/** @returns null if the account has no second factor */
async function requestSecondFactor(tx: Db, userId: string, ssoIdentityId: string | null = null) {
  const isOwn = and(eq(authFactors.userId, userId), isNotNull(authFactors.confirmedAt))
  const kinds = await tx.selectDistinct({ kind: authFactors.kind }).from(authFactors).where(isOwn)
  if (kinds.length === 0) return null
  const recoveryCodes = await tx.$count(authRecoveryCodes, eq(authRecoveryCodes.userId, userId))
  const ticket = await createTicket(tx, { userId, ssoIdentityId })
  const secondFactor = [...kinds.map(({ kind }) => kind), ...(recoveryCodes > 0 ? (['recovery'] as const) : [])]
  return { secondFactor, ticket }
}

/**
 * Allows sensitive changes in this session for a while. The account itself proved who it is, so a
 * session from single sign-on is no longer limited to its workspace. @returns the time of the proof
 */
export async function trustSession(db: Db, sessionId: string): Promise<Date> {
  const now = new Date()
  await db
    .update(authSessions)
    .set({ reauthenticatedAt: now, ssoIdentityId: null })
    .where(eq(authSessions.id, sessionId))
  return now
}

/** Whether the session came from single sign-on and has not been proved since. @throws Refusal UNAUTHORIZED: ended */
export async function isSsoSession(db: Db, { sessionId }: Pick<Actor, 'sessionId'>): Promise<boolean> {
  const [session] = await db
    .select({ ssoIdentityId: authSessions.ssoIdentityId })
    .from(authSessions)
    .where(eq(authSessions.id, sessionId))
  if (!session) throw new Refusal('UNAUTHORIZED')
  return session.ssoIdentityId !== null
}

/** Whether a person still has at least the same role in the workspace, in a session that has not ended. */
export async function stillHasRole(db: Db, { workspaceId, userId, sessionId, role }: Actor): Promise<boolean> {
  const { rows } = await db.execute<{ role: Role }>(sql`
    select role from workspace_members where workspace_id = ${workspaceId} and user_id = ${userId}
      and not exists (select from auth_revocations where session_id = ${sessionId})`)
  return rows.some((row) => roleAllows(row.role, role))
}

/** Guards changes of the account: single sign-on vouches for a person in one workspace only. */
export async function requireAccountSession(db: Db, actor: Pick<Actor, 'sessionId'>): Promise<void> {
  if (await isSsoSession(db, actor)) throw new Refusal('REAUTHENTICATION_NEEDED')
}

/**
 * Starts a session for a verified user. @param ssoIdentityId the single sign-on, which vouches for
 * them in its workspace only @throws Refusal INVALID_CODE: the user is no longer a member of that
 * workspace
 */
export async function signInAs(
  tx: Db,
  { auth, request }: Pick<AuthContext, 'auth' | 'request'>,
  user: { id: string; email: string; name: string },
  ssoIdentityId: string | null = null,
) {
  const sessionId = await beginSession(tx, request, user.id, ssoIdentityId)
  if (ssoIdentityId !== null) {
    const workspaceId = await findSsoWorkspace(tx, ssoIdentityId)
    if (!workspaceId || !(await chooseWorkspace(tx, { sessionId, userId: user.id, workspaceId })))
      throw new Refusal('INVALID_CODE')
  }
  return openSession(tx, auth, { sessionId, user, workspace: await workspaceOf(tx, { sessionId, user }) })
}

/** The provider of a single sign-on identity names its connection. */
const isOfConnection = sql`${authIdentities.providerId} = 'sso:' || ${ssoConnections.id}`

async function findSsoWorkspace(tx: Db, identityId: string): Promise<string | null> {
  const [connection] = await tx
    .select({ workspaceId: ssoConnections.workspaceId })
    .from(authIdentities)
    .innerJoin(ssoConnections, isOfConnection)
    .where(eq(authIdentities.id, identityId))
  return connection?.workspaceId ?? null
}

/** Creates a session without tokens. @param ssoIdentityId as in signInAs @returns its id */
export async function beginSession(
  tx: Db,
  request: Client,
  userId: string,
  ssoIdentityId: string | null = null,
): Promise<string> {
  const row = {
    userId,
    ssoIdentityId,
    token: hashToken(newToken()),
    expiresAt: sessionExpiry(),
    ipAddress: request.address,
    userAgent: request.userAgent,
  }
  return one(await tx.insert(authSessions).values(row).returning({ id: authSessions.id })).id
}

/** Extends a session that was just used to its full lifetime. */
export async function extendSession(db: Db, sessionId: string, request: Client): Promise<void> {
  await db
    .update(authSessions)
    .set({ expiresAt: sessionExpiry(), updatedAt: new Date(), ipAddress: request.address })
    .where(eq(authSessions.id, sessionId))
}

/**
 * Confirms an account once its mailbox is proved, unless it already was. Removes password, second
 * factors and sessions from before the proof, because they may be an attacker's.
 */
export async function proveMailbox(
  context: SignUpContext & { db: Db; auth: Auth },
  user: { id: string; name: string; emailVerified: boolean },
  referral: SignUpReferral | null = null,
): Promise<void> {
  if (user.emailVerified) return
  const { db, auth } = context
  await db.delete(authIdentities).where(eq(authIdentities.userId, user.id))
  await deleteFactors(db, user.id)
  await endOtherSessions(db, auth, { userId: user.id, except: null })
  await changeAccount(db, user.id, { emailVerified: true })
  await ensurePersonalWorkspace(db, user)
  await context.waitlist.joinOnSignUp(context, user.id, referral)
}

/** Whether the account has a session from this address; such callers skip the limits on guesses. */
export async function isKnownAddress(db: Db, email: string, address: string): Promise<boolean> {
  const [session] = await db
    .select({ id: authSessions.id })
    .from(authSessions)
    .innerJoin(authUsers, eq(authUsers.id, authSessions.userId))
    .where(and(eq(authUsers.email, email), eq(authSessions.ipAddress, address), gt(authSessions.expiresAt, sql`now()`)))
    .limit(1)
  return session !== undefined
}

/** Resets the sign-in limit of an account whose owner has proved their mailbox. */
export async function resetSignInAttempts(limits: Limits, email: string): Promise<void> {
  await limits.reset('signInByAccount', hashToken(email))
}

/** Redeems a one-time code for a session. */
export async function exchangeCode({ db, auth, request }: AuthContext, input: InputOf<'auth', 'exchange'>) {
  return db
    .transaction(async (tx) => {
      const [code] = await tx
        .delete(authCodes)
        .where(eq(authCodes.codeHash, hashToken(input.code)))
        .returning()
      if (!code || code.expiresAt < new Date()) return null
      if (code.codeChallenge && !input.codeVerifier) return 'no verifier' as const
      if (!matchesChallenge(code.codeChallenge, input.codeVerifier)) return null
      const [user] = await tx.select().from(authUsers).where(eq(authUsers.id, code.userId))
      if (!user) return null
      return finishSignIn(tx, { auth, request }, user, code.ssoIdentityId)
    })
    .then((session) => {
      // Thrown after the commit, so that a wrong verifier uses up the code too.
      if (!session) throw new Refusal('INVALID_CODE')
      if (session === 'no verifier') throw new Refusal('INVALID_CODE', 'Not a valid PKCE flow url.')
      return session
    })
}

/**
 * Exchanges a refresh token for a new pair of tokens. This can be repeated until a successor is
 * used. @throws Refusal UNAUTHORIZED: unknown, expired, or reused after rotation, which ends the
 * session
 */
export async function refresh({ db, auth, request }: AuthContext, { refreshToken }: InputOf<'auth', 'refresh'>) {
  const tokenHash = hashToken(refreshToken)
  const pair = await db.transaction(async (tx) => {
    // Lock the session first, so that successors used in parallel wait for each other.
    const [session] = await tx
      .select({ id: authSessions.id, userId: authSessions.userId, ssoIdentityId: authSessions.ssoIdentityId })
      .from(authRefreshTokens)
      .innerJoin(authSessions, eq(authSessions.id, authRefreshTokens.sessionId))
      .where(and(eq(authRefreshTokens.tokenHash, tokenHash), gt(authSessions.expiresAt, sql`now()`)))
      .for('update', { of: authSessions })
    if (!session) return null
    const [token] = await tx.select().from(authRefreshTokens).where(eq(authRefreshTokens.tokenHash, tokenHash))
    const [user] = await tx.select().from(authUsers).where(eq(authUsers.id, session.userId))
    if (!token || !user || token.expiresAt < new Date()) return null
    if (token.revokedAt || (token.rotatedAt && !(await isInGrace(tx, token)))) {
      await endSessions(tx, auth, eq(authSessions.id, session.id))
      return null
    }
    // A session from single sign-on has no other workspace to fall back to.
    const workspace = session.ssoIdentityId
      ? await findChosenWorkspace(tx, session.id)
      : await workspaceOf(tx, { sessionId: session.id, user })
    if (!workspace) {
      await endSessions(tx, auth, eq(authSessions.id, session.id))
      return null
    }
    if (!token.rotatedAt) await useRefreshToken(tx, token)
    await extendSession(tx, session.id, request)
    return openSession(tx, auth, { sessionId: session.id, user, workspace, parentId: token.id })
  })
  if (!pair) throw new Refusal('UNAUTHORIZED')
  return pair
}

/** A token may be reused for some seconds, until one of its successors is used. */
async function isInGrace(tx: Db, { id, rotatedAt }: RefreshToken): Promise<boolean> {
  if (!rotatedAt || Date.now() - rotatedAt.getTime() > REFRESH_GRACE_SECONDS * 1000) return false
  const isUsed = and(eq(authRefreshTokens.parentId, id), isNotNull(authRefreshTokens.rotatedAt))
  return (await tx.$count(authRefreshTokens, isUsed)) === 0
}

/** Marks a token as rotated and revokes its siblings. */
async function useRefreshToken(tx: Db, { id, parentId }: RefreshToken): Promise<void> {
  const now = new Date()
  await tx.update(authRefreshTokens).set({ rotatedAt: now }).where(eq(authRefreshTokens.id, id))
  if (parentId === null) return
  const isSibling = and(eq(authRefreshTokens.parentId, parentId), ne(authRefreshTokens.id, id))
  await tx.update(authRefreshTokens).set({ revokedAt: now }).where(isSibling)
}

/** Signs out of this session, of all others, or of all. A session from single sign-on can only end itself. */
export async function signOut(
  { db, auth }: { db: Db; auth: Auth },
  actor: Actor,
  scope: InputOf<'auth', 'signOut'>['scope'],
) {
  const { userId, sessionId } = actor
  if (scope !== 'local') await requireAccountSession(db, actor)
  await db.transaction(async (tx) => {
    if (scope === 'local') await endSession(tx, auth, { userId, id: sessionId })
    else await endOtherSessions(tx, auth, { userId, except: scope === 'others' ? sessionId : null })
  })
  return { success: true as const }
}

/** Switches this session to another of the user's workspaces. */
export async function switchWorkspace(
  { db, auth }: { db: Db; auth: Auth },
  { userId, sessionId }: Actor,
  { workspaceId }: InputOf<'people', 'switch'>,
) {
  return db.transaction(async (tx) => {
    const [session] = await tx
      .select({ user: authUsers, ssoIdentityId: authSessions.ssoIdentityId })
      .from(authSessions)
      .innerJoin(authUsers, eq(authUsers.id, authSessions.userId))
      .where(and(eq(authSessions.id, sessionId), eq(authSessions.userId, userId)))
      // Locked until the tokens exist, so that the session's proof cannot change meanwhile.
      .for('update', { of: authSessions })
    if (!session) throw new Refusal('UNAUTHORIZED')
    const own = (await listWorkspaces(tx, userId)).find(({ id }) => id === workspaceId)
    if (!own) throw new Refusal('WORKSPACE_NOT_FOUND')
    if (session.ssoIdentityId)
      await requireSsoWorkspace(tx, { sessionId, userId, ssoIdentityId: session.ssoIdentityId }, own)
    if (!(await chooseWorkspace(tx, { sessionId, userId, workspaceId }))) throw new Refusal('WORKSPACE_NOT_FOUND')
    const workspace = await workspaceOf(tx, { sessionId, user: session.user })
    const { user, ...pair } = await openSession(tx, auth, { sessionId, user: session.user, workspace })
    return { ...pair, workspace }
  })
}

/** @throws Refusal REAUTHENTICATION_NEEDED: the session's single sign-on belongs to another workspace */
async function requireSsoWorkspace(
  tx: Db,
  { sessionId, userId, ssoIdentityId }: { sessionId: string; userId: string; ssoIdentityId: string },
  wanted: { id: string; name: string },
): Promise<void> {
  const present = await findChosenWorkspace(tx, sessionId)
  if (present?.id === wanted.id) return
  const select = () =>
    tx
      .select({ kind: ssoConnections.kind, issuer: ssoConnections.issuer })
      .from(authIdentities)
      .innerJoin(ssoConnections, isOfConnection)
  const isProved = tx
    .select({ one: sql`1` })
    .from(ssoDomains)
    .where(and(eq(ssoDomains.workspaceId, wanted.id), isNotNull(ssoDomains.verifiedAt)))
  const [from] = await select().where(eq(authIdentities.id, ssoIdentityId))
  const [to] = await select().where(
    and(eq(authIdentities.userId, userId), eq(ssoConnections.workspaceId, wanted.id), exists(isProved)),
  )
  const isSame = to !== undefined && to.kind === from?.kind && to.issuer === from.issuer
  const singleSignOn: SwitchProof['singleSignOn'] = to ? (isSame ? 'same' : 'another') : null
  throw new Refusal(
    'REAUTHENTICATION_NEEDED',
    `Single sign-on signed you in to ${present?.name ?? 'one workspace'} only. Confirm it's you to open ${wanted.name}.`,
    { details: { singleSignOn } satisfies SwitchProof },
  )
}

/** The signed-in user. @throws Refusal UNAUTHORIZED: the account no longer exists */
export async function findMe({ db, env }: { db: Db; env: { operators: string[] } }, actor: Actor) {
  const [user] = await db.select().from(authUsers).where(eq(authUsers.id, actor.userId))
  const workspaces = await listWorkspaces(db, actor.userId)
  const workspace = workspaces.find((w) => w.id === actor.workspaceId)
  if (!user || !workspace) throw new Refusal('UNAUTHORIZED')
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    createdAt: user.createdAt,
    workspace,
    workspaces,
    ...(operates(env, user) && !(await isSsoSession(db, actor)) ? { operator: true as const } : {}),
  }
}

/** Whether the verified address is in OPERATORS. Single sign-on does not count as proof. */
async function isOperator(db: Db, env: { operators: string[] }, actor: Actor): Promise<boolean> {
  if (env.operators.length === 0) return false
  const [session] = await db
    .select({ user: authUsers, ssoIdentityId: authSessions.ssoIdentityId })
    .from(authUsers)
    .innerJoin(authSessions, eq(authSessions.userId, authUsers.id))
    .where(and(eq(authUsers.id, actor.userId), eq(authSessions.id, actor.sessionId)))
  return session !== undefined && session.ssoIdentityId === null && operates(env, session.user)
}

function operates(env: { operators: string[] }, user: { email: string; emailVerified: boolean }): boolean {
  return user.emailVerified && env.operators.includes(user.email.toLowerCase())
}

/** Deletes expired sign-ups, codes, sessions and revocations. */
export async function purgeExpired(db: Db): Promise<void> {
  await purgeSignUps(db)
  await db.delete(authCodes).where(lt(authCodes.expiresAt, sql`now()`))
  await db.delete(authSessions).where(lt(authSessions.expiresAt, sql`now()`))
  // Rotated tokens are kept for a week to detect their reuse.
  await db
    .delete(authRefreshTokens)
    .where(
      or(
        lt(authRefreshTokens.expiresAt, sql`now()`),
        lt(authRefreshTokens.rotatedAt, sql`now() - interval '7 days'`),
        lt(authRefreshTokens.revokedAt, sql`now() - interval '7 days'`),
      ),
    )
  await db.delete(authRevocations).where(lt(authRevocations.revokedAt, sql`now() - interval '1 hour'`))
}

async function openSession(
  tx: Db,
  auth: Auth,
  {
    sessionId,
    user,
    workspace,
    parentId = null,
  }: {
    sessionId: string
    user: { id: string; email: string; name: string }
    workspace: VersionedMembership
    parentId?: string | null
  },
) {
  const refreshToken = newToken()
  await tx
    .insert(authRefreshTokens)
    .values({ sessionId, parentId, tokenHash: hashToken(refreshToken), expiresAt: sessionExpiry() })
  const issuedAt = Math.floor(Date.now() / 1000)
  const expiresAt = issuedAt + ACCESS_TOKEN_SECONDS
  const claims = {
    sub: user.id,
    sid: sessionId,
    wid: workspace.id,
    role: workspace.role,
    mv: workspace.version,
    jti: newToken(),
    iat: issuedAt,
    exp: expiresAt,
  }
  const token = await auth.sign(tx, claims)
  return { token, refreshToken, expiresAt: new Date(expiresAt * 1000), user: { id: user.id, email: user.email } }
}

/** Ends one session of a user. @returns whether it existed */
export async function endSession(tx: Db, auth: Auth, { userId, id }: { userId: string; id: string }): Promise<boolean> {
  return (await endSessions(tx, auth, and(eq(authSessions.id, id), eq(authSessions.userId, userId)))) > 0
}

/** Ends every session of a user. @param except a session to keep */
export async function endOtherSessions(
  tx: Db,
  auth: Auth,
  { userId, except }: { userId: string; except: string | null },
): Promise<void> {
  await endSessions(tx, auth, and(eq(authSessions.userId, userId), except ? ne(authSessions.id, except) : undefined))
}

/** Deletes identities, with their sessions, codes and tickets. @param which a condition on auth_identities */
export async function endIdentities(tx: Db, auth: Auth, which: SQL | undefined): Promise<void> {
  // Delete codes and tickets first: exchanges and pairings lock them before the identity.
  const ofThese = tx.select({ id: authIdentities.id }).from(authIdentities).where(which)
  await tx.delete(authCodes).where(inArray(authCodes.ssoIdentityId, ofThese))
  await deleteTickets(tx, ofThese)
  const theirSessions = tx
    .select({ id: authSessions.id })
    .from(authSessions)
    .where(inArray(authSessions.ssoIdentityId, ofThese))
  await deletePairingCodes(tx, inArray(extensionCodes.sessionId, theirSessions))
  // Locked, so that no session can be created from them meanwhile.
  const rows = await tx.select({ id: authIdentities.id }).from(authIdentities).where(which).for('update')
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return
  await endSessions(tx, auth, inArray(authSessions.ssoIdentityId, ids))
  await tx.delete(authIdentities).where(inArray(authIdentities.id, ids))
}

async function endSessions(tx: Db, auth: Auth, which: SQL | undefined): Promise<number> {
  const ended = await tx.delete(authSessions).where(which).returning({ id: authSessions.id })
  const ids = ended.map(({ id }) => id)
  await auth.revoke(tx, ids)
  return ids.length
}

function sessionExpiry(): Date {
  return new Date(Date.now() + SESSION_DAYS * DAY_MS)
}

/** PKCE (RFC 7636, section 4.6): the challenge is the base64url of the verifier's SHA-256. */
export function matchesChallenge(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null) return true
  const actual = createHash('sha256')
    .update(verifier ?? '')
    .digest()
  const wanted = Buffer.from(challenge, 'base64url')
  return actual.length === wanted.length && timingSafeEqual(actual, wanted)
}
