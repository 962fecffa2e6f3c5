import { and, desc, eq, inArray, ne, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Database, Db } from '../../db/open.ts'
import { type XApi, XError, type XTokens, type XUser } from '../../outside/x.ts'
import { Refusal } from '../../refusal.ts'
import type { Sealer } from '../../sealing.ts'
import { xAccounts } from './tables.ts'

export type XAccount = typeof xAccounts.$inferSelect
interface Needs {
  database: Database
  /** Null where X is not configured. */
  x: XApi | null
  sealer: Sealer
}

/** Access tokens are renewed when less than this is left of them. */
const RENEW_BEFORE_MS = 60_000

const CONNECTED = 'Twitter account connected successfully!'
const DISCONNECTED = 'Twitter account disconnected successfully!'
export const CONNECTION_LOST = 'X does not accept this connection any more. Connect the account again.'

/** The workspace's current X account, whatever its state; null where none was ever connected. */
export async function findCurrentAccount(db: Db, workspaceId: string): Promise<XAccount | null> {
  const [account] = await db
    .select()
    .from(xAccounts)
    .where(eq(xAccounts.workspaceId, workspaceId))
    .orderBy(sql`${xAccounts.status} = 'connected' desc`, desc(xAccounts.lastConnectedAt))
    .limit(1)
  return account ?? null
}

/** As `findCurrentAccount`, and connected. @throws Refusal X_NOT_CONNECTED */
export async function requireConnectedAccount(db: Db, workspaceId: string): Promise<XAccount> {
  const account = await findCurrentAccount(db, workspaceId)
  if (account?.status !== 'connected') throw new Refusal('X_NOT_CONNECTED')
  return account
}

/** @throws Refusal X_ACCOUNT_NOT_FOUND: none of that id in the workspace */
export async function findAccount(db: Db, workspaceId: string, id: string): Promise<XAccount> {
  const [account] = await db
    .select()
    .from(xAccounts)
    .where(and(eq(xAccounts.id, id), eq(xAccounts.workspaceId, workspaceId)))
  if (!account) throw new Refusal('X_ACCOUNT_NOT_FOUND')
  return account
}

export async function status({ database, x }: Needs, actor: Actor) {
  const account = await findCurrentAccount(database.db, actor.workspaceId)
  return {
    connected: account?.status === 'connected',
    lastConnected: account?.lastConnectedAt ?? null,
    handle: account && account.status !== 'disconnected' ? account.handle : null,
    methods: x ? await x.signInMethods() : [],
    reason: account?.status === 'lost' ? account.reason : null,
  }
}

/**
 * Signs in to X and keeps its tokens, sealed; the password goes to X and nowhere else.
 * @param remember keeps the answer together with the account
 * @throws Refusal X_CREDENTIALS_REFUSED, X_UNAVAILABLE
 */
export async function connectWithPassword(
  { database, x, sealer }: Needs,
  actor: Actor,
  input: { username: string; password: string },
  remember: (tx: Db, answer: unknown) => Promise<void> = async () => {},
) {
  if (!x) throw new Refusal('X_UNAVAILABLE', 'X is not configured on this server.')
  if (!(await x.signInMethods()).includes('password'))
    throw new Refusal('X_CREDENTIALS_REFUSED', 'X offers no sign-in by password here.')
  const { tokens, user } = await signInAt(x, input)
  const answer = { success: true as const, message: CONNECTED }
  await database.db.transaction(async (tx) => {
    await keepAccount(tx, sealer, actor, tokens, user)
    await remember(tx, answer)
  })
  return answer
}

async function signInAt(
  x: XApi,
  { username, password }: { username: string; password: string },
): Promise<{ tokens: XTokens; user: XUser }> {
  try {
    const tokens = await x.signInWithPassword(username, password)
    return { tokens, user: await x.findMe(tokens.accessToken) }
  } catch (error) {
    if (!(error instanceof XError)) throw error
    if (error.kind === 'credentials' || error.kind === 'unauthorized' || error.kind === 'invalid')
      throw new Refusal('X_CREDENTIALS_REFUSED')
    throw new Refusal('X_UNAVAILABLE', undefined, { cause: error })
  }
}

async function keepAccount(db: Db, sealer: Sealer, actor: Actor, tokens: XTokens, user: XUser): Promise<void> {
  const row = {
    ...sealedTokens(sealer, tokens),
    handle: user.handle,
    status: 'connected' as const,
    reason: null,
    lastConnectedAt: new Date(),
    updatedAt: new Date(),
  }
  await db
    .insert(xAccounts)
    .values({ ...row, workspaceId: actor.workspaceId, userId: actor.userId, xUserId: user.id })
    // Work that waited for this account goes on.
    .onConflictDoUpdate({
      target: [xAccounts.workspaceId, xAccounts.xUserId],
      set: { ...row, nextSendAt: sql`case when ${xAccounts.nextSendAt} is null then null else now() end` },
    })
}

/**
 * Ends the connection here and at X, of every account that the workspace has connected: the screen shows one, and says that none is left.
 * Campaigns keep what they have queued; nothing is sent until an account is connected again.
 */
export async function disconnect({ database, x, sealer }: Needs, actor: Actor) {
  const ended = await database.db.transaction(async (tx) => {
    // Behind a renewal that is under way, so that the token that X has given last is the one revoked.
    const accounts = await tx
      .select()
      .from(xAccounts)
      .where(and(eq(xAccounts.workspaceId, actor.workspaceId), ne(xAccounts.status, 'disconnected')))
      .orderBy(xAccounts.id)
      .for('update')
    if (accounts.length === 0) return []
    await tx
      .update(xAccounts)
      .set({
        status: 'disconnected',
        reason: null,
        sealedAccessToken: null,
        sealedRefreshToken: null,
        accessTokenExpiresAt: null,
        updatedAt: new Date(),
      })
      .where(
        inArray(
          xAccounts.id,
          accounts.map(({ id }) => id),
        ),
      )
    return accounts
  })
  const tokens = ended.map((account) => unseal(sealer, account.sealedRefreshToken ?? account.sealedAccessToken))
  // Best effort: our copy is gone already, and X forgets an access token after two hours.
  await Promise.allSettled(tokens.map((token) => x && token && x.revokeToken(token)))
  return { success: true as const, message: DISCONNECTED }
}

/** Says that X does not take our tokens any more: the screen shows the reason, and work waits until it is connected again. */
export async function markLost(db: Db, accountId: string, reason: string): Promise<void> {
  await db
    .update(xAccounts)
    .set({ status: 'lost', reason, updatedAt: new Date() })
    .where(and(eq(xAccounts.id, accountId), eq(xAccounts.status, 'connected')))
}

/**
 * An access token that is good for at least a minute. X's refresh tokens work once and a replay kills the family,
 * so it is renewed under a lock of the row, and kept before it is used.
 * @param renew also where it has not run out, because X has just refused it (only if it is still `renew` that is stored)
 * @throws XError unauthorized (the account is marked lost) and those of the refresh call
 */
export async function accessTokenOf(
  { database, x, sealer }: Needs,
  accountId: string,
  renew: string | null = null,
): Promise<string> {
  if (!x) throw new XError('unavailable', 'X is not configured.')
  const [quick] = await database.db.select().from(xAccounts).where(eq(xAccounts.id, accountId))
  const stored = goodToken(quick, sealer, renew)
  if (stored) return stored
  // The one place where a transaction waits for another service: the lock is what keeps a second process from replaying the token.
  const renewed = await database.db.transaction(async (tx) => {
    const [account] = await tx.select().from(xAccounts).where(eq(xAccounts.id, accountId)).for('update')
    const already = goodToken(account, sealer, renew)
    if (already) return already
    if (account?.status !== 'connected') return null
    const refreshToken = unseal(sealer, account.sealedRefreshToken)
    if (!refreshToken) return null
    try {
      const tokens = await x.refreshTokens(refreshToken)
      await tx
        .update(xAccounts)
        .set({ ...sealedTokens(sealer, tokens), updatedAt: new Date() })
        .where(eq(xAccounts.id, accountId))
      return tokens.accessToken
    } catch (error) {
      if (
        !(error instanceof XError) ||
        (error.kind !== 'credentials' && error.kind !== 'unauthorized' && error.kind !== 'invalid')
      )
        throw error
      return null
    }
  })
  if (renewed) return renewed
  await markLost(database.db, accountId, CONNECTION_LOST)
  throw new XError('unauthorized', CONNECTION_LOST)
}

/**
 * Calls X with the account's token; a token that X refuses is renewed once.
 * @throws XError; after `unauthorized` the account is marked lost
 */
export async function withAccount<T>(
  needs: Needs,
  accountId: string,
  call: (x: XApi, accessToken: string) => Promise<T>,
): Promise<T> {
  const token = await accessTokenOf(needs, accountId)
  const x = needs.x as XApi
  try {
    return await call(x, token)
  } catch (error) {
    if (!(error instanceof XError) || error.kind !== 'unauthorized') throw error
  }
  const fresh = await accessTokenOf(needs, accountId, token)
  try {
    return await call(x, fresh)
  } catch (error) {
    if (error instanceof XError && error.kind === 'unauthorized')
      await markLost(needs.database.db, accountId, CONNECTION_LOST)
    throw error
  }
}

function goodToken(account: XAccount | undefined, sealer: Sealer, refused: string | null): string | null {
  if (account?.status !== 'connected') return null
  const token = unseal(sealer, account.sealedAccessToken)
  if (!token || token === refused) return null
  return (account.accessTokenExpiresAt?.getTime() ?? 0) - Date.now() > RENEW_BEFORE_MS ? token : null
}

/** A stored token; null also where it was sealed under another AUTH_SECRET, as it is gone then. */
function unseal(sealer: Sealer, sealed: string | null): string | null {
  if (!sealed) return null
  try {
    return sealer.open(sealed)
  } catch {
    return null
  }
}

function sealedTokens(sealer: Sealer, tokens: XTokens) {
  return {
    sealedAccessToken: sealer.seal(tokens.accessToken),
    sealedRefreshToken: tokens.refreshToken ? sealer.seal(tokens.refreshToken) : null,
    accessTokenExpiresAt: tokens.expiresAt,
  }
}
