import { createHmac } from 'node:crypto'
import type { XCallbackOutcome } from '@x-automated/contract/x-account'
import { and, asc, desc, eq, inArray, lt, ne, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type Actor, roleAllows } from '../../actor.ts'
import type { Database, Db } from '../../db/open.ts'
import { type XApi, type XAuthorization, XDeclined, XError, type XTokens, type XUser } from '../../outside/x.ts'
import { Refusal } from '../../refusal.ts'
import { hashToken, newToken, type Sealer } from '../../sealing.ts'
import { beyondPlan, limitOn } from '../billing/service.ts'
import { workspaceMembers } from '../workspaces/tables.ts'
import { xAccounts, xAuthorizations } from './tables.ts'

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

/** Of a workspace's accounts the current one comes first: of those it has not let go of, the one chosen last. */
const currentFirst = [sql`${xAccounts.status} = 'disconnected'`, desc(xAccounts.chosenAt), desc(xAccounts.id)]

/** The workspace's current X account, whatever its state; null where none was ever connected. */
export async function findCurrentAccount(db: Db, workspaceId: string): Promise<XAccount | null> {
  const [account] = await db
    .select()
    .from(xAccounts)
    .where(eq(xAccounts.workspaceId, workspaceId))
    .orderBy(...currentFirst)
    .limit(1)
  return account ?? null
}

/** As `findCurrentAccount`, unless the workspace has let go of it. */
export async function findKeptAccount(db: Db, workspaceId: string): Promise<XAccount | null> {
  const account = await findCurrentAccount(db, workspaceId)
  return account?.status === 'disconnected' ? null : account
}

/** As `findCurrentAccount`, and connected. @throws Refusal X_NOT_CONNECTED */
export async function requireConnectedAccount(db: Db, workspaceId: string): Promise<XAccount> {
  const account = await findCurrentAccount(db, workspaceId)
  if (account?.status !== 'connected') throw new Refusal('X_NOT_CONNECTED')
  return account
}

/** The account that something goes through: the one it was given, or the current one. @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function accountInUse(db: Db, workspaceId: string, id: string | null): Promise<XAccount | null> {
  return id === null ? findCurrentAccount(db, workspaceId) : findAccount(db, workspaceId, id)
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

/** An account as the contract shows it. */
function view(account: XAccount, currentId: string | undefined) {
  const { id, handle, status: state, reason, lastConnectedAt } = account
  return {
    id,
    handle,
    status: state === 'lost' ? ('lost' as const) : ('connected' as const),
    reason,
    isCurrent: id === currentId,
    lastConnected: lastConnectedAt,
  }
}

/** Accounts that the workspace has not let go of, the current one first, and how many it may have. */
export async function list(db: Db, actor: Actor) {
  const [rows, { plan, limit }] = await Promise.all([
    db
      .select()
      .from(xAccounts)
      .where(and(eq(xAccounts.workspaceId, actor.workspaceId), ne(xAccounts.status, 'disconnected')))
      .orderBy(...currentFirst),
    limitOn(db, actor.workspaceId, 'xAccounts'),
  ])
  return { accounts: rows.map((row) => view(row, rows[0]?.id)), limit, plan }
}

/** An account that the workspace has not let go of. @throws Refusal X_ACCOUNT_NOT_FOUND */
async function findOwn(db: Db, actor: Actor, id: string): Promise<XAccount> {
  const account = await findAccount(db, actor.workspaceId, id)
  if (account.status === 'disconnected') throw new Refusal('X_ACCOUNT_NOT_FOUND')
  return account
}

async function show(db: Db, actor: Actor, id: string) {
  const [account, current] = await Promise.all([findOwn(db, actor, id), findCurrentAccount(db, actor.workspaceId)])
  return view(account, current?.id)
}

/** Makes an account the current one. @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function choose(db: Db, actor: Actor, id: string) {
  return db.transaction(async (tx) => {
    const { status: state } = await findOwn(tx, actor, id)
    await tx
      .update(xAccounts)
      .set({ chosenAt: sql`greatest(clock_timestamp(), ${latestChoice(actor.workspaceId)} + interval '1 ms')` })
      .where(eq(xAccounts.id, id))
    // Scrapes that wait for a connection have one now.
    if (state === 'connected') await tellConnected(tx, actor.workspaceId)
    return show(tx, actor, id)
  })
}

function latestChoice(workspaceId: string) {
  return sql`(select max(chosen_at) from x_accounts where workspace_id = ${workspaceId})`
}

/** As the trigger on x_accounts tells of an account that was connected. */
async function tellConnected(db: Db, workspaceId: string): Promise<void> {
  await db.execute(sql`select pg_notify('scrapes', 'connected:' || ${workspaceId}::text)`)
}

/**
 * Asks X whether it takes the account's tokens. One that it had shut out and takes again is connected again.
 * @throws Refusal X_ACCOUNT_NOT_FOUND, X_UNAVAILABLE, PLAN_LIMIT (it would be one too many again)
 */
export async function check(needs: Needs, actor: Actor, id: string) {
  const { db } = needs.database
  const before = await findOwn(db, actor, id)
  try {
    const user = await withAccount(needs, id, (x, token) => x.findMe(token), 'also lost ones')
    await db.transaction(async (tx) => {
      if (before.status === 'lost') {
        await lockAccounts(tx, actor.workspaceId)
        await requireRoom(tx, actor.workspaceId, before.xUserId)
      }
      await tx
        .update(xAccounts)
        .set({
          handle: user.handle,
          updatedAt: new Date(),
          ...(before.status === 'lost'
            ? { status: 'connected', reason: null, lastConnectedAt: new Date(), ...WAKE }
            : {}),
        })
        .where(and(eq(xAccounts.id, id), eq(xAccounts.status, before.status)))
    })
  } catch (error) {
    if (!(error instanceof XError)) throw error
    // Whoever is shut out has been marked so, with the reason.
    if (!SHUT_OUT.has(error.kind)) throw new Refusal('X_UNAVAILABLE', undefined, { cause: error })
  }
  return show(db, actor, id)
}

/** What X says when nothing more is to be had with an account's tokens. */
const SHUT_OUT = new Set(['unauthorized', 'credentials', 'account'])

/**
 * Signs in to X and keeps its tokens, sealed; the password goes to X and nowhere else.
 * @param remember keeps the answer together with the account
 * @throws Refusal X_CREDENTIALS_REFUSED, X_UNAVAILABLE, PLAN_LIMIT
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
  try {
    const former = await database.db.transaction(async (tx) => {
      const tokensBefore = await keepAccount(tx, sealer, actor, tokens, user)
      await remember(tx, answer)
      return tokensBefore
    })
    if (former) await giveUp(x, former)
  } catch (error) {
    if (error instanceof Refusal) await giveUp(x, tokens)
    throw error
  }
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

/** Tells X that we want these tokens no more, as well as it goes: X forgets an access token by itself after two hours. */
async function giveUp(x: XApi, { refreshToken, accessToken }: Pick<XTokens, 'refreshToken' | 'accessToken'>) {
  await x.revokeToken(refreshToken ?? accessToken).catch(() => {})
}

// On X's own page

const AUTHORIZATION_SECONDS = 10 * 60
/** Where X sends the browser back to, on our own origin. */
export const CALLBACK_PATH = '/api/session/callback'
/** Binds the callback to the browser that began. */
export const AUTHORIZATION_COOKIE = 'x-authorization'

type AuthorizationNeeds = Needs & { origin: string; env: { authSecret: string } }

/**
 * Begins a connection on X's own page.
 * @returns its address, and what the browser has to bring back besides X's answer
 * @throws Refusal X_UNAVAILABLE, PLAN_LIMIT (no further account fits)
 */
export async function authorize(context: AuthorizationNeeds, actor: Actor): Promise<{ url: string; cookie: string }> {
  const { x, database } = context
  if (!x) throw new Refusal('X_UNAVAILABLE', 'X is not configured on this server.')
  await requireRoom(database.db, actor.workspaceId, null)
  const state = newToken()
  const cookie = newToken()
  const url = await x.authorizeUrl(requestOf(context, state))
  await database.db.insert(xAuthorizations).values({
    stateHash: hashToken(state),
    cookieHash: hashToken(cookie),
    workspaceId: actor.workspaceId,
    userId: actor.userId,
    expiresAt: new Date(Date.now() + AUTHORIZATION_SECONDS * 1_000),
  })
  return { url, cookie }
}

/** The verifier follows from the state, so that it does not have to be stored. */
function requestOf({ env, origin }: AuthorizationNeeds, state: string): XAuthorization {
  const codeVerifier = createHmac('sha256', env.authSecret).update(`x verifier\n${state}`).digest('base64url')
  return { state, codeVerifier, redirectUri: `${origin}${CALLBACK_PATH}` }
}

/** Takes what X sent to our callback. @param cookie what the browser brought back beside it, if anything */
export async function finishAuthorize(
  context: AuthorizationNeeds & { log: FastifyBaseLogger },
  callback: URL,
  cookie: string | null,
): Promise<XCallbackOutcome> {
  const { x, database, sealer, log } = context
  const state = callback.searchParams.get('state') ?? ''
  const [begun] = await database.db
    .delete(xAuthorizations)
    .where(eq(xAuthorizations.stateHash, hashToken(state)))
    .returning()
  if (!x || !begun || begun.expiresAt < new Date() || hashToken(cookie ?? '') !== begun.cookieHash) return 'failed'
  try {
    const tokens = await x.finishAuthorization(callback, requestOf(context, state))
    try {
      const user = await x.findMe(tokens.accessToken)
      const { outcome, former } = await database.db.transaction(async (tx) => {
        // Whoever began may have lost the right to it since.
        const [member] = await tx
          .select({ role: workspaceMembers.role })
          .from(workspaceMembers)
          .where(and(eq(workspaceMembers.workspaceId, begun.workspaceId), eq(workspaceMembers.userId, begun.userId)))
        if (!member || !roleAllows(member.role, 'admin')) throw new Refusal('FORBIDDEN')
        const former = await keepAccount(tx, sealer, begun, tokens, user)
        return { former, outcome: (await isShared(tx, begun.workspaceId, user.id)) ? 'shared' : 'connected' } as const
      })
      if (former) await giveUp(x, former)
      return outcome
    } catch (error) {
      await giveUp(x, tokens)
      throw error
    }
  } catch (error) {
    const outcome = outcomeOf(error)
    // Neither holds a code, a token or a handle.
    if (outcome === 'failed' || outcome === 'unavailable')
      log.warn({ reason: error instanceof Error ? error.message : 'unknown' }, 'connecting X failed')
    return outcome
  }
}

function outcomeOf(error: unknown): XCallbackOutcome {
  if (error instanceof XDeclined) return error.cancelled ? 'cancelled' : 'failed'
  if (error instanceof Refusal) return error.code === 'PLAN_LIMIT' ? 'limit' : 'forbidden'
  if (!(error instanceof XError)) throw error
  return error.kind === 'unavailable' || error.kind === 'unknown' || error.kind === 'rate-limit'
    ? 'unavailable'
    : 'failed'
}

/** Has another workspace connected the same account of X? Its pace and its cap then hold over both. */
async function isShared(db: Db, workspaceId: string, xUserId: string): Promise<boolean> {
  const [other] = await db
    .select({ id: xAccounts.id })
    .from(xAccounts)
    .where(
      and(eq(xAccounts.xUserId, xUserId), ne(xAccounts.workspaceId, workspaceId), eq(xAccounts.status, 'connected')),
    )
    .limit(1)
  return other !== undefined
}

/** Removes connections that nobody came back from. */
export async function forgetExpiredAuthorizations(db: Db): Promise<void> {
  await db.delete(xAuthorizations).where(lt(xAuthorizations.expiresAt, sql`now()`))
}

/** Work that waited for an account goes on. */
const WAKE = { nextSendAt: sql`case when ${xAccounts.nextSendAt} is null then null else now() end` }

/**
 * Makes sure that one more account may be connected. Accounts that were lost or let go of take no place.
 * @param xUserId of the account to be connected, which takes no second place; null: any further one
 * @throws Refusal PLAN_LIMIT
 */
async function requireRoom(db: Db, workspaceId: string, xUserId: string | null): Promise<void> {
  const { plan, limit } = await limitOn(db, workspaceId, 'xAccounts')
  const used = await db.$count(
    xAccounts,
    and(
      eq(xAccounts.workspaceId, workspaceId),
      eq(xAccounts.status, 'connected'),
      ...(xUserId === null ? [] : [ne(xAccounts.xUserId, xUserId)]),
    ),
  )
  if (used >= limit) throw beyondPlan({ plan, used }, 'xAccounts')
}

/** Connects accounts of a workspace one after the other until the transaction ends, so that two at once do not both take the last place. */
async function lockAccounts(db: Db, workspaceId: string): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended('x accounts:' || ${workspaceId}::text, 0))`)
}

/**
 * Keeps an account with its tokens. A new one becomes the current one, and so does one that is connected again while the current one is not connected.
 * @returns the tokens that it had before, of which X may forget then: one that the account is renewed to meanwhile is waited for
 * @throws Refusal PLAN_LIMIT
 */
async function keepAccount(
  db: Db,
  sealer: Sealer,
  { workspaceId, userId }: { workspaceId: string; userId: string },
  tokens: XTokens,
  user: XUser,
): Promise<Pick<XTokens, 'refreshToken' | 'accessToken'> | null> {
  await lockAccounts(db, workspaceId)
  await requireRoom(db, workspaceId, user.id)
  const [before] = await db
    .select()
    .from(xAccounts)
    .where(and(eq(xAccounts.workspaceId, workspaceId), eq(xAccounts.xUserId, user.id)))
    .for('update')
  const current = await findCurrentAccount(db, workspaceId)
  const row = {
    ...sealedTokens(sealer, tokens),
    handle: user.handle,
    status: 'connected' as const,
    reason: null,
    lastConnectedAt: new Date(),
    updatedAt: new Date(),
  }
  const chosenAt = sql`greatest(clock_timestamp(), ${latestChoice(workspaceId)} + interval '1 ms')`
  await db
    .insert(xAccounts)
    .values({ ...row, workspaceId, userId, xUserId: user.id, chosenAt })
    .onConflictDoUpdate({
      target: [xAccounts.workspaceId, xAccounts.xUserId],
      set: {
        ...row,
        ...WAKE,
        chosenAt:
          current?.status === 'connected'
            ? sql`case when ${xAccounts.status} = 'disconnected' then ${chosenAt} else ${xAccounts.chosenAt} end`
            : chosenAt,
      },
    })
  const accessToken = unseal(sealer, before?.sealedAccessToken ?? null)
  return accessToken ? { accessToken, refreshToken: unseal(sealer, before?.sealedRefreshToken ?? null) } : null
}

/** Ends the connection of the current account, here and at X. */
export async function disconnect(needs: Needs, actor: Actor) {
  const current = await findCurrentAccount(needs.database.db, actor.workspaceId)
  return end(needs, actor, current ? [current.id] : [])
}

/** @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function disconnectOne(needs: Needs, actor: Actor, id: string) {
  await findOwn(needs.database.db, actor, id)
  return end(needs, actor, [id])
}

/** Ends the connection of every account of the workspace. */
export async function disconnectAll(needs: Needs, actor: Actor): Promise<void> {
  const { accounts } = await list(needs.database.db, actor)
  await end(
    needs,
    actor,
    accounts.map(({ id }) => id),
  )
}

/**
 * Ends connections here and at X. Campaigns keep what they have queued; nothing more is sent from these accounts until they are connected again.
 * Where the current one goes, the one chosen before takes its place.
 */
async function end({ database, x, sealer }: Needs, actor: Actor, ids: string[]) {
  const ended = await database.db.transaction(async (tx) => {
    // Behind a renewal that is under way, so that the token that X has given last is the one revoked.
    const accounts = await tx
      .select()
      .from(xAccounts)
      .where(
        and(
          eq(xAccounts.workspaceId, actor.workspaceId),
          ne(xAccounts.status, 'disconnected'),
          inArray(xAccounts.id, ids),
        ),
      )
      .orderBy(asc(xAccounts.id))
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
    // What waited for the one that went may go on with the one that is current now.
    const current = await findCurrentAccount(tx, actor.workspaceId)
    if (current?.status === 'connected') await tellConnected(tx, actor.workspaceId)
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
 * @param accepted whether also of an account that X had shut out
 * @throws XError unauthorized (the account is marked lost) and those of the refresh call
 */
export async function accessTokenOf(
  { database, x, sealer }: Needs,
  accountId: string,
  renew: string | null = null,
  accepted: Accepted = 'connected ones',
): Promise<string> {
  if (!x) throw new XError('unavailable', 'X is not configured.')
  const [quick] = await database.db.select().from(xAccounts).where(eq(xAccounts.id, accountId))
  const stored = goodToken(quick, sealer, renew, accepted)
  if (stored) return stored
  // The one place where a transaction waits for another service: the lock is what keeps a second process from replaying the token.
  const renewed = await database.db.transaction(async (tx) => {
    const [account] = await tx.select().from(xAccounts).where(eq(xAccounts.id, accountId)).for('update')
    const already = goodToken(account, sealer, renew, accepted)
    if (already) return already
    if (!isAccepted(account, accepted)) return null
    // Still under the lock: who connects it again meanwhile waits, and is not marked for tokens that were not theirs.
    const lose = () => markLost(tx, accountId, CONNECTION_LOST).then(() => null)
    const refreshToken = unseal(sealer, account.sealedRefreshToken)
    if (!refreshToken) return lose()
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
      return lose()
    }
  })
  if (renewed) return renewed
  throw new XError('unauthorized', CONNECTION_LOST)
}

/** Whose tokens may be used: those of accounts that are connected, or also of one that X had shut out, to see whether it still does. */
type Accepted = 'connected ones' | 'also lost ones'

function isAccepted(account: XAccount | undefined, accepted: Accepted): account is XAccount {
  return account?.status === 'connected' || (account?.status === 'lost' && accepted === 'also lost ones')
}

/**
 * Calls X with the account's token; a token that X refuses is renewed once.
 * @throws XError; after `unauthorized` and `account` (locked, suspended, taken for automated) the account is marked lost, and nothing more is done with it
 */
export async function withAccount<T>(
  needs: Needs,
  accountId: string,
  call: (x: XApi, accessToken: string) => Promise<T>,
  accepted: Accepted = 'connected ones',
): Promise<T> {
  const token = await accessTokenOf(needs, accountId, null, accepted)
  const x = needs.x as XApi
  const lose = (reason: string) => markLost(needs.database.db, accountId, reason)
  const onceMore = async () => call(x, await accessTokenOf(needs, accountId, token, accepted))
  return call(x, token)
    .catch((error) => {
      if (error instanceof XError && error.kind === 'unauthorized') return onceMore()
      throw error
    })
    .catch(async (error) => {
      if (error instanceof XError && error.kind === 'unauthorized') await lose(CONNECTION_LOST)
      if (error instanceof XError && error.kind === 'account') await lose(error.message)
      throw error
    })
}

function goodToken(
  account: XAccount | undefined,
  sealer: Sealer,
  refused: string | null,
  accepted: Accepted,
): string | null {
  if (!isAccepted(account, accepted)) return null
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
