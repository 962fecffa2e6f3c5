import { randomBytes } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { nameInBody } from '@x-automated/contract/fields'
import { formatCount, formatList, pluralize } from '@x-automated/contract/format'
import type { FactorsToProve } from '@x-automated/contract/identity/second-factors'
import { and, asc, eq, gt, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import type { Actor } from '../../../actor.ts'
import { secondsFromNow } from '../../../db/columns.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { Email } from '../../../emails/email.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { createSealer, hashToken, type Sealer } from '../../../sealing.ts'
import { requireProof } from '../account/proof.ts'
import { openRemovalTicket } from '../auth/factor-removal.ts'
import { type AuthContext, isSsoSession, requireAccountSession, signInAs, trustSession } from '../auth/sessions.ts'
import { authUsers } from '../auth/tables.ts'
import { authFactors, authRecoveryCodes, authTickets } from './tables.ts'

/** Loads the library on first use: it takes 9 MB, and few people have a passkey. */
const webauthn = () => import('@simplewebauthn/server')

const ISSUER = 'X-Automated'
const STEP_SECONDS = 30
/** How many time steps a code may be early or late, because clocks differ (RFC 6238, section 5.2). */
const ALLOWED_DRIFT_STEPS = 1
const CHALLENGE_SECONDS = 10 * 60
const RECOVERY_CODES = 10
/** EdDSA, ES256 and RS256 (COSE): every browser supports one of these. */
const ALGORITHMS = [-8, -7, -257]
/** The maximum per account, counting unconfirmed factors. */
const MAX_FACTORS = 20

type Row = typeof authFactors.$inferSelect
type Credential = NonNullable<FactorProof['credential']>

type Context = Pick<RequestContext, 'db' | 'env' | 'limits' | 'outbox' | 'origin'>

/** A user's proof: a code or a passkey's response. */
type FactorProof = Omit<InputOf<'secondFactors', 'verify'>, 'id'>

const isConfirmed = isNotNull(authFactors.confirmedAt)

/**
 * The account's factors, oldest first, and how many recovery codes are left.
 * @throws Refusal REAUTHENTICATION_NEEDED, with `FactorsToProve`
 */
export async function list(db: Db, actor: Actor) {
  const { userId } = actor
  const [factors, recoveryCodesLeft, isLimited] = await Promise.all([
    db
      .select()
      .from(authFactors)
      .where(and(eq(authFactors.userId, userId), isConfirmed))
      .orderBy(asc(authFactors.createdAt)),
    db.$count(authRecoveryCodes, eq(authRecoveryCodes.userId, userId)),
    isSsoSession(db, actor),
  ])
  if (isLimited) {
    const details = { factors: factors.map(({ id, kind }) => ({ id, kind })) } satisfies FactorsToProve
    throw new Refusal('REAUTHENTICATION_NEEDED', undefined, { details })
  }
  return { factors, recoveryCodesLeft }
}

/** Starts adding a factor. @throws Refusal REAUTHENTICATION_NEEDED, INVALID_INPUT (too many) */
export async function enrol(context: Context, actor: Actor, { kind, name }: InputOf<'secondFactors', 'enrol'>) {
  await requireProof(context, actor)
  const { db, env, origin } = context
  const [user] = await db.select().from(authUsers).where(eq(authUsers.id, actor.userId))
  if (!user) throw new Refusal('UNAUTHORIZED')
  await purgeUnfinishedFactors(db)
  const existing = await db.select().from(authFactors).where(eq(authFactors.userId, user.id))
  if (existing.length >= MAX_FACTORS)
    throw invalidField('kind', `An account can have at most ${MAX_FACTORS} second factors.`)

  const secret = kind === 'totp' ? new Secret({ size: 20 }) : null
  const options =
    kind === 'passkey'
      ? await (await webauthn()).generateRegistrationOptions({
          rpName: ISSUER,
          rpID: new URL(origin).hostname,
          userName: user.email,
          userDisplayName: user.name,
          userID: new Uint8Array(Buffer.from(user.id)),
          supportedAlgorithmIDs: ALGORITHMS,
          excludeCredentials: credentialsOf(existing),
          authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
        })
      : null
  const made = one(
    await db
      .insert(authFactors)
      .values({
        userId: user.id,
        kind,
        name: name || (kind === 'totp' ? 'Authenticator app' : 'Passkey'),
        sealedSecret: secret && sealerOf(env).seal(secret.base32),
        challenge: options?.challenge ?? null,
        challengeExpiresAt: secondsFromNow(CHALLENGE_SECONDS),
      })
      .returning(),
  )
  return {
    id: made.id,
    kind,
    name: made.name,
    secret: secret?.base32 ?? null,
    uri: secret && new TOTP({ issuer: ISSUER, label: user.email, secret }).toString(),
    options: options as Record<string, unknown> | null,
  }
}

/** Creates a challenge for a confirmed passkey; null for other factors. @throws Refusal FACTOR_NOT_FOUND */
export async function challenge({ db, origin }: Context, actor: Actor, id: string) {
  const factor = await findFactor(db, actor, id)
  if (factor.kind === 'totp' || !factor.confirmedAt) return { options: null }
  const options = await passkeyOptions(origin, [factor])
  await db
    .update(authFactors)
    .set({ challenge: options.challenge, challengeExpiresAt: secondsFromNow(CHALLENGE_SECONDS) })
    .where(eq(authFactors.id, factor.id))
  return { options: options as unknown as Record<string, unknown> }
}

/** Confirms a new factor (for the first, returns recovery codes), or reauthenticates with a confirmed one. */
export async function verify(context: Context, actor: Actor, { id, ...proof }: InputOf<'secondFactors', 'verify'>) {
  const { db, limits } = context
  const existing = await findFactor(db, actor, id)
  await limits.consume('secondFactorByUser', actor.userId)
  const outcome = await db.transaction(async (tx) => {
    // Locked, so that a code or challenge works only once.
    const [factor] = await tx.select().from(authFactors).where(eq(authFactors.id, existing.id)).for('update')
    if (!factor) throw new Refusal('FACTOR_NOT_FOUND')
    if (factor.confirmedAt) {
      if (!(await verifyFactor(context, tx, factor, proof, challengeOf(factor)))) return null
      await trustSession(tx, actor.sessionId)
      return { recoveryCodes: null }
    }
    const confirmed =
      factor.kind === 'totp'
        ? await verifyTotp(context, tx, factor, proof.code)
        : await registerPasskey(context, tx, factor, proof.credential)
    if (!confirmed) return null
    const isFirst = (await tx.$count(authFactors, and(eq(authFactors.userId, actor.userId), isConfirmed))) === 0
    await tx.update(authFactors).set({ confirmedAt: new Date() }).where(eq(authFactors.id, factor.id))
    const change = `“${nameInBody(factor.name)}” was added to your X-Automated account. You will need it the next time you log in.`
    await notifyOwner(context, tx, actor.userId, change)
    return { recoveryCodes: isFirst ? await createRecoveryCodes(tx, actor.userId) : null }
  })
  // Thrown after the commit, so that a wrong response uses up the challenge too.
  if (!outcome) throw new Refusal('INVALID_CODE')
  await limits.reset('secondFactorByUser', actor.userId)
  return { success: true as const, ...outcome }
}

export async function rename(db: Db, actor: Actor, { id, name }: InputOf<'secondFactors', 'rename'>) {
  await requireAccountSession(db, actor)
  const isOwn = and(eq(authFactors.id, id), eq(authFactors.userId, actor.userId), isConfirmed)
  const [factor] = await db.update(authFactors).set({ name }).where(isOwn).returning()
  if (!factor) throw new Refusal('FACTOR_NOT_FOUND')
  return factor
}

/** @throws Refusal FACTOR_NOT_FOUND, REAUTHENTICATION_NEEDED */
export async function remove(context: Context, actor: Actor, id: string): Promise<void> {
  const { db } = context
  const factor = await findFactor(db, actor, id)
  await requireProof(context, actor)
  await db.transaction(async (tx) => {
    await tx.delete(authFactors).where(eq(authFactors.id, factor.id))
    if (!factor.confirmedAt) return
    await removeOrphanedRecoveryCodes(tx, actor.userId)
    await notifyOwner(
      context,
      tx,
      actor.userId,
      `“${nameInBody(factor.name)}” was removed from your X-Automated account.`,
    )
  })
}

/** Removes the factors that are older than a mailbox proof. Can be repeated. */
export async function removeByMailbox(context: Context, { ticket }: InputOf<'secondFactors', 'removeByMailbox'>) {
  const proof = openRemovalTicket(context.env, ticket)
  if (!proof) throw new Refusal('INVALID_CODE')
  const { userId, provedAt } = proof
  await context.db.transaction(async (tx) => {
    const isOlder = and(eq(authFactors.userId, userId), lt(authFactors.confirmedAt, provedAt))
    const removed = await tx.delete(authFactors).where(isOlder).returning({ name: authFactors.name })
    if (removed.length === 0) return
    await removeOrphanedRecoveryCodes(tx, userId)
    const names = formatList(removed.map(({ name }) => `“${nameInBody(name)}”`))
    const was = pluralize(removed.length, 'was', 'were')
    await notifyOwner(
      context,
      tx,
      userId,
      `After a password reset, ${names} ${was} removed from your X-Automated account.`,
    )
  })
  return { success: true as const, message: 'Your second factors were removed.' }
}

/** @throws Refusal FACTOR_NOT_FOUND: the account has no factor; REAUTHENTICATION_NEEDED */
export async function renewRecoveryCodes(context: Context, actor: Actor) {
  const { db } = context
  if ((await db.$count(authFactors, and(eq(authFactors.userId, actor.userId), isConfirmed))) === 0)
    throw new Refusal('FACTOR_NOT_FOUND')
  await requireProof(context, actor)
  const recoveryCodes = await db.transaction(async (tx) => {
    const codes = await createRecoveryCodes(tx, actor.userId)
    await notifyOwner(context, tx, actor.userId, 'New recovery codes were created. Your previous codes no longer work.')
    return codes
  })
  return { recoveryCodes }
}

// The second step of a sign-in

/** Creates a challenge for the passkeys of a ticket's account. */
export async function signInChallenge(
  { db, origin }: Context,
  { ticket }: InputOf<'secondFactors', 'signInChallenge'>,
) {
  const isGood = and(
    eq(authTickets.ticketHash, hashToken(ticket)),
    gt(authTickets.expiresAt, sql`now()`),
    gt(authTickets.attemptsLeft, 0),
  )
  const passkeys = await db
    .select({ factor: authFactors })
    .from(authTickets)
    .innerJoin(authFactors, eq(authFactors.userId, authTickets.userId))
    .where(and(isGood, eq(authFactors.kind, 'passkey'), isConfirmed))
  if (passkeys.length === 0) throw new Refusal('INVALID_CODE')
  const options = await passkeyOptions(
    origin,
    passkeys.map(({ factor }) => factor),
  )
  await db.update(authTickets).set({ challenge: options.challenge }).where(isGood)
  return { options: options as unknown as Record<string, unknown> }
}

/** @throws Refusal INVALID_CODE, RATE_LIMITED */
export async function signIn(context: Context & AuthContext, { ticket, ...proof }: InputOf<'secondFactors', 'signIn'>) {
  const { db, limits, request } = context
  const ticketHash = hashToken(ticket)
  const isGood = and(
    eq(authTickets.ticketHash, ticketHash),
    gt(authTickets.attemptsLeft, 0),
    gt(authTickets.expiresAt, sql`now()`),
  )
  // Use up the attempt and the challenge before any check, so that parallel attempts count too.
  const step = await db.transaction(async (tx) => {
    const [row] = await tx.select().from(authTickets).where(isGood).for('update')
    if (row)
      await tx
        .update(authTickets)
        .set({ attemptsLeft: row.attemptsLeft - 1, challenge: null })
        .where(eq(authTickets.ticketHash, ticketHash))
    return row
  })
  if (!step) throw new Refusal('INVALID_CODE')
  const { userId } = step
  // The caller has passed the first step, so guesses count across all addresses. Recovery codes and
  // passkeys are exempt, so that the user is never locked out.
  if (proof.code?.length === 6) await limits.consume('secondFactorByUser', userId)
  const session = await db.transaction(async (tx) => {
    const proved = await verifySecondStep(context, tx, userId, proof, step.challenge)
    const [user] = await tx.select().from(authUsers).where(eq(authUsers.id, userId))
    if (!proved || !user) return null
    // No row is left if a parallel call has redeemed the ticket.
    const [used] = await tx.delete(authTickets).where(eq(authTickets.ticketHash, ticketHash)).returning()
    return used ? signInAs(tx, { auth: context.auth, request }, user, used.ssoIdentityId) : null
  })
  if (!session) throw new Refusal('INVALID_CODE')
  if (proof.code?.length === 6) await limits.reset('secondFactorByUser', userId)
  return session
}

async function verifySecondStep(
  context: Context,
  tx: Db,
  userId: string,
  proof: FactorProof,
  expectedChallenge: string | null,
): Promise<boolean> {
  const factors = await tx
    .select()
    .from(authFactors)
    .where(and(eq(authFactors.userId, userId), isConfirmed))
    .for('update')
  if (proof.credential) {
    const factor = factors.find(({ credentialId }) => credentialId === proof.credential?.id)
    return factor !== undefined && (await verifyFactor(context, tx, factor, proof, expectedChallenge))
  }
  for (const factor of factors.filter(({ kind }) => kind === 'totp'))
    if (await verifyTotp(context, tx, factor, proof.code)) return true
  const [used] = await tx
    .delete(authRecoveryCodes)
    .where(and(eq(authRecoveryCodes.userId, userId), eq(authRecoveryCodes.codeHash, hashToken(proof.code ?? ''))))
    .returning()
  if (!used) return false
  const left = await tx.$count(authRecoveryCodes, eq(authRecoveryCodes.userId, userId))
  const change = `A recovery code was used to log in to your X-Automated account. ${formatCount(left, 'code')} left.`
  await notifyOwner(context, tx, userId, change)
  return true
}

// Proofs

function verifyFactor(
  context: Context,
  tx: Db,
  factor: Row,
  proof: FactorProof,
  expectedChallenge: string | null,
): Promise<boolean> {
  return factor.kind === 'totp'
    ? verifyTotp(context, tx, factor, proof.code)
    : verifyPasskey(context, tx, factor, proof.credential, expectedChallenge)
}

/** Verifies a code and records its time step, so that it works only once. */
async function verifyTotp({ env }: Context, tx: Db, factor: Row, code: string | undefined): Promise<boolean> {
  if (!code || !factor.sealedSecret) return false
  const totp = new TOTP({ secret: Secret.fromBase32(sealerOf(env).open(factor.sealedSecret)), period: STEP_SECONDS })
  const now = Date.now()
  const apart = totp.validate({ token: code, timestamp: now, window: ALLOWED_DRIFT_STEPS })
  if (apart === null) return false
  const step = Math.floor(now / 1000 / STEP_SECONDS) + apart
  const [updated] = await tx
    .update(authFactors)
    .set({ lastStep: step, lastUsedAt: new Date(now) })
    .where(and(eq(authFactors.id, factor.id), or(isNull(authFactors.lastStep), lt(authFactors.lastStep, step))))
    .returning({ id: authFactors.id })
  return updated !== undefined
}

/** The pending challenge, unless it has expired. */
function challengeOf({ challenge, challengeExpiresAt }: Row): string | null {
  return challengeExpiresAt && challengeExpiresAt > new Date() ? challenge : null
}

async function registerPasskey(
  { origin }: Context,
  tx: Db,
  factor: Row,
  credential: Credential | undefined,
): Promise<boolean> {
  await tx.update(authFactors).set({ challenge: null }).where(eq(authFactors.id, factor.id))
  const expectedChallenge = challengeOf(factor)
  if (!credential || !expectedChallenge) return false
  const verification = await (await webauthn())
    .verifyRegistrationResponse({
      response: credential as never,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      supportedAlgorithmIDs: ALGORITHMS,
      requireUserVerification: false,
    })
    .catch(() => null)
  if (!verification?.verified) return false
  const { id, publicKey, counter, transports } = verification.registrationInfo.credential
  const [existing] = await tx.select({ id: authFactors.id }).from(authFactors).where(eq(authFactors.credentialId, id))
  if (existing) return false
  await tx
    .update(authFactors)
    .set({
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      signCount: counter,
      transports: transports ?? null,
    })
    .where(eq(authFactors.id, factor.id))
  return true
}

async function verifyPasskey(
  { origin }: Context,
  tx: Db,
  factor: Row,
  credential: Credential | undefined,
  expectedChallenge: string | null,
): Promise<boolean> {
  await tx.update(authFactors).set({ challenge: null }).where(eq(authFactors.id, factor.id))
  if (!credential || !expectedChallenge || !factor.credentialId || !factor.publicKey) return false
  const verification = await (await webauthn())
    .verifyAuthenticationResponse({
      response: credential as never,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: false,
      credential: {
        id: factor.credentialId,
        publicKey: new Uint8Array(Buffer.from(factor.publicKey, 'base64url')),
        counter: factor.signCount,
      },
    })
    .catch(() => null)
  if (!verification?.verified) return false
  await tx
    .update(authFactors)
    .set({ signCount: verification.authenticationInfo.newCounter, lastUsedAt: new Date() })
    .where(eq(authFactors.id, factor.id))
  return true
}

async function passkeyOptions(origin: string, passkeys: Row[]) {
  return (await webauthn()).generateAuthenticationOptions({
    rpID: new URL(origin).hostname,
    allowCredentials: credentialsOf(passkeys),
    userVerification: 'preferred',
  })
}

function credentialsOf(factors: Row[]) {
  return factors.flatMap(({ credentialId, transports }) =>
    credentialId ? [{ id: credentialId, ...(transports ? { transports } : {}) }] : [],
  )
}

// Rows

/** Emails the account's user, who may not have made the change. @param change a full sentence */
async function notifyOwner({ outbox, origin }: Context, tx: Db, userId: string, change: string): Promise<void> {
  const [user] = await tx.select({ email: authUsers.email }).from(authUsers).where(eq(authUsers.id, userId))
  if (user) await outbox.postAccount(tx, factorsChangedEmail(user.email, change, `${origin}/account`))
}

/** @throws Refusal FACTOR_NOT_FOUND */
async function findFactor(db: Db, { userId }: Actor, id: string): Promise<Row> {
  const [factor] = await db
    .select()
    .from(authFactors)
    .where(and(eq(authFactors.id, id), eq(authFactors.userId, userId)))
  if (!factor) throw new Refusal('FACTOR_NOT_FOUND')
  return factor
}

/** Deletes the recovery codes of an account without confirmed factors: they only replace a factor. */
async function removeOrphanedRecoveryCodes(tx: Db, userId: string): Promise<void> {
  const left = await tx.$count(authFactors, and(eq(authFactors.userId, userId), isConfirmed))
  if (left === 0) await tx.delete(authRecoveryCodes).where(eq(authRecoveryCodes.userId, userId))
}

/** Replaces all recovery codes. They have 80 bits each, so a plain hash is enough. */
async function createRecoveryCodes(tx: Db, userId: string): Promise<string[]> {
  await tx.delete(authRecoveryCodes).where(eq(authRecoveryCodes.userId, userId))
  const codes = Array.from({ length: RECOVERY_CODES }, () => randomBytes(10).toString('hex'))
  await tx.insert(authRecoveryCodes).values(codes.map((code) => ({ userId, codeHash: hashToken(code) })))
  return codes.map((code) => (code.match(/.{5}/g) ?? []).join('-'))
}

/** Deletes factors that were never confirmed, and expired tickets. */
export async function purgeUnfinishedFactors(db: Db): Promise<void> {
  await db
    .delete(authFactors)
    .where(and(isNull(authFactors.confirmedAt), lt(authFactors.challengeExpiresAt, sql`now()`)))
  await db.delete(authTickets).where(lt(authTickets.expiresAt, sql`now()`))
}

function sealerOf({ authSecret }: { authSecret: string }): Sealer {
  return createSealer(authSecret, 'x-automated second factors')
}

/** @param change a full sentence that says what happened */
function factorsChangedEmail(to: string, change: string, accountLink: string): Email {
  return {
    to,
    subject: 'Your second factor was changed',
    lines: [change],
    action: { label: 'Review second factors', link: accountLink },
    closing: "If this wasn't you, change your password and sign out all other devices.",
  }
}
