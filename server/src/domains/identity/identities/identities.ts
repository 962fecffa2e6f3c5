import { createHmac } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import type { Identity, Provider } from '@x-automated/contract/identity/identities'
import { PROVIDER_PROBLEMS, type ProviderProblem } from '@x-automated/contract/identity/provider-problems'
import { and, asc, eq, lt, ne, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../../actor.ts'
import { secondsFromNow } from '../../../db/columns.ts'
import type { Db } from '../../../db/open.ts'
import type { Google } from '../../../outside/google.ts'
import {
  type OpenIdRequest,
  type ProviderClaims,
  ProviderDeclined,
  ProviderUnavailable,
} from '../../../outside/openid.ts'
import type { Outbox, SignUpContext } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import type { Limits } from '../../../requests/limits.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { requireProof } from '../account/proof.ts'
import { insertAccount, insertIdentity } from '../auth/accounts.ts'
import { type AuthContext, endIdentities, requireAccountSession } from '../auth/sessions.ts'
import { finishSignIn, matchesChallenge, proveMailbox } from '../auth/sign-in.ts'
import { issueCode } from '../auth/sign-up.ts'
import { authIdentities, authUsers } from '../auth/tables.ts'
import type { Auth } from '../auth/tokens.ts'
import { identityLinkedEmail, identityUnlinkedEmail } from './emails.ts'
import { authLinkCodes, authStates } from './tables.ts'

const STATE_SECONDS = 10 * 60
const LINK_SECONDS = 60
const GOOGLE = 'google'
const SSO_TAKEN = 'This single sign-on is already linked to another account.'

type Context = AuthContext & SignUpContext & { google: Google | null }
type State = typeof authStates.$inferSelect

export function listProviders({ google }: { google: Google | null }): { providers: Provider[] } {
  return { providers: google ? [GOOGLE] : [] }
}

/** @throws Refusal GOOGLE_UNAVAILABLE if Google is not configured */
function requireGoogle({ google }: { google: Google | null }): Google {
  if (!google) throw new Refusal('GOOGLE_UNAVAILABLE')
  return google
}

function asUnavailable(error: unknown): never {
  throw error instanceof ProviderUnavailable ? new Refusal('GOOGLE_UNAVAILABLE', undefined, { cause: error }) : error
}

/** The refusal of a provider sign-in, with a reason that the user should see. */
function problem(which: ProviderProblem): Refusal {
  return new Refusal('IDENTITY_REFUSED', PROVIDER_PROBLEMS[which], { details: { problem: which } })
}

// Redirecting to the provider

/** Starts a sign-in. @returns the URL at Google @throws Refusal GOOGLE_UNAVAILABLE, RATE_LIMITED */
export async function authorize(
  context: Context,
  { codeChallenge, referralCode, intent }: InputOf<'identities', 'authorize'>,
) {
  await context.limits.consume('authorizeByAddress', context.request)
  return begin(context, { codeChallenge, intent, referralCode: referralCode || null, sessionId: null })
}

/** Starts linking an account. @throws Refusal REAUTHENTICATION_NEEDED, GOOGLE_UNAVAILABLE */
export async function authorizeLink(
  context: Context,
  actor: Actor,
  { codeChallenge }: InputOf<'identities', 'authorizeLink'>,
) {
  await requireProof(context, actor)
  return begin(context, { codeChallenge, intent: 'link', referralCode: null, sessionId: actor.sessionId })
}

async function begin(context: Context, row: Omit<State, 'stateHash' | 'expiresAt'>): Promise<{ url: string }> {
  const google = requireGoogle(context)
  const state = newToken()
  const url = await google.authorizeUrl(requestOf(context, state)).catch(asUnavailable)
  await context.db
    .insert(authStates)
    .values({ ...row, stateHash: hashToken(state), expiresAt: secondsFromNow(STATE_SECONDS) })
  return { url }
}

/** Builds the OpenID request of a state, from which nonce and verifier are derived, so they need not be stored. */
function requestOf({ env }: { env: { authSecret: string } }, state: string): OpenIdRequest {
  const derived = (purpose: string) =>
    createHmac('sha256', env.authSecret).update(`${purpose}\n${state}`).digest('base64url')
  return { state, nonce: derived('google nonce'), codeVerifier: derived('google verifier') }
}

// Returning from the provider

/** The page to open after a provider sign-in, by intent. */
const PAGES = {
  login: '/auth/callback?provider=google',
  waitlist: '/waitlist',
  link: '/account',
  used: '/auth/callback',
} as const

/** Handles Google's callback. @returns a URL on our origin, with a one-time code or `error` */
export async function finishAuthorize(context: Context & { log: FastifyBaseLogger }, callback: URL): Promise<string> {
  const { db, origin, log } = context
  const stateToken = callback.searchParams.get('state') ?? ''
  const [state] = await db
    .delete(authStates)
    .where(and(eq(authStates.stateHash, hashToken(stateToken)), ne(authStates.intent, 'used')))
    .returning()
  const page = new URL(PAGES[state?.intent ?? 'login'], origin)
  try {
    if (!state || state.expiresAt < new Date()) throw problem('failed')
    const claims = await requireGoogle(context).finish(callback, requestOf(context, stateToken))
    page.searchParams.set('code', await codeFor(context, state, claims))
  } catch (error) {
    const which = problemOf(error)
    // Log causes that the user cannot fix. They contain no addresses or codes.
    if (which === 'failed')
      log.warn({ reason: error instanceof Error ? error.message : 'unknown' }, 'sign-in with Google failed')
    page.searchParams.set('error', which)
  }
  return page.href
}

function problemOf(error: unknown): ProviderProblem {
  if (error instanceof ProviderDeclined) return error.cancelled ? 'cancelled' : 'failed'
  if (!(error instanceof Refusal)) return 'failed'
  if (error.code === 'RATE_LIMITED') return 'busy'
  return (error.details as { problem?: ProviderProblem } | undefined)?.problem ?? 'failed'
}

async function codeFor(context: Context, state: State, claims: ProviderClaims): Promise<string> {
  const { db } = context
  if (state.intent === 'link') {
    return issueLinkCode(db, {
      codeChallenge: state.codeChallenge,
      sessionId: state.sessionId ?? '',
      providerId: GOOGLE,
      accountId: claims.subject,
      email: claims.email,
    })
  }
  return db.transaction(async (tx) => {
    const joins = state.intent === 'waitlist'
    const user = await findOrCreateUser(
      { ...context, db: tx },
      { claims, referralCode: state.referralCode ?? undefined, joins },
    )
    return issueCode(tx, user.id, state.codeChallenge)
  })
}

interface ExternalSignIn {
  claims: ProviderClaims
  referralCode?: string
  /** Whether to join the waitlist too. */
  joins: boolean
}

/**
 * Finds the account that is linked to this Google account or has its confirmed address, or creates
 * one. Call it in a transaction. @throws Refusal IDENTITY_REFUSED, RATE_LIMITED (sign-ups)
 */
async function findOrCreateUser(context: Context, { claims, referralCode, joins }: ExternalSignIn) {
  const { db: tx, outbox, origin, limits, request } = context
  const [linked] = await tx
    .select({ user: authUsers })
    .from(authIdentities)
    .innerJoin(authUsers, eq(authUsers.id, authIdentities.userId))
    .where(and(eq(authIdentities.providerId, GOOGLE), eq(authIdentities.accountId, claims.subject)))
  const { email } = claims
  if (!linked && !email) throw problem('no_email')
  // A matching address proves nothing if Google has not confirmed it.
  if (!linked && claims.emailConfirmed !== true) throw problem('unconfirmed_email')

  let user = linked?.user ?? (await findByEmail(tx, email ?? ''))
  const isNew = !user
  if (!user) {
    await limits.consume('signUpByAddress', request)
    const address = email ?? ''
    const name = claims.name ?? address.slice(0, address.indexOf('@'))
    await insertAccount(tx, { email: address, name })
    user = await findByEmail(tx, address)
    if (!user) throw new Error('no account was inserted')
  }
  if (joins) await context.waitlist.join(context, { email: user.email, referralCode })
  const wasConfirmed = user.emailVerified
  const referral = isNew && !joins ? await context.waitlist.findSignUpReferral(context, referralCode) : null
  // Removes the password and sessions of an address that was never confirmed.
  await proveMailbox(context, user, referral)
  if (!linked) {
    const identity = { providerId: GOOGLE, accountId: claims.subject, email: claims.email }
    await insertIdentity(tx, { userId: user.id, ...identity })
    if (!isNew && wasConfirmed)
      await outbox.postAccount(tx, identityLinkedEmail(user.email, `${origin}/account`, GOOGLE))
  }
  return user
}

async function findByEmail(tx: Db, email: string) {
  const [user] = await tx.select().from(authUsers).where(eq(authUsers.email, email)).for('update')
  return user
}

/** Signs in with an id_token, which works only once. */
export async function signInIdToken(
  context: Context,
  { idToken, nonce, referralCode }: InputOf<'identities', 'signInIdToken'>,
) {
  const { db, limits, request } = context
  await limits.consume('authorizeByAddress', request)
  const claims = await requireGoogle(context).readIdToken(idToken).catch(asUnavailable)
  if (!claims || claims.nonce !== (nonce ?? null)) throw problem('failed')
  return db.transaction(async (tx) => {
    const [first] = await tx
      .insert(authStates)
      .values({ stateHash: hashToken(idToken), intent: 'used', codeChallenge: '', expiresAt: claims.expiresAt })
      .onConflictDoNothing()
      .returning()
    if (!first) throw problem('failed')
    const user = await findOrCreateUser({ ...context, db: tx }, { claims, referralCode, joins: false })
    return finishSignIn(tx, context, user)
  })
}

// Linking

/** Issues a one-time code that links an outside account, for POST /auth/identities. */
export async function issueLinkCode(
  tx: Db,
  identity: Omit<typeof authLinkCodes.$inferInsert, 'codeHash' | 'expiresAt'>,
): Promise<string> {
  const code = newToken()
  await tx
    .insert(authLinkCodes)
    .values({ ...identity, codeHash: hashToken(code), expiresAt: secondsFromNow(LINK_SECONDS) })
  return code
}

/** Deletes the unused link codes of a provider. */
export async function endLinkCodes(tx: Db, providerId: string): Promise<void> {
  await tx.delete(authLinkCodes).where(eq(authLinkCodes.providerId, providerId))
}

/** Identities from single sign-on have the provider `sso:<connection id>`. */
const isSso = sql`${authIdentities.providerId} like 'sso:%'`
const identityColumns = {
  id: authIdentities.id,
  provider: sql<Identity['provider']>`case when ${isSso} then 'sso' else ${authIdentities.providerId} end`,
  email: authIdentities.email,
  createdAt: authIdentities.createdAt,
}

export async function list(db: Db, actor: Actor) {
  await requireAccountSession(db, actor)
  const { userId } = actor
  const rows = await db
    .select(identityColumns)
    .from(authIdentities)
    .where(and(eq(authIdentities.userId, userId), ne(authIdentities.providerId, 'credential')))
    .orderBy(asc(authIdentities.createdAt))
  return { identities: rows }
}

/** Links the outside account behind a code, in the session that started it. */
export async function link(
  { db, outbox, origin }: { db: Db; outbox: Outbox; origin: string },
  actor: Actor,
  { code, codeVerifier }: InputOf<'identities', 'link'>,
) {
  const linked = await db.transaction(async (tx) => {
    const [row] = await tx
      .delete(authLinkCodes)
      .where(and(eq(authLinkCodes.codeHash, hashToken(code)), eq(authLinkCodes.sessionId, actor.sessionId)))
      .returning()
    if (!row || row.expiresAt < new Date() || !matchesChallenge(row.codeChallenge, codeVerifier))
      return new Refusal('INVALID_CODE')
    const { providerId, accountId, email } = row
    const isNew = await insertIdentity(tx, { userId: actor.userId, providerId, accountId, email })
    const isOwn = and(
      eq(authIdentities.providerId, providerId),
      eq(authIdentities.accountId, accountId),
      eq(authIdentities.userId, actor.userId),
    )
    const [own] = await tx.select(identityColumns).from(authIdentities).where(isOwn)
    if (!own) return new Refusal('IDENTITY_TAKEN', providerId === GOOGLE ? undefined : SSO_TAKEN)
    const [user] = await tx.select({ email: authUsers.email }).from(authUsers).where(eq(authUsers.id, actor.userId))
    if (isNew && user) await outbox.postAccount(tx, identityLinkedEmail(user.email, `${origin}/account`, own.provider))
    return own
  })
  // Thrown after the commit, so that a wrong verifier uses up the code too.
  if (linked instanceof Refusal) throw linked
  return linked
}

/** @throws Refusal IDENTITY_NOT_FOUND, REAUTHENTICATION_NEEDED, LAST_WAY_IN */
export async function unlink(
  context: { db: Db; auth: Auth; limits: Limits; outbox: Outbox; origin: string },
  actor: Actor,
  id: string,
): Promise<void> {
  const { db, outbox, origin } = context
  const isOwn = and(
    eq(authIdentities.id, id),
    eq(authIdentities.userId, actor.userId),
    ne(authIdentities.providerId, 'credential'),
  )
  const [identity] = await db.select({ id: authIdentities.id }).from(authIdentities).where(isOwn)
  if (!identity) throw new Refusal('IDENTITY_NOT_FOUND')
  await requireProof(context, actor)
  await db.transaction(async (tx) => {
    // Lock all identities, so that two parallel calls cannot remove the last one.
    const all = await tx
      .select({ id: authIdentities.id })
      .from(authIdentities)
      .where(eq(authIdentities.userId, actor.userId))
      .for('update')
    if (all.length === 1) throw new Refusal('LAST_WAY_IN')
    await endIdentities(tx, context.auth, isOwn)
    const [user] = await tx.select({ email: authUsers.email }).from(authUsers).where(eq(authUsers.id, actor.userId))
    if (user) await outbox.postAccount(tx, identityUnlinkedEmail(user.email, `${origin}/account`))
  })
}

/** Deletes expired sign-ins and link codes. */
export async function purgeExpiredStates(db: Db): Promise<void> {
  await db.delete(authStates).where(lt(authStates.expiresAt, sql`now()`))
  await db.delete(authLinkCodes).where(lt(authLinkCodes.expiresAt, sql`now()`))
}
