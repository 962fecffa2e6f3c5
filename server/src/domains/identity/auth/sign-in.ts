import { createHash, timingSafeEqual } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { and, eq, gt, isNotNull, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { hashPassword, verifyPassword } from '../../../passwords.ts'
import type { SignUpContext } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import type { Limits } from '../../../requests/limits.ts'
import { hashToken } from '../../../sealing.ts'
import { authFactors, authRecoveryCodes } from '../second-factors/tables.ts'
import { createTicket, deleteFactors } from '../second-factors/tickets.ts'
import { ensurePersonalWorkspace } from '../workspaces/workspaces.ts'
import { changeAccount } from './accounts.ts'
import { type AuthContext, endOtherSessions, signInAs } from './sessions.ts'
import { rejectUnconfirmed } from './sign-up.ts'
import { authCodes, authIdentities, authSessions, authUsers, type SignUpReferral } from './tables.ts'
import type { Auth } from './tokens.ts'

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

/**
 * Completes the first step of a sign-in. @returns a session, or a ticket for the second factor
 * @throws Refusal INVALID_CODE: the user is no longer a member of the single sign-on's workspace
 */
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
 * Confirms an account once its mailbox is proved, unless it was already confirmed. Removes
 * password, second factors and sessions from before the proof, because they may be an attacker's.
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

/** Whether the account has a session from this address. Known and unknown addresses have separate limits. */
export async function isKnownAddress(db: Db, email: string, address: string): Promise<boolean> {
  const [session] = await db
    .select({ id: authSessions.id })
    .from(authSessions)
    .innerJoin(authUsers, eq(authUsers.id, authSessions.userId))
    .where(and(eq(authUsers.email, email), eq(authSessions.ipAddress, address), gt(authSessions.expiresAt, sql`now()`)))
    .limit(1)
  return session !== undefined
}

/** Resets the sign-in limit of an account once its mailbox is proved. */
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
 * Whether a verifier matches a PKCE challenge: the base64url of its SHA-256 (RFC 7636, section
 * 4.6). Null matches any.
 */
export function matchesChallenge(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null) return true
  const actual = createHash('sha256')
    .update(verifier ?? '')
    .digest()
  const wanted = Buffer.from(challenge, 'base64url')
  return actual.length === wanted.length && timingSafeEqual(actual, wanted)
}
