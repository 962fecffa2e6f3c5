import { createHmac, hkdfSync, randomUUID, timingSafeEqual } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { and, desc, eq, gt, lt, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { normalizeEmail } from '../../../mailbox.ts'
import { hashPassword } from '../../../passwords.ts'
import type { Outbox, SignUpContext } from '../../../ports.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import { cookieIn } from '../../../requests/cookie.ts'
import type { ClientHashes, LimitName, Limits } from '../../../requests/limits.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { ensurePersonalWorkspace } from '../workspaces/workspaces.ts'
import { deleteUnconfirmed, insertAccount, setPasswordHash } from './accounts.ts'
import { alreadyRegisteredEmail, confirmAddressEmail } from './emails.ts'
import { authCodes, authSignUps, authUsers } from './tables.ts'

const CODE_SECONDS = 60
const LINK_HOURS = 24
/** Days that a sign-up is kept after its last email; also the lifetime of its browser's cookie. */
const WAITING_DAYS = 7
const COOKIE_SECONDS = WAITING_DAYS * 86_400

const SIGN_UP_MESSAGE = 'Almost there! Check your email for a confirmation link to complete your registration.'

type SignUp = typeof authSignUps.$inferSelect
interface EmailContext {
  db: Db
  limits: Limits
  env: { authSecret: string }
  outbox: Outbox
  origin: string
}
type Context = SignUpContext & EmailContext & { request: ClientHashes & { address: string } }

/**
 * Stores a sign-up until its emailed link is opened; only then is the account created. Response and
 * cookie are the same for known addresses, which get an email instead. @throws Refusal RATE_LIMITED
 */
export async function signUp(context: Context, input: InputOf<'auth', 'signUpEmail'>) {
  const { db, limits, request, outbox, origin } = context
  await limits.consume('signUpByAddress', request)
  // An address can have several pending sign-ups, so that no one can invalidate another's link.
  const id = randomUUID()
  const browser = newToken()
  const password = await hashSignUpPassword(context.env.authSecret, input)
  const cookie = { name: cookieName(id), value: browser, seconds: COOKIE_SECONDS }
  const result = { success: true as const, message: SIGN_UP_MESSAGE }
  if (!(await mayEmailSignUp(limits, input.email))) return { answer: result, cookie }
  await db.transaction(async (tx) => {
    if (await findAccount(tx, input.email)) {
      const mail = alreadyRegisteredEmail(input.email, `${origin}/login`, `${origin}/forgot-password`)
      await outbox.postAccount(tx, mail)
      return
    }
    await tx.insert(authSignUps).values({
      id,
      email: input.email,
      name: input.name || input.email.slice(0, input.email.indexOf('@')),
      password,
      browserHash: hashToken(browser),
      codeChallenge: input.codeChallenge ?? null,
      referral: await context.waitlist.findSignUpReferral({ ...context, db: tx }, input.referralCode),
      expiresAt: linkExpiry(),
    })
    await emailLink(context, tx, { id, email: input.email })
  })
  return { answer: result, cookie }
}

/** Result of opening a confirmation link. */
type Opened = { outcome: 'confirmed'; code: string } | { outcome: 'confirmed before' | 'password needed' }

/**
 * Opens a confirmation link. Confirms only in the browser that signed up, because mail scanners
 * open every link. @param cookies the Cookie header @throws Refusal INVALID_CODE: forged or expired
 */
export async function openConfirmation(
  context: SignUpContext & { db: Db },
  { token, cookies }: { token: string; cookies: string | null },
): Promise<Opened> {
  const signUp = await findSignUp(context, token)
  if (await findAccount(context.db, signUp.email)) return { outcome: 'confirmed before' }
  if (!isSameBrowser(signUp, cookies)) return { outcome: 'password needed' }
  return context.db.transaction(async (tx) => {
    const user = await createAccount({ ...context, db: tx }, signUp, signUp.password)
    if (!user) return { outcome: 'confirmed before' }
    return { outcome: 'confirmed', code: await issueCode(tx, user.id, signUp.codeChallenge) }
  })
}

/** Confirms a sign-up. Outside the browser that signed up, a new password is required. */
export async function confirmEmail(
  context: SignUpContext & { db: Db },
  { token, password, cookies }: InputOf<'auth', 'confirmEmail'> & { cookies: string | null },
) {
  const signUp = await findSignUp(context, token)
  // An old link must not set a password: the address may have had an account for a long time.
  if (await findAccount(context.db, signUp.email)) throw new Refusal('INVALID_CODE')
  const storedHash = isSameBrowser(signUp, cookies) ? signUp.password : null
  if (password === undefined && storedHash === null) throw invalidField('password', 'Enter a new password.')
  const hash = password === undefined ? storedHash : await hashPassword(password)
  const user = await context.db.transaction((tx) => createAccount({ ...context, db: tx }, signUp, hash))
  if (!user) throw new Refusal('INVALID_CODE')
  return { success: true as const, message: 'Email confirmed' }
}

/**
 * Creates an account, without a password, for a pending sign-up whose mailbox was proved in another
 * way. Call it in a transaction. @returns null if this address has no pending sign-up
 */
export async function createAccountForMailbox(context: SignUpContext & { db: Db }, email: string) {
  const waiting = await findWaiting(context.db, email)
  return waiting ? createAccount(context, waiting, null) : null
}

/** Whether this address has a pending sign-up. */
export async function isWaiting(db: Db, email: string): Promise<boolean> {
  return (await findWaiting(db, email)) !== undefined
}

/** Emails the link of the newest pending sign-up again, within the limit of its mailbox. */
export async function emailConfirmation(context: EmailContext, email: string): Promise<void> {
  const waiting = await findWaiting(context.db, email)
  if (waiting) await resendLink(context, waiting)
}

/**
 * Rejects a sign-in without an account, in the same time as a real one. If a pending sign-up has this
 * password, emails its link again. @throws Refusal EMAIL_NOT_VERIFIED, INVALID_CREDENTIALS
 */
export async function rejectUnconfirmed(context: EmailContext, input: InputOf<'auth', 'signInEmail'>): Promise<never> {
  const password = await hashSignUpPassword(context.env.authSecret, input)
  const waiting = await findWaiting(context.db, input.email, password)
  if (!waiting) throw new Refusal('INVALID_CREDENTIALS')
  await resendLink(context, waiting)
  throw new Refusal('EMAIL_NOT_VERIFIED')
}

/**
 * Issues a one-time sign-in code for a redirect. @param codeChallenge PKCE challenge of the only browser
 * that may redeem it; null: any browser may @param ssoIdentityId the single sign-on identity behind the
 * sign-in; null: another way
 */
export async function issueCode(
  tx: Db,
  userId: string,
  codeChallenge: string | null,
  ssoIdentityId: string | null = null,
): Promise<string> {
  const code = newToken()
  const expiresAt = new Date(Date.now() + CODE_SECONDS * 1000)
  await tx.insert(authCodes).values({ codeHash: hashToken(code), userId, codeChallenge, ssoIdentityId, expiresAt })
  return code
}

/** Counts one use of a limit. @returns false if it is exceeded, so that the caller can respond as usual */
export async function isWithin(limits: Limits, limit: LimitName, key: string): Promise<boolean> {
  try {
    await limits.consume(limit, key)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'RATE_LIMITED') return false
    throw error
  }
}

/**
 * Deletes the sign-ups of an address that its account gives up. Otherwise their links would work
 * again. Call it in the same transaction, before the account's row changes.
 */
export async function deleteSignUps(tx: Db, email: string): Promise<void> {
  await tx.delete(authSignUps).where(eq(authSignUps.email, email))
}

/** Deletes sign-ups that were never confirmed. */
export async function purgeSignUps(db: Db): Promise<void> {
  await db
    .delete(authSignUps)
    .where(lt(authSignUps.expiresAt, sql`now() - make_interval(days => ${WAITING_DAYS}, hours => ${-LINK_HOURS})`))
}

/**
 * Counts an email against the limit of its mailbox, which many spellings of an address can reach.
 * @returns false if exceeded
 */
function mayEmailSignUp(limits: Limits, email: string): Promise<boolean> {
  return isWithin(limits, 'signUpByRecipient', hashToken(normalizeEmail(email)))
}

async function findAccount(db: Db, email: string) {
  const [account] = await db
    .select({ id: authUsers.id })
    .from(authUsers)
    .where(and(eq(authUsers.email, email), eq(authUsers.emailVerified, true)))
  return account
}

/** The newest pending sign-up of an address. @param password if given, only sign-ups with this hash */
async function findWaiting(db: Db, email: string, password?: string): Promise<SignUp | undefined> {
  if (await findAccount(db, email)) return undefined
  const hasPassword = password === undefined ? undefined : eq(authSignUps.password, password)
  const [waiting] = await db
    .select()
    .from(authSignUps)
    .where(and(eq(authSignUps.email, email), hasPassword))
    .orderBy(desc(authSignUps.createdAt))
    .limit(1)
  return waiting
}

/** @returns null if the sign-up is already confirmed or was deleted, or the address has an account */
async function createAccount(context: SignUpContext & { db: Db }, signUp: SignUp, password: string | null) {
  const { db: tx } = context
  const { id, email, name, referral } = signUp
  // The caller read the row before this transaction, and deleteSignUps may have removed it since.
  const [waiting] = await tx
    .select({ id: authSignUps.id })
    .from(authSignUps)
    .where(eq(authSignUps.id, id))
    .for('update')
  if (!waiting) return null
  // Earlier versions created accounts before confirmation; such an account is replaced.
  await deleteUnconfirmed(tx, email)
  const user = await insertAccount(tx, { email, name, emailVerified: true })
  if (!user) return null
  if (password !== null) await setPasswordHash(tx, user.id, password)
  await ensurePersonalWorkspace(tx, user)
  await context.waitlist.joinOnSignUp(context, user.id, referral)
  return user
}

/** Emails the link again and extends it by a day. */
async function resendLink(context: EmailContext, { id, email }: SignUp): Promise<void> {
  if (!(await mayEmailSignUp(context.limits, email))) return
  await context.db.transaction(async (tx) => {
    await tx.update(authSignUps).set({ expiresAt: linkExpiry() }).where(eq(authSignUps.id, id))
    await emailLink(context, tx, { id, email })
  })
}

async function emailLink({ env, outbox, origin }: EmailContext, tx: Db, { id, email }: { id: string; email: string }) {
  const link = `${origin}/api/auth/verify-email?token=${signedTokenOf(env.authSecret, id)}`
  await outbox.postAccount(tx, confirmAddressEmail(email, link))
}

/** @throws Refusal INVALID_CODE */
async function findSignUp({ db, env }: { db: Db; env: { authSecret: string } }, token: string): Promise<SignUp> {
  const id = readSignedId(env.authSecret, token)
  if (!id) throw new Refusal('INVALID_CODE')
  const [signUp] = await db
    .select()
    .from(authSignUps)
    .where(and(eq(authSignUps.id, id), gt(authSignUps.expiresAt, sql`now()`)))
  if (!signUp) throw new Refusal('INVALID_CODE')
  return signUp
}

/**
 * Hashes a sign-up's password with one secret salt per address: a single hash finds the sign-up
 * with this password, and timing does not reveal how many are pending.
 */
function hashSignUpPassword(secret: string, { email, password }: { email: string; password: string }) {
  const salt = Buffer.from(hkdfSync('sha256', secret, email, 'x-automated sign-up passwords', 16)).toString('hex')
  return hashPassword(password, salt)
}

// Tokens are derived from the id and our secret, so they can be emailed again, and the table does
// not reveal them.

const ID_BYTES = 16

function signedTokenOf(secret: string, id: string): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  return Buffer.concat([bytes, signatureOf(secret, bytes)]).toString('base64url')
}

/** @returns null if the signature does not match */
function readSignedId(secret: string, token: string): string | null {
  const bytes = Buffer.from(token, 'base64url')
  const [id, signature] = [bytes.subarray(0, ID_BYTES), bytes.subarray(ID_BYTES)]
  const expected = signatureOf(secret, id)
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return null
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function signatureOf(secret: string, id: Buffer): Buffer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'x-automated sign-up links', 32))
  return createHmac('sha256', key).update(id).digest()
}

/** The name of a sign-up's cookie. Each sign-up has its own, so that a second one does not break the first link. */
function cookieName(id: string): string {
  return `sign-up-${id}`
}

function isSameBrowser({ id, browserHash }: SignUp, cookies: string | null): boolean {
  const value = cookieIn(cookies, cookieName(id))
  return value !== null && browserHash !== null && hashToken(value) === browserHash
}

function linkExpiry(): Date {
  return new Date(Date.now() + LINK_HOURS * 3_600_000)
}
