import { randomInt } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { MAIL_CODE_DIGITS, REAUTHENTICATED_MINUTES } from '@x-automated/contract/identity/account'
import { and, desc, eq, getTableColumns, gt, lt, ne, or, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { secondsFromNow } from '../../../db/columns.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { isUniqueViolation } from '../../../db/unique-violation.ts'
import { hashPassword, verifyPassword } from '../../../passwords.ts'
import type { JobQueue, SignUpContext, Waitlist } from '../../../ports.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import { countryOf } from '../../../requests/country.ts'
import type { Limits } from '../../../requests/limits.ts'
import { createSealer, hashToken, newToken, type Sealer } from '../../../sealing.ts'
import type { Services } from '../../../services.ts'
import { changeAccount, deleteUnconfirmed, setPasswordHash } from '../auth/accounts.ts'
import { offerFactorRemoval } from '../auth/factor-removal.ts'
import {
  type AuthContext,
  endOtherSessions,
  endSession as endSessionOf,
  requireAccountSession,
  trustSession,
} from '../auth/sessions.ts'
import { finishSignIn, isKnownAddress, proveMailbox, resetSignInAttempts } from '../auth/sign-in.ts'
import { createAccountForMailbox, deleteSignUps, emailConfirmation, isWaiting, isWithin } from '../auth/sign-up.ts'
import { authIdentities, authSessions, authUsers } from '../auth/tables.ts'
import type { Auth } from '../auth/tokens.ts'
import { extensionPairings } from '../workspaces/tables.ts'
import {
  addressChangedEmail,
  addressTakenEmail,
  codeEmail,
  confirmNewAddressEmail,
  confirmOldAddressEmail,
  passwordChangedEmail,
  resetPasswordEmail,
} from './emails.ts'
import { countryNameOf, type Device, deviceOf } from './rules.ts'
import { authEmailChanges, authMailCodes, authPasswordResets } from './tables.ts'

const RESET_SECONDS = 60 * 60
const CODE_SECONDS = 10 * 60
const CODE_TRIES = 5
const EMAIL_CHANGE_SECONDS = 24 * 60 * 60

type Context = AuthContext & SignUpContext & { jobs: JobQueue }

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

type EmailKind = AccountEmail['kind'] | 'reauthenticate' | 'change'

/**
 * Counts an email. @returns false if the recipient's limit is exceeded @throws Refusal if the
 * caller's limit is exceeded
 */
async function mayEmail({ db, limits, request }: Context, kind: EmailKind, email: string): Promise<boolean> {
  await limits.consume('mailByAddress', request)
  await limits.consume('mailByRecipientAndAddress', hashToken(`${kind}\n${email}\n${request.addressHash}`))
  const isKnown = await isKnownAddress(db, email, request.address)
  return isWithin(limits, 'mailByRecipient', hashToken(`${kind}\n${email}${isKnown ? '\nknown' : ''}`))
}

async function enqueueEmail({ jobs, env }: Context, db: Db, mail: AccountEmail): Promise<void> {
  await jobs.enqueue(db, 'account-mail', { sealed: accountEmailSealer(env.authSecret).seal(JSON.stringify(mail)) })
}

/** Queued jobs are sealed, because they may contain a code. */
function accountEmailSealer(secret: string): Sealer {
  return createSealer(secret, 'x-automated account mail')
}

type EmailServices = Pick<Services, 'env' | 'database' | 'auth' | 'jobs' | 'outbox' | 'limits' | 'origin'>

/** Starts the worker that sends requested emails to the addresses that have an account. */
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
  // A pending sign-up has no password to reset. Its confirmation link asks for a password anyway.
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
    // The token is in the fragment, which neither servers nor the Referer header contain.
    await outbox.postAccount(tx, resetPasswordEmail(user.email, `${origin}/reset-password#token=${token}`))
  })
}

// Mailed codes

async function createCode(tx: Db, email: string, sessionId: string | null): Promise<{ ticket: string; code: string }> {
  const ticket = newToken()
  const code = String(randomInt(10 ** MAIL_CODE_DIGITS)).padStart(MAIL_CODE_DIGITS, '0')
  await tx.insert(authMailCodes).values({
    ticketHash: hashToken(ticket),
    codeHash: codeHash(ticket, code),
    email,
    sessionId,
    attemptsLeft: CODE_TRIES,
    expiresAt: secondsFromNow(CODE_SECONDS),
  })
  return { ticket, code }
}

/** Redeems a code, or counts a failed attempt. @returns the address it was sent to, or null */
async function useCode(
  tx: Db,
  { ticket, code, sessionId }: { ticket: string; code: string; sessionId: string | null },
): Promise<string | null> {
  const ticketHash = hashToken(ticket)
  const [row] = await tx
    .update(authMailCodes)
    .set({ attemptsLeft: sql`${authMailCodes.attemptsLeft} - 1` })
    .where(
      and(
        eq(authMailCodes.ticketHash, ticketHash),
        sql`${authMailCodes.sessionId} is not distinct from ${sessionId}::uuid`,
        gt(authMailCodes.attemptsLeft, 0),
        gt(authMailCodes.expiresAt, sql`now()`),
      ),
    )
    .returning()
  if (!row || row.codeHash !== codeHash(ticket, code)) return null
  await tx.delete(authMailCodes).where(eq(authMailCodes.ticketHash, ticketHash))
  return row.email
}

function codeHash(ticket: string, code: string): string {
  return hashToken(`${ticket}\n${code}`)
}

// Passwords

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

/** Also invalidates every other reset link of the account. */
async function setPassword(tx: Db, userId: string, password: string): Promise<void> {
  await setPasswordHash(tx, userId, password)
  await tx.delete(authPasswordResets).where(eq(authPasswordResets.userId, userId))
}

async function findPassword(db: Db, userId: string): Promise<string | null> {
  const isPassword = and(eq(authIdentities.userId, userId), eq(authIdentities.providerId, 'credential'))
  const [row] = await db.select({ password: authIdentities.password }).from(authIdentities).where(isPassword)
  return row?.password ?? null
}

// Reauthentication

/** @throws Refusal INVALID_CREDENTIALS, RATE_LIMITED */
async function checkPassword({ db, limits }: { db: Db; limits: Limits }, userId: string, password: string) {
  // Count the attempt before the check, so that parallel guesses count too.
  await limits.consume('proofByUser', userId)
  const hash = await findPassword(db, userId)
  if (!hash || !(await verifyPassword(hash, password)))
    throw new Refusal('INVALID_CREDENTIALS', 'The current password is incorrect.')
  await limits.reset('proofByUser', userId)
}

/** Requires the current password, or a session that reauthenticated recently. */
export async function requireProof(
  context: { db: Db; limits: Limits },
  { userId, sessionId }: Actor,
  currentPassword?: string,
): Promise<void> {
  if (currentPassword !== undefined) return checkPassword(context, userId, currentPassword)
  const since = sql`now() - make_interval(mins => ${REAUTHENTICATED_MINUTES})`
  const [session] = await context.db
    .select({ id: authSessions.id })
    .from(authSessions)
    .where(and(eq(authSessions.id, sessionId), gt(authSessions.reauthenticatedAt, since)))
  if (!session) throw new Refusal('REAUTHENTICATION_NEEDED')
}

/** Reauthenticates with the password or a code; emails a code if neither is given. */
export async function reauthenticate(
  context: Context,
  actor: Actor,
  { password, ticket, code }: InputOf<'account', 'reauthenticate'>,
) {
  const { db, outbox, origin } = context
  if (password !== undefined) {
    await checkPassword(context, actor.userId, password)
  } else if (ticket !== undefined && code !== undefined) {
    const email = await db.transaction((tx) => useCode(tx, { ticket, code, sessionId: actor.sessionId }))
    if (!email) throw new Refusal('INVALID_CODE')
  } else if (ticket !== undefined || code !== undefined) {
    throw invalidField(ticket === undefined ? 'ticket' : 'code', 'is required')
  } else {
    const user = await findAccount(db, actor)
    const isEmailed = await mayEmail(context, 'reauthenticate', user.email)
    const ticket = await db.transaction(async (tx) => {
      const made = await createCode(tx, user.email, actor.sessionId)
      if (isEmailed)
        await outbox.postAccount(tx, codeEmail(user.email, made.code, "confirm it's you", `${origin}/account`))
      return made.ticket
    })
    return { success: true as const, message: 'We emailed you a code.', ticket, goodUntil: null }
  }
  const since = await trustSession(db, actor.sessionId)
  const goodUntil = new Date(since.getTime() + REAUTHENTICATED_MINUTES * 60_000)
  return { success: true as const, message: 'Confirmed.', ticket: null, goodUntil }
}

// The user

async function findAccount(db: Db, { userId }: Pick<Actor, 'userId'>) {
  const [user] = await db.select().from(authUsers).where(eq(authUsers.id, userId))
  if (!user) throw new Refusal('UNAUTHORIZED')
  return user
}

/** @throws Refusal UNAUTHORIZED: the account no longer exists */
export async function findUser(db: Db, actor: Actor) {
  const { id, email, name, createdAt } = await findAccount(db, actor)
  const isPending = and(eq(authEmailChanges.userId, id), gt(authEmailChanges.expiresAt, sql`now()`))
  const [password, [change]] = await Promise.all([
    findPassword(db, id),
    db.select().from(authEmailChanges).where(isPending),
  ])
  return {
    id,
    email,
    name,
    createdAt,
    hasPassword: password !== null,
    pendingEmail: change?.email ?? null,
    pendingEmailConfirmed: change
      ? { present: change.currentConfirmedAt !== null, new: change.newConfirmedAt !== null }
      : null,
  }
}

/** Changes name, password and address together. */
export async function updateUser(context: Context, actor: Actor, changes: InputOf<'account', 'updateUser'>) {
  const { db, auth, outbox, origin } = context
  const { name, password, email, currentPassword } = changes
  const { email: presentEmail } = await findAccount(db, actor)
  // Keeping the same address needs no reauthentication and sends no email.
  const moves = email !== undefined && email !== presentEmail
  if (password !== undefined || moves) await requireProof(context, actor, currentPassword)
  else await requireAccountSession(db, actor)
  // The address is unused, so this error reveals nothing about another account.
  if (moves && !(await mayEmail(context, 'change', email)))
    throw new Refusal('RATE_LIMITED', undefined, { retryAfterSeconds: 60 * 60 })
  const hash = password === undefined ? null : await hashPassword(password)
  await db.transaction(async (tx) => {
    const user = await findAccount(tx, actor)
    if (name !== undefined) await changeAccount(tx, user.id, { name })
    if (hash !== null) {
      await setPassword(tx, user.id, hash)
      await endOtherSessions(tx, auth, { userId: user.id, except: actor.sessionId })
      await outbox.postAccount(tx, passwordChangedEmail(user.email, `${origin}/forgot-password`))
    }
    if (email !== undefined) await beginEmailChange(context, tx, user, email)
  })
  return findUser(db, actor)
}

// The address

/** Behaves the same for free and taken addresses. The current one cancels a pending change. */
async function beginEmailChange(
  { outbox, origin, waitlist }: Context,
  tx: Db,
  user: { id: string; email: string },
  email: string,
): Promise<void> {
  await tx.delete(authEmailChanges).where(eq(authEmailChanges.userId, user.id))
  if (email === user.email) return
  const [currentToken, newAddressToken] = [newToken(), newToken()]
  await tx.insert(authEmailChanges).values({
    userId: user.id,
    email,
    currentTokenHash: hashToken(currentToken),
    newTokenHash: hashToken(newAddressToken),
    expiresAt: secondsFromNow(EMAIL_CHANGE_SECONDS),
  })
  const link = (token: string) => `${origin}/api/auth/change-email?token=${token}`
  const isEmailTaken = await isTaken(tx, waitlist, user.id, email)
  await outbox.postAccount(tx, confirmOldAddressEmail(user.email, email, link(currentToken)))
  await outbox.postAccount(
    tx,
    isEmailTaken ? addressTakenEmail(email, `${origin}/login`) : confirmNewAddressEmail(email, link(newAddressToken)),
  )
}

/** Whether another confirmed account or waitlist member owns the address or its mailbox. */
async function isTaken(tx: Db, waitlist: Waitlist, userId: string, email: string): Promise<boolean> {
  const isAnothers = and(eq(authUsers.email, email), eq(authUsers.emailVerified, true), ne(authUsers.id, userId))
  const [account] = await tx.select({ id: authUsers.id }).from(authUsers).where(isAnothers)
  if (account) return true
  const owner = await waitlist.findMailboxOwner(tx, email)
  return owner !== null && owner !== userId
}

/** Records one mailbox's confirmation; the second completes the change, also on the waitlist. */
export async function confirmEmailChange(
  context: SignUpContext & { db: Db },
  token: string,
): Promise<'waiting' | 'done'> {
  const { db, outbox, origin, waitlist } = context
  const hash = hashToken(token)
  const moved = transact(db, async (tx) => {
    const [change] = await tx
      .update(authEmailChanges)
      .set({
        currentConfirmedAt: sql`
          case
            when ${authEmailChanges.currentTokenHash} = ${hash} then now()
            else ${authEmailChanges.currentConfirmedAt} end`,
        newConfirmedAt: sql`
          case when ${authEmailChanges.newTokenHash} = ${hash} then now() else ${authEmailChanges.newConfirmedAt} end`,
      })
      .where(
        and(
          or(eq(authEmailChanges.currentTokenHash, hash), eq(authEmailChanges.newTokenHash, hash)),
          gt(authEmailChanges.expiresAt, sql`now()`),
        ),
      )
      .returning()
    if (!change) throw new Refusal('INVALID_CODE')
    if (!change.currentConfirmedAt || !change.newConfirmedAt) return 'waiting'
    const [user] = await tx.select().from(authUsers).where(eq(authUsers.id, change.userId)).for('update')
    if (!user || (await isTaken(tx, waitlist, user.id, change.email))) throw new Refusal('INVALID_CODE')
    // An unconfirmed account with this address is replaced.
    await deleteUnconfirmed(tx, change.email)
    await deleteSignUps(tx, user.email)
    await changeAccount(tx, user.id, { email: change.email })
    await tx.delete(authEmailChanges).where(eq(authEmailChanges.userId, user.id))
    // Reset links were sent to the former mailbox.
    await tx.delete(authPasswordResets).where(eq(authPasswordResets.userId, user.id))
    await waitlist.moveMember({ ...context, db: tx }, user.id, change.email)
    await outbox.postAccount(tx, addressChangedEmail(user.email, change.email, `${origin}/login`))
    return 'done' as const
  })
  return moved.catch((error: unknown) => {
    // Another account or waitlist member took the address at the same moment.
    throw isUniqueViolation(error) ? new Refusal('INVALID_CODE') : error
  })
}

// Sessions

/** A readable device name for a session. */
export function deviceNameOf(userAgent: string | null): Device['device'] {
  return deviceOf(userAgent).device
}

/** The account's sessions, most recently used first. @throws Refusal REAUTHENTICATION_NEEDED */
export async function listSessions(db: Db, actor: Actor) {
  await requireAccountSession(db, actor)
  const rows = await db
    .select({ ...getTableColumns(authSessions), extensionOf: extensionPairings.sessionId })
    .from(authSessions)
    .leftJoin(extensionPairings, eq(extensionPairings.sessionId, authSessions.id))
    .where(and(eq(authSessions.userId, actor.userId), gt(authSessions.expiresAt, sql`now()`)))
    .orderBy(desc(authSessions.updatedAt))
  return {
    sessions: rows.map((row) => ({
      id: row.id,
      current: row.id === actor.sessionId,
      ...deviceOf(row.userAgent),
      ...(row.extensionOf && { deviceKind: 'extension' as const }),
      place: countryNameOf(row.ipAddress ? countryOf(row.ipAddress) : null),
      createdAt: row.createdAt,
      lastSeenAt: row.updatedAt,
    })),
  }
}

/** Ends one of the caller's sessions. A session from single sign-on can end only itself. */
export async function endSession({ db, auth }: { db: Db; auth: Auth }, actor: Actor, id: string): Promise<void> {
  if (id !== actor.sessionId) await requireAccountSession(db, actor)
  const ended = await db.transaction((tx) => endSessionOf(tx, auth, { userId: actor.userId, id }))
  if (!ended) throw new Refusal('SESSION_NOT_FOUND')
}

/** Deletes the codes that were emailed to an address. */
export async function deleteCodesTo(tx: Db, email: string): Promise<void> {
  await tx.delete(authMailCodes).where(eq(authMailCodes.email, email))
}

/** Deletes expired links and codes. */
export async function purgeExpiredLinks(db: Db): Promise<void> {
  await db.delete(authPasswordResets).where(lt(authPasswordResets.expiresAt, sql`now()`))
  await db.delete(authMailCodes).where(lt(authMailCodes.expiresAt, sql`now()`))
  await db.delete(authEmailChanges).where(lt(authEmailChanges.expiresAt, sql`now()`))
}
