import type { InputOf } from '@x-automated/contract/contract'
import { and, eq, gt, isNotNull, ne, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { hashToken } from '../../../sealing.ts'
import { findChosenWorkspace, workspaceOf } from '../workspaces/workspaces.ts'
import { type AuthContext, endSessions, extendSession, openSession } from './sessions.ts'
import { authRefreshTokens, authSessions, authUsers } from './tables.ts'

/** Within this time, two tabs may use the same refresh token. */
const REFRESH_GRACE_SECONDS = 10

type RefreshToken = typeof authRefreshTokens.$inferSelect

/**
 * Exchanges a refresh token for a new pair of tokens. This can be repeated for some seconds, until
 * a successor is used. @throws Refusal UNAUTHORIZED: unknown, expired, or reused after rotation,
 * which ends the session
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

/** Whether a token may still be used: a rotated one only for some seconds, until one of its successors is used. */
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
