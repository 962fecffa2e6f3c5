import { createHmac } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import type { XCallbackOutcome } from '@x-automated/contract/platform/x-account'
import { and, eq, gt, lt, max, min, ne, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type Actor, roleAllows } from '../../../actor.ts'
import { secondsFromNow } from '../../../db/columns.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { type XApi, type XAuthorization, XDeclined, XError, type XTokens, type XUser } from '../../../outside/x.ts'
import { Refusal } from '../../../refusal.ts'
import { hashToken, newToken } from '../../../sealing.ts'
import { workspaceMembers } from '../../identity/workspaces/tables.ts'
import { chosenNow, findCurrentAccount, lockAccounts, requireRoom, WAKE } from './service-accounts.ts'
import { type ConnectNeeds, sealedTokens, unseal } from './service-tokens.ts'
import { restores, X_KEEPS_DAYS, xAccounts, xAuthorizations } from './tables.ts'

const CONNECTED = 'Twitter account connected successfully!'

/**
 * Signs in to X and stores its sealed tokens, never the password. @param remember stores the
 * response in the same transaction @throws Refusal X_CREDENTIALS_REFUSED, X_UNAVAILABLE, PLAN_LIMIT
 */
export async function connectWithPassword(
  { database, x, sealer, jobs }: ConnectNeeds,
  actor: Actor,
  input: InputOf<'xAccount', 'connect'>,
  remember: (tx: Db, answer: unknown) => Promise<void> = async () => {},
) {
  if (!x) throw new Refusal('X_UNAVAILABLE', 'X is not configured on this server.')
  if (!(await x.signInMethods()).includes('password'))
    throw new Refusal('X_CREDENTIALS_REFUSED', 'X does not offer password sign-in here.')
  const { tokens, user } = await signInAt(x, input)
  const answer = { success: true as const, message: CONNECTED }
  try {
    const former = await database.db.transaction(async (tx) => {
      const tokensBefore = await saveAccount(tx, { sealer, jobs }, actor, tokens, user)
      await remember(tx, answer)
      return tokensBefore
    })
    await assignToCampaigns(database.db, actor.workspaceId)
    if (former) await revokeTokens(x, former)
  } catch (error) {
    if (error instanceof Refusal) await revokeTokens(x, tokens)
    throw error
  }
  return answer
}

async function signInAt(
  x: XApi,
  { username, password }: InputOf<'xAccount', 'connect'>,
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

/** Revokes tokens, best effort: X's access tokens expire after two hours. */
async function revokeTokens(x: XApi, { refreshToken, accessToken }: Pick<XTokens, 'refreshToken' | 'accessToken'>) {
  await x.revokeToken(refreshToken ?? accessToken).catch(() => {})
}

// On X's own page

const AUTHORIZATION_SECONDS = 10 * 60
/** X's redirect path on our origin. */
export const CALLBACK_PATH = '/api/session/callback'
/** Cookie that binds the callback to the browser that started it. */
export const AUTHORIZATION_COOKIE = 'x-authorization'

type AuthorizationNeeds = ConnectNeeds & { origin: string; env: { authSecret: string } }

/** Starts connecting on X's own page. @returns its URL, and the cookie to send back */
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
    expiresAt: secondsFromNow(AUTHORIZATION_SECONDS),
  })
  return { url, cookie }
}

/** The verifier is derived from the state, so that it need not be stored. */
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
  const { x, database, log } = context
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
        // The user may have lost the admin role since.
        const [member] = await tx
          .select({ role: workspaceMembers.role })
          .from(workspaceMembers)
          .where(and(eq(workspaceMembers.workspaceId, begun.workspaceId), eq(workspaceMembers.userId, begun.userId)))
        if (!member || !roleAllows(member.role, 'admin')) throw new Refusal('FORBIDDEN')
        const former = await saveAccount(tx, context, begun, tokens, user)
        return { former, outcome: (await isShared(tx, begun.workspaceId, user.id)) ? 'shared' : 'connected' } as const
      })
      await assignToCampaigns(database.db, begun.workspaceId)
      if (former) await revokeTokens(x, former)
      return outcome
    } catch (error) {
      await revokeTokens(x, tokens)
      throw error
    }
  } catch (error) {
    const outcome = outcomeOf(error)
    // These messages contain no codes, tokens or handles.
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

/**
 * Assigns extension campaigns without an account to the current one. In its own transaction,
 * because campaigns are locked before accounts; if it fails, the first claim assigns them.
 */
async function assignToCampaigns(db: Db, workspaceId: string): Promise<void> {
  const account = await findCurrentAccount(db, workspaceId)
  if (!account || account.status === 'disconnected') return
  await db.execute(sql`
    update campaigns set x_account_id = ${account.id}
    where id in (
      select id from campaigns
      where workspace_id = ${workspaceId} and kind = 'campaign' and channel = 'extension' and status = 'active' and x_account_id is null
      order by id for no key update)`)
}

/** Whether another workspace has connected it too: they then share its cap and interval. */
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

/**
 * Stores an account with its tokens. It becomes current if it is new or the current one is not
 * connected. @returns its previous tokens, to be revoked @throws Refusal PLAN_LIMIT
 */
async function saveAccount(
  db: Db,
  { sealer, jobs }: Pick<ConnectNeeds, 'sealer' | 'jobs'>,
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
    userId,
    handle: user.handle,
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
  // Another workspace may share the account: restart reading at the newest message.
  if (!before && unread.unreadSince)
    await db.execute(
      sql`update reply_watches set page_token = null, page_newest_id = null, next_poll_at = now() where x_user_id = ${user.id}`,
    )
  await jobs.enqueue(db, 'find-watches', {})
  const accessToken = unseal(sealer, before?.sealedAccessToken ?? null)
  return accessToken ? { accessToken, refreshToken: unseal(sealer, before?.sealedRefreshToken ?? null) } : null
}

/** A consent is that of its person. Stored texts stay until the next one decides. */
const UNDECIDED = { storesConversations: null, consentBy: null, consentAt: null, offersUnknownSenders: false }

/** When messages of an unknown account may have been lost by a restore; nulls if never. */
async function findUnread(db: Db): Promise<{ unreadSince: Date | null; unreadUntil: Date | null }> {
  const unread = await db
    .select({ unreadSince: min(restores.backedUpAt), unreadUntil: max(restores.unreadUntil) })
    .from(restores)
    .where(gt(restores.unreadUntil, sql`now() - make_interval(days => ${X_KEEPS_DAYS})`))
  return one(unread)
}
