import type { InputOf } from '@x-automated/contract/contract'
import { DAY_MS } from '@x-automated/contract/time'
import { and, eq, inArray, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import type { ClientHashes, Limits } from '../../../requests/limits.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { deleteTickets } from '../second-factors/tickets.ts'
import { ssoConnections } from '../sso/tables.ts'
import { extensionCodes } from '../workspaces/tables.ts'
import { chooseWorkspace, type VersionedMembership, workspaceOf } from '../workspaces/workspaces.ts'
import { ACCESS_TOKEN_SECONDS, SESSION_DAYS } from './engine.ts'
import { deletePairingCodes } from './pairing-codes.ts'
import { purgeSignUps } from './sign-up.ts'
import { authCodes, authIdentities, authRefreshTokens, authRevocations, authSessions } from './tables.ts'
import type { Auth } from './tokens.ts'

/** The client of a request. */
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

/**
 * Allows sensitive changes in this session for a while, after the user has proved their identity to
 * us. A session from single sign-on is then no longer limited to its workspace. @returns the time
 * of the proof
 */
export async function trustSession(db: Db, sessionId: string): Promise<Date> {
  const now = new Date()
  await db
    .update(authSessions)
    .set({ reauthenticatedAt: now, ssoIdentityId: null })
    .where(eq(authSessions.id, sessionId))
  return now
}

/**
 * Whether the session came from single sign-on and has not been reauthenticated since. @throws
 * Refusal UNAUTHORIZED: ended
 */
export async function isSsoSession(db: Db, { sessionId }: Pick<Actor, 'sessionId'>): Promise<boolean> {
  const [session] = await db
    .select({ ssoIdentityId: authSessions.ssoIdentityId })
    .from(authSessions)
    .where(eq(authSessions.id, sessionId))
  if (!session) throw new Refusal('UNAUTHORIZED')
  return session.ssoIdentityId !== null
}

/**
 * Rejects account changes from single sign-on, which vouches for a person in one workspace only.
 * @throws Refusal REAUTHENTICATION_NEEDED
 */
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

/** SQL condition: an identity came from a single sign-on connection, whose id is part of `providerId`. */
export const isOfConnection = sql`${authIdentities.providerId} = 'sso:' || ${ssoConnections.id}`

async function findSsoWorkspace(tx: Db, identityId: string): Promise<string | null> {
  const [connection] = await tx
    .select({ workspaceId: ssoConnections.workspaceId })
    .from(authIdentities)
    .innerJoin(ssoConnections, isOfConnection)
    .where(eq(authIdentities.id, identityId))
  return connection?.workspaceId ?? null
}

/** Creates a session without tokens. @param ssoIdentityId as in signInAs @returns the session's id */
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

/** Gives a session its next pair of tokens. @param parentId the refresh token that the new one replaces */
export async function openSession(
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
  // Locked, so that no session can be created from them in the meantime.
  const rows = await tx.select({ id: authIdentities.id }).from(authIdentities).where(which).for('update')
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return
  await endSessions(tx, auth, inArray(authSessions.ssoIdentityId, ids))
  await tx.delete(authIdentities).where(inArray(authIdentities.id, ids))
}

/** Ends sessions and revokes their access tokens. @returns how many were ended */
export async function endSessions(tx: Db, auth: Auth, which: SQL | undefined): Promise<number> {
  const ended = await tx.delete(authSessions).where(which).returning({ id: authSessions.id })
  const ids = ended.map(({ id }) => id)
  await auth.revoke(tx, ids)
  return ids.length
}

function sessionExpiry(): Date {
  return new Date(Date.now() + SESSION_DAYS * DAY_MS)
}
