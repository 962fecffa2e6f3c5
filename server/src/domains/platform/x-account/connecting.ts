import { createHmac } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import type { XCallbackOutcome } from '@x-automated/contract/platform/x-account'
import { and, eq, gt, lt, max, min, ne, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type Actor, roleAllows } from '../../../actor.ts'
import { assignToCampaigns, findCurrentAccount, WAKE } from '../../../core/messages/accounts.ts'
import { restartReading } from '../../../core/replies/watches.ts'
import { secondsFromNow } from '../../../db/columns.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { type XAuthorization, XDeclined } from '../../../outside/x.ts'
import { XError } from '../../../outside/x-errors.ts'
import type { XTokens, XUser } from '../../../outside/x-schemas.ts'
import type { XAppClient } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { workspaceMembers } from '../../identity/workspaces/tables.ts'
import { withFunds } from '../x-costs/funds.ts'
import { chosenNow, lockAccounts, requireRoom } from './accounts.ts'
import { restores, X_KEEPS_DAYS, xAccounts, xAuthorizations } from './tables.ts'
import { type ConnectNeeds, sealedTokens, unseal } from './tokens.ts'

const CONNECTED = 'Twitter account connected successfully!'

/**
 * Signs in to X and stores its sealed tokens, never the password. @param remember stores the
 * response in the same transaction @throws Refusal X_CREDENTIALS_REFUSED, X_UNAVAILABLE, PLAN_LIMIT
 */
export async function connectWithPassword(
  needs: ConnectNeeds,
  actor: Actor,
  input: InputOf<'xAccount', 'connect'>,
  remember: (tx: Db, result: unknown) => Promise<void> = async () => {},
) {
  const { database } = needs
  const xApp = await requireApp(needs, actor)
  if (!(await xApp.x.signInMethods()).includes('password'))
    throw new Refusal('X_CREDENTIALS_REFUSED', 'X does not offer password sign-in here.')
  const { tokens, user } = await signInAt(needs, xApp, input)
  const result = { success: true as const, message: CONNECTED }
  try {
    const former = await database.db.transaction(async (tx) => {
      const tokensBefore = await saveAccount(tx, needs, actor, { xApp, tokens, user })
      await remember(tx, result)
      return tokensBefore
    })
    await assignToCampaigns(database.db, actor.workspaceId)
    if (former) await revokeTokens(former.xApp, former)
  } catch (error) {
    if (error instanceof Refusal) await revokeTokens(xApp, tokens)
    throw error
  }
  return result
}

/** The app with which the workspace connects accounts. @throws Refusal X_UNAVAILABLE: there is none */
async function requireApp({ database, x, xApps }: ConnectNeeds, { workspaceId }: Actor): Promise<XAppClient> {
  if (!x) throw new Refusal('X_UNAVAILABLE', 'X is not configured on this server.')
  const xApp = await xApps.findOf(database.db, workspaceId)
  if (!xApp) throw new Refusal('X_UNAVAILABLE', 'Bring your own X app first, in the settings.')
  return xApp
}

async function signInAt(
  needs: ConnectNeeds,
  xApp: XAppClient,
  { username, password }: InputOf<'xAccount', 'connect'>,
): Promise<{ tokens: XTokens; user: XUser }> {
  try {
    const tokens = await xApp.x.signInWithPassword(username, password)
    return { tokens, user: await findConnected(needs, xApp, tokens) }
  } catch (error) {
    if (!(error instanceof XError)) throw error
    if (error.kind === 'credentials' || error.kind === 'unauthorized' || error.kind === 'invalid')
      throw new Refusal('X_CREDENTIALS_REFUSED')
    throw unavailable(error)
  }
}

/**
 * Asks X who has signed in, for which it charges. An app without credits is tried as well, because
 * without connected accounts nothing else would try it. @throws XError
 */
async function findConnected(
  { database, xMeters }: ConnectNeeds,
  { id: appId, x }: XAppClient,
  { accessToken }: XTokens,
) {
  const user = await withFunds(database.db, appId, () => x.findMe(accessToken), true)
  xMeters.count({ appId, accountXUserId: user.id, purpose: 'lookup', resource: 'user', id: user.id })
  return user
}

/** The refusal if X did not respond to a call that a user made. */
export function unavailable(cause: XError): Refusal {
  return new Refusal('X_UNAVAILABLE', cause.kind === 'funds' ? cause.message : undefined, { cause })
}

/** Revokes tokens on a best-effort basis: X's access tokens expire after two hours anyway. */
async function revokeTokens(
  { x }: XAppClient,
  { refreshToken, accessToken }: Pick<XTokens, 'refreshToken' | 'accessToken'>,
) {
  await x.revokeToken(refreshToken ?? accessToken).catch(() => {})
}

// On X's own page

const AUTHORIZATION_SECONDS = 10 * 60
/** The path on our origin to which X redirects. */
export const CALLBACK_PATH = '/api/session/callback'
/** Cookie that binds the callback to the browser that started it. */
export const AUTHORIZATION_COOKIE = 'x-authorization'

type AuthorizationNeeds = ConnectNeeds & { origin: string; env: { authSecret: string } }

/** Starts connecting on X's own page. @returns its URL, and the cookie to send back */
export async function authorize(context: AuthorizationNeeds, actor: Actor): Promise<{ url: string; cookie: string }> {
  const { database } = context
  const xApp = await requireApp(context, actor)
  await requireRoom(database.db, actor.workspaceId, null)
  const state = newToken()
  const cookie = newToken()
  const url = await xApp.x.authorizeUrl(requestOf(context, state))
  await database.db.insert(xAuthorizations).values({
    stateHash: hashToken(state),
    cookieHash: hashToken(cookie),
    workspaceId: actor.workspaceId,
    userId: actor.userId,
    xAppId: xApp.id,
    expiresAt: secondsFromNow(AUTHORIZATION_SECONDS),
  })
  return { url, cookie }
}

/** Builds the authorization request of a state, from which the verifier is derived, so it need not be stored. */
function requestOf({ env, origin }: AuthorizationNeeds, state: string): XAuthorization {
  const codeVerifier = createHmac('sha256', env.authSecret).update(`x verifier\n${state}`).digest('base64url')
  return { state, codeVerifier, redirectUri: `${origin}${CALLBACK_PATH}` }
}

/** Handles X's callback. @param cookie the value of the authorization cookie, if any */
export async function finishAuthorize(
  context: AuthorizationNeeds & { log: FastifyBaseLogger },
  callback: URL,
  cookie: string | null,
): Promise<XCallbackOutcome> {
  const { xApps, database, log } = context
  const state = callback.searchParams.get('state') ?? ''
  const [begun] = await database.db
    .delete(xAuthorizations)
    .where(eq(xAuthorizations.stateHash, hashToken(state)))
    .returning()
  if (!begun || begun.expiresAt < new Date() || hashToken(cookie ?? '') !== begun.cookieHash) return 'failed'
  const xApp = await xApps.find(database.db, begun.xAppId)
  if (!xApp) return 'failed'
  try {
    const tokens = await xApp.x.finishAuthorization(callback, requestOf(context, state))
    try {
      const user = await findConnected(context, xApp, tokens)
      const { outcome, former } = await database.db.transaction(async (tx) => {
        // The user may have lost the admin role since.
        const [member] = await tx
          .select({ role: workspaceMembers.role })
          .from(workspaceMembers)
          .where(and(eq(workspaceMembers.workspaceId, begun.workspaceId), eq(workspaceMembers.userId, begun.userId)))
        if (!member || !roleAllows(member.role, 'admin')) throw new Refusal('FORBIDDEN')
        const former = await saveAccount(tx, context, begun, { xApp, tokens, user })
        return { former, outcome: (await isShared(tx, begun.workspaceId, user.id)) ? 'shared' : 'connected' } as const
      })
      await assignToCampaigns(database.db, begun.workspaceId)
      if (former) await revokeTokens(former.xApp, former)
      return outcome
    } catch (error) {
      await revokeTokens(xApp, tokens)
      throw error
    }
  } catch (error) {
    const outcome = outcomeOf(error)
    // Such messages contain no codes, tokens or handles.
    if (outcome === 'failed' || outcome === 'unavailable')
      log.warn({ reason: error instanceof Error ? error.message : 'unknown' }, 'connecting X failed')
    return outcome
  }
}

const REFUSED = new Map<string, XCallbackOutcome>([
  ['PLAN_LIMIT', 'limit'],
  ['X_UNAVAILABLE', 'failed'],
])

function outcomeOf(error: unknown): XCallbackOutcome {
  if (error instanceof XDeclined) return error.cancelled ? 'cancelled' : 'failed'
  if (error instanceof Refusal) return REFUSED.get(error.code) ?? 'forbidden'
  if (!(error instanceof XError)) throw error
  return LATER.has(error.kind) ? 'unavailable' : 'failed'
}

/** Errors after which connecting may work later. */
const LATER = new Set(['unavailable', 'unknown', 'rate-limit', 'funds'])

/** Whether another workspace has connected the account, too. They then share its cap and interval. */
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

/** Deletes expired authorizations. */
export async function purgeExpiredAuthorizations(db: Db): Promise<void> {
  await db.delete(xAuthorizations).where(lt(xAuthorizations.expiresAt, sql`now()`))
}

/** The former tokens of an account, and the app that issued them. */
type Former = Pick<XTokens, 'refreshToken' | 'accessToken'> & { xApp: XAppClient }

/**
 * Stores an account with its tokens. It becomes current if it is new or the current one is not
 * connected. @returns its previous tokens, to be revoked @throws Refusal PLAN_LIMIT; X_UNAVAILABLE:
 * the workspace has changed its app in the meantime
 */
async function saveAccount(
  db: Db,
  { sealer, jobs, xApps }: Pick<ConnectNeeds, 'sealer' | 'jobs' | 'xApps'>,
  { workspaceId, userId }: { workspaceId: string; userId: string },
  { xApp, tokens, user }: { xApp: XAppClient; tokens: XTokens; user: XUser },
): Promise<Former | null> {
  await lockAccounts(db, workspaceId)
  if ((await xApps.findOf(db, workspaceId))?.id !== xApp.id)
    throw new Refusal('X_UNAVAILABLE', 'The X app of this workspace has changed. Try again.')
  await requireRoom(db, workspaceId, user.id)
  const [before] = await db
    .select()
    .from(xAccounts)
    .where(and(eq(xAccounts.workspaceId, workspaceId), eq(xAccounts.xUserId, user.id)))
    .for('update')
  const current = await findCurrentAccount(db, workspaceId)
  const row = {
    ...sealedTokens(sealer, tokens),
    userId,
    xAppId: xApp.id,
    handle: user.handle,
    handleReadAt: new Date(),
    profileImageUrl: user.profileImageUrl,
    followerCount: user.followerCount,
    status: 'connected' as const,
    reason: null,
    lastConnectedAt: new Date(),
    updatedAt: new Date(),
  }
  const chosenAt = chosenNow(workspaceId)
  const unread = await findUnread(db)
  await db
    .insert(xAccounts)
    .values({ ...row, workspaceId, xUserId: user.id, chosenAt, ...unread })
    .onConflictDoUpdate({
      target: [xAccounts.workspaceId, xAccounts.xUserId],
      set: {
        ...row,
        ...WAKE,
        ...(before && before.userId !== userId ? UNDECIDED : {}),
        chosenAt:
          current?.status === 'connected'
            ? sql`case when ${xAccounts.status} = 'disconnected' then ${chosenAt} else ${xAccounts.chosenAt} end`
            : chosenAt,
      },
    })
  // Another workspace may share the account. Reading restarts at the newest message.
  if (!before && unread.unreadSince) await restartReading(db, user.id)
  await jobs.enqueue(db, 'find-watches', {})
  const accessToken = unseal(sealer, before?.sealedAccessToken ?? null)
  const xAppBefore = before && accessToken ? await xApps.find(db, before.xAppId) : null
  if (!before || !accessToken || !xAppBefore) return null
  return { accessToken, refreshToken: unseal(sealer, before.sealedRefreshToken), xApp: xAppBefore }
}

/** Set when another person connects the account: consent is personal. Stored texts stay until that person decides. */
const UNDECIDED = { storesConversations: null, consentBy: null, consentAt: null, offersUnknownSenders: false }

/**
 * The period whose messages a restore may have lost for an account that the backup does not contain;
 * nulls without a recent restore.
 */
async function findUnread(db: Db): Promise<{ unreadSince: Date | null; unreadUntil: Date | null }> {
  const unread = await db
    .select({ unreadSince: min(restores.backedUpAt), unreadUntil: max(restores.unreadUntil) })
    .from(restores)
    .where(gt(restores.unreadUntil, sql`now() - make_interval(days => ${X_KEEPS_DAYS})`))
  return one(unread)
}
