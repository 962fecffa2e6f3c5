import { randomInt } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import type { SignedPages } from '@x-automated/contract/outreach/extension-pages'
import {
  EXTENSION_TOKEN_PREFIX,
  PAIRING_CODE_MINUTES,
  PAIRINGS_MAX,
} from '@x-automated/contract/outreach/extension-pairings'
import { and, desc, eq, gt, sql } from 'drizzle-orm'
import type { Actor, WorkspaceScope } from '../../../actor.ts'
import { resolveAccount } from '../../../core/messages/accounts.ts'
import { findSendingState, type SendingEnv } from '../../../core/messages/sending-state.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { Refusal } from '../../../refusal.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { deviceNameOf } from '../../identity/account/sessions.ts'
import { redeemPairingCode, storePairingCode } from '../../identity/auth/pairing-codes.ts'
import {
  type AuthContext,
  beginSession,
  type Client,
  endSession,
  extendSession,
  isSsoSession,
} from '../../identity/auth/sessions.ts'
import { authSessions, authUsers } from '../../identity/auth/tables.ts'
import { extensionPairings, workspaces } from '../../identity/workspaces/tables.ts'
import { findRole } from '../../identity/workspaces/workspaces.ts'

// Pairing

/** Leaves out vowels, which could spell words, and ambiguous characters. */
const CODE_LETTERS = 'BCDFGHJKMNPQRSTVWXYZ23456789'

/** Creates a pairing code that is short enough to type, with 38 bits. */
function newCode(): string {
  return Array.from({ length: 8 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('')
}

/**
 * SQL condition for the pairings that a session may see and end: the user's or, in a session from
 * single sign-on, only those of this workspace.
 */
async function isVisibleTo(db: Db, actor: Actor) {
  const isOwn = eq(extensionPairings.userId, actor.userId)
  return (await isSsoSession(db, actor)) ? and(isOwn, eq(extensionPairings.workspaceId, actor.workspaceId)) : isOwn
}

/** The user's paired extensions. */
export async function list(db: Db, actor: Actor, latestVersion: string | null) {
  const rows = await db
    .select({ pairing: extensionPairings, userAgent: authSessions.userAgent })
    .from(extensionPairings)
    .innerJoin(authSessions, eq(authSessions.id, extensionPairings.sessionId))
    .where(and(await isVisibleTo(db, actor), gt(authSessions.expiresAt, sql`now()`)))
    .orderBy(desc(extensionPairings.reportedAt))
    .limit(PAIRINGS_MAX)
  const pairings = rows.map(({ pairing, userAgent }) => ({
    ...pairing,
    id: pairing.sessionId,
    device: deviceNameOf(userAgent),
    lastSeenAt: pairing.reportedAt,
  }))
  return { pairings, latestVersion }
}

/** Creates a pairing code and invalidates the previous one. @throws Refusal TOO_MANY */
export async function createCode(db: Db, actor: Actor) {
  const code = newCode()
  const expiresAt = new Date(Date.now() + PAIRING_CODE_MINUTES * 60_000)
  await db.transaction(async (tx) => {
    const paired = await tx.$count(extensionPairings, eq(extensionPairings.userId, actor.userId))
    if (paired >= PAIRINGS_MAX)
      throw new Refusal('TOO_MANY', `You already have ${PAIRINGS_MAX} paired extensions. Unpair one first.`)
    const { userId, workspaceId, sessionId } = actor
    await storePairingCode(tx, code, { userId, workspaceId, sessionId, expiresAt })
  })
  return { code: `${code.slice(0, 4)}-${code.slice(4)}`, expiresAt }
}

/** Exchanges a pairing code for an extension token. @throws Refusal INVALID_CODE, RATE_LIMITED */
export async function pair(
  { db, limits, request }: Omit<AuthContext, 'auth'>,
  { code, version }: InputOf<'extension', 'pair'>,
) {
  await limits.consume('pairByAddress', request)
  const token = EXTENSION_TOKEN_PREFIX + newToken()
  // The single sign-on may end in the meantime. A retry then finds no code.
  const account = await transact(db, async (tx) => {
    const redeemed = await redeemPairingCode(tx, code)
    if (!redeemed) return null
    const { userId, workspaceId } = redeemed
    const [from] = await tx.select().from(authSessions).where(eq(authSessions.id, redeemed.sessionId))
    if (!from) return null
    // The pairing ends with the single sign-on that created its code.
    const sessionId = await beginSession(tx, request, userId, from.ssoIdentityId)
    await tx.insert(extensionPairings).values({ sessionId, userId, workspaceId, version, tokenHash: hashToken(token) })
    return findAccount(tx, { userId, workspaceId })
  })
  if (!account)
    throw new Refusal('INVALID_CODE', 'This pairing code is wrong, already used or expired. Create a new one.')
  return { token, ...account }
}

async function findAccount(db: Db, { userId, workspaceId }: { userId: string; workspaceId: string }) {
  const [account] = await db
    .select({ email: authUsers.email, workspaceName: workspaces.name })
    .from(authUsers)
    .innerJoin(workspaces, eq(workspaces.id, workspaceId))
    .where(eq(authUsers.id, userId))
  if (!account) throw new Refusal('UNAUTHORIZED')
  return account
}

/** The token in an Authorization header, if it belongs to an extension; else null. */
export function extensionToken(authorization: string | null): string | null {
  const token = authorization?.match(/^Bearer ([\w-]+)$/i)?.[1]
  return token?.startsWith(EXTENSION_TOKEN_PREFIX) ? token : null
}

/**
 * Authenticates an extension. Reads the database on every call, so that unpairing takes effect
 * immediately. @throws Refusal UNAUTHORIZED: it was unpaired, or its user has left the workspace
 */
export async function authenticateExtension(db: Db, token: string): Promise<Actor> {
  const [pairing] = await db
    .select({
      sessionId: extensionPairings.sessionId,
      userId: extensionPairings.userId,
      workspaceId: extensionPairings.workspaceId,
    })
    .from(extensionPairings)
    .innerJoin(authSessions, eq(authSessions.id, extensionPairings.sessionId))
    .where(and(eq(extensionPairings.tokenHash, hashToken(token)), gt(authSessions.expiresAt, sql`now()`)))
  const role = pairing && (await findRole(db, pairing))
  if (!pairing || !role) throw new Refusal('UNAUTHORIZED', 'This extension is no longer paired.')
  return { ...pairing, workspaceId: pairing.workspaceId as WorkspaceScope, role }
}

/** The signed parts of X's pages. @throws Refusal NOT_FOUND: this server has no such data */
export function readPages(pages: SignedPages | null) {
  if (!pages) throw new Refusal('NOT_FOUND', 'This server has no page data for the extension.')
  return pages
}

interface Report {
  version: string
  signedInAs: string | null
  paused: boolean
  pageChanged: string | null
  sendsInBackground: boolean
}

/**
 * Stores an extension's report and returns the state of sending. @throws Refusal PAIRING_NOT_FOUND:
 * the caller is not an extension
 */
export async function report(
  { db, env, request }: { db: Db; env: SendingEnv; request: Client },
  actor: Actor,
  report: Report,
  latestVersion: string | null,
) {
  const [pairing] = await db
    .update(extensionPairings)
    .set({ ...report, reportedAt: sql`now()` })
    .where(eq(extensionPairings.sessionId, actor.sessionId))
    .returning({ workspaceId: extensionPairings.workspaceId })
  if (!pairing) throw new Refusal('PAIRING_NOT_FOUND')
  await extendSession(db, actor.sessionId, request)
  const account = await findAccount(db, { userId: actor.userId, workspaceId: pairing.workspaceId })
  return { account, ...(await readSending(db, actor, env)), latestVersion }
}

/** Counts the campaigns and messages that wait for the extension, and what the next X account used of its cap. */
async function readSending(db: Db, actor: Actor, env: SendingEnv) {
  const { workspaceId } = actor
  const { rows } = await db.execute<{ campaigns: number; queued: number; accountId: string | null }>(sql`
    select count(*)::int as campaigns, coalesce(sum(dms_queued_count), 0)::int as queued,
      (array_agg(x_account_id order by created_at, id))[1] as "accountId"
    from campaigns
    where workspace_id = ${workspaceId}
      and kind = 'campaign'
      and status = 'active'
      and channel = 'extension'
      and dms_queued_count > 0`)
  const { campaigns: waiting, queued, accountId } = one(rows)
  const account = await resolveAccount(db, workspaceId, accountId)
  const { cap, countedInDay } = await findSendingState(db, env, {
    workspaceId,
    account,
    channel: 'extension',
  })
  return { campaigns: waiting, queued, sentToday: countedInDay, dailyCap: cap.cap }
}

/** Ends one of the user's pairings. An extension can end its own. @throws Refusal PAIRING_NOT_FOUND */
export async function unpair({ db, auth }: Pick<AuthContext, 'db' | 'auth'>, actor: Actor, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [pairing] = await tx
      .select({ id: extensionPairings.sessionId })
      .from(extensionPairings)
      .where(and(eq(extensionPairings.sessionId, id), await isVisibleTo(tx, actor)))
    if (!pairing) throw new Refusal('PAIRING_NOT_FOUND')
    await endSession(tx, auth, { userId: actor.userId, id: pairing.id })
  })
}
