import type { InputOf } from '@x-automated/contract/contract'
import { and, eq, gt, lt, sql } from 'drizzle-orm'
import { secondsFromNow } from '../../../db/columns.ts'
import type { Db } from '../../../db/open.ts'
import { hashPassword } from '../../../passwords.ts'
import type { JobQueue, SignUpContext } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import { createSealer, hashToken, newToken, type Sealer } from '../../../sealing.ts'
import type { Services } from '../../../services.ts'
import { setPasswordHash } from '../auth/accounts.ts'
import { offerFactorRemoval } from '../auth/factor-removal.ts'
import { type AuthContext, endOtherSessions } from '../auth/sessions.ts'
import { finishSignIn, isKnownAddress, proveMailbox, resetSignInAttempts } from '../auth/sign-in.ts'
import { createAccountForMailbox, emailConfirmation, isWaiting, isWithin } from '../auth/sign-up.ts'
import { authUsers } from '../auth/tables.ts'
import { createCode, useCode } from './codes.ts'
import { codeEmail, passwordChangedEmail, resetPasswordEmail } from './emails.ts'
import { authEmailChanges, authMailCodes, authPasswordResets } from './tables.ts'

const RESET_SECONDS = 60 * 60

/** The context of requests about an account. */
export type Context = AuthContext & SignUpContext & { jobs: JobQueue }

// Emails that anyone can request. The request only enqueues a job, so that timing and response are
// the same for every address.

type AccountEmail =
  | { kind: 'recover'; email: string }
  | { kind: 'resend'; email: string }
  | { kind: 'code'; email: string; code: string }

/** Emails a link to set a new password, if the address has an account. */
export async function recover(context: Context, { email }: InputOf<'account', 'recover'>) {
  if (await mayEmail(context, 'recover', email)) await enqueueEmail(context, context.db, { kind: 'recover', email })
  return { success: true as const, message: 'Password reset email sent. Please check your inbox.' }
}

/** Emails the confirmation link again, if the address has a pending sign-up. */
export async function resend(context: Context, { email }: InputOf<'account', 'resend'>) {
  if (await mayEmail(context, 'resend', email)) await enqueueEmail(context, context.db, { kind: 'resend', email })
  return {
    success: true as const,
    message: 'If this address is waiting for confirmation, we have sent the link. Please check your inbox.',
  }
}

/** Emails a sign-in code, if the address has an account. @throws Refusal RATE_LIMITED */
export async function sendCode(context: Context, { email }: InputOf<'account', 'sendCode'>) {
  const isEmailed = await mayEmail(context, 'code', email)
  const ticket = await context.db.transaction(async (tx) => {
    const { ticket, code } = await createCode(tx, email, null)
    if (isEmailed) await enqueueEmail(context, tx, { kind: 'code', email, code })
    return ticket
  })
  return {
    success: true as const,
    message: 'If this address has an account, we have sent a code. Please check your inbox.',
    ticket,
  }
}

type EmailKind = AccountEmail['kind'] | 'reauthenticate' | 'change'

/**
 * Counts an email. @returns false if the recipient's limit is exceeded @throws Refusal if the
 * caller's limit is exceeded
 */
export async function mayEmail({ db, limits, request }: Context, kind: EmailKind, email: string): Promise<boolean> {
  await limits.consume('mailByAddress', request)
  await limits.consume('mailByRecipientAndAddress', hashToken(`${kind}\n${email}\n${request.addressHash}`))
  const isKnown = await isKnownAddress(db, email, request.address)
  return isWithin(limits, 'mailByRecipient', hashToken(`${kind}\n${email}${isKnown ? '\nknown' : ''}`))
}

async function enqueueEmail({ jobs, env }: Context, db: Db, mail: AccountEmail): Promise<void> {
  await jobs.enqueue(db, 'account-mail', { sealed: accountEmailSealer(env.authSecret).seal(JSON.stringify(mail)) })
}

/** Creates the sealer of queued emails, which may contain a code. */
function accountEmailSealer(secret: string): Sealer {
  return createSealer(secret, 'x-automated account mail')
}

type EmailServices = Pick<Services, 'env' | 'database' | 'auth' | 'jobs' | 'outbox' | 'limits' | 'origin'>

/** Starts the worker that sends requested emails, but only to addresses with an account or a pending sign-up. */
export async function workOnAccountEmails(services: EmailServices): Promise<void> {
  const { jobs, database, env } = services
  const sealer = accountEmailSealer(env.authSecret)
  await jobs.work('account-mail', 2, async ({ sealed }) => {
    const mail = JSON.parse(sealer.open(sealed)) as AccountEmail
    await sendAccountEmail({ ...services, db: database.db }, mail)
  })
}

async function sendAccountEmail(services: EmailServices & { db: Db }, mail: AccountEmail): Promise<void> {
  const { db, outbox, origin } = services
  const [user] = await db.select().from(authUsers).where(eq(authUsers.email, mail.email))
  // A pending sign-up has no account yet whose password could be reset, so its confirmation link is emailed instead.
  if (mail.kind === 'resend' || (mail.kind === 'recover' && !user)) return emailConfirmation(services, mail.email)
  await db.transaction(async (tx) => {
    if (mail.kind === 'code') {
      if (user || (await isWaiting(tx, mail.email)))
        await outbox.postAccount(tx, codeEmail(mail.email, mail.code, 'log in', `${origin}/login`))
      return
    }
    if (!user) return
    const token = newToken()
    await tx
      .insert(authPasswordResets)
      .values({ tokenHash: hashToken(token), userId: user.id, expiresAt: secondsFromNow(RESET_SECONDS) })
    // The token is in the fragment, which browsers send neither to servers nor in the Referer header.
    await outbox.postAccount(tx, resetPasswordEmail(user.email, `${origin}/reset-password#token=${token}`))
  })
}

// Redeeming emailed codes and links

/** Signs in with an emailed code, which also confirms the mailbox. @throws Refusal INVALID_CODE */
export async function verifyCode(context: Context, { ticket, code }: InputOf<'account', 'verifyCode'>) {
  const session = await context.db.transaction(async (tx) => {
    const email = await useCode(tx, { ticket, code, sessionId: null })
    if (!email) return null
    const [existing] = await tx.select().from(authUsers).where(eq(authUsers.email, email)).for('update')
    const user = existing ?? (await createAccountForMailbox({ ...context, db: tx }, email))
    if (!user) return null
    await proveMailbox({ ...context, db: tx }, user)
    return finishSignIn(tx, context, user)
  })
  // Thrown after the commit, so that the failed attempt counts.
  if (!session) throw new Refusal('INVALID_CODE')
  return session
}

/** Sets a new password by an emailed link and ends every session. */
export async function resetPassword(context: Context, { token, password }: InputOf<'account', 'resetPassword'>) {
  const { db, auth, outbox, origin } = context
  const tokenHash = hashToken(token)
  const isGood = and(eq(authPasswordResets.tokenHash, tokenHash), gt(authPasswordResets.expiresAt, sql`now()`))
  const refused = new Refusal('INVALID_CODE', 'Invalid or expired password reset link. Please try again.')
  // Check first, so that guesses do not cost a slow hash. The hash runs outside of any transaction.
  const [pendingReset] = await db.select({ userId: authPasswordResets.userId }).from(authPasswordResets).where(isGood)
  if (!pendingReset) throw refused
  const hash = await hashPassword(password)
  const factorRemoval = await db.transaction(async (tx) => {
    const [reset] = await tx.delete(authPasswordResets).where(isGood).returning()
    if (!reset) throw refused
    const [user] = await tx.select().from(authUsers).where(eq(authUsers.id, reset.userId)).for('update')
    if (!user) throw refused
    await proveMailbox({ ...context, db: tx }, user)
    await setPassword(tx, user.id, hash)
    await endOtherSessions(tx, auth, { userId: user.id, except: null })
    await tx.delete(authEmailChanges).where(eq(authEmailChanges.userId, user.id))
    await outbox.postAccount(tx, passwordChangedEmail(user.email, `${origin}/forgot-password`))
    await resetSignInAttempts(context.limits, user.email)
    return offerFactorRemoval({ ...context, db: tx }, user.id)
  })
  const result = { success: true as const, message: 'Password has been reset successfully!' }
  return factorRemoval ? { ...result, factorRemoval } : result
}

/** Stores the hash of a new password and deletes all reset links of the account. */
export async function setPassword(tx: Db, userId: string, password: string): Promise<void> {
  await setPasswordHash(tx, userId, password)
  await tx.delete(authPasswordResets).where(eq(authPasswordResets.userId, userId))
}

/** Deletes expired links and codes. */
export async function purgeExpiredLinks(db: Db): Promise<void> {
  await db.delete(authPasswordResets).where(lt(authPasswordResets.expiresAt, sql`now()`))
  await db.delete(authMailCodes).where(lt(authMailCodes.expiresAt, sql`now()`))
  await db.delete(authEmailChanges).where(lt(authEmailChanges.expiresAt, sql`now()`))
}
