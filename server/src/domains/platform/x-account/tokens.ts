import { CONNECTION_LOST } from '@x-automated/contract/reason'
import { and, eq } from 'drizzle-orm'
import type { XAccount } from '../../../core/messages/accounts.ts'
import type { Accepted, CallOptions, XNeeds as Needs, StoredToken, XAccountCaller } from '../../../core/neighbors.ts'
import type { Database, Db } from '../../../db/open.ts'
import type { XApi } from '../../../outside/x.ts'
import { metered } from '../../../outside/x-billing.ts'
import { XError } from '../../../outside/x-errors.ts'
import type { XTokens } from '../../../outside/x-schemas.ts'
import type { Sealer } from '../../../sealing.ts'
import type { Services } from '../../../services.ts'
import { xApps } from '../x-apps/tables.ts'
import { clearProblems, saveProblem } from '../x-apps/x-apps.ts'
import { markFundsEmpty, outOfFunds } from '../x-costs/funds.ts'
import { BeyondLimit } from '../x-costs/meter.ts'
import { xSpending } from '../x-costs/tables.ts'
import { xAccounts } from './tables.ts'

/** The services that connecting and disconnecting need. */
export type ConnectNeeds = Needs & Pick<Services, 'jobs'>

/** Access tokens are renewed when they expire sooner than this. */
const RENEW_BEFORE_MS = 60_000

/** Marks an account as lost. Its work waits until it is connected again. */
async function markLost(db: Db, accountId: string, reason: string): Promise<void> {
  await db
    .update(xAccounts)
    .set({ status: 'lost', reason, updatedAt: new Date() })
    .where(and(eq(xAccounts.id, accountId), eq(xAccounts.status, 'connected')))
}

/**
 * Returns an access token valid for at least a minute. Renewal locks the row and stores the result
 * before using it, because X revokes all tokens if a refresh token is used twice. @throws XError
 */
async function accessTokenOf(
  needs: Needs,
  caller: XAccountCaller,
  refused: string | null,
  accepted: Accepted,
): Promise<string> {
  const { database, sealer } = needs
  const renew = () =>
    limitRenewals(database, () => renewToken(needs, caller.accountId, refused, accepted)).catch(async (error) => {
      if (error instanceof XError && error.kind === 'app') await saveProblem(database.db, caller.appId, 'client')
      throw error
    })
  const token = validToken(caller, sealer, refused, accepted) ?? (await renew())
  if (token) return token
  throw new XError('unauthorized', CONNECTION_LOST)
}

/**
 * Renews a token. Waits for X inside a transaction, whose lock keeps other processes from using the
 * token twice. Only the app that issued a token can renew it.
 */
function renewToken(
  { database, xApps, sealer }: Needs,
  accountId: string,
  renew: string | null,
  accepted: Accepted,
): Promise<string | null> {
  return database.db.transaction(async (tx) => {
    const [account] = await tx.select().from(xAccounts).where(eq(xAccounts.id, accountId)).for('update')
    const already = validToken(account, sealer, renew, accepted)
    if (already) return already
    if (!isAccepted(account, accepted)) return null
    // The row is still locked, so an account that is reconnected in the meantime is not marked as lost.
    const lose = () => markLost(tx, accountId, CONNECTION_LOST).then(() => null)
    const refreshToken = unseal(sealer, account.sealedRefreshToken)
    if (!refreshToken) return lose()
    const xApp = await xApps.find(tx, account.xAppId)
    if (!xApp) throw new XError('unavailable', 'The X app of this account is not configured.')
    try {
      const tokens = await xApp.x.refreshTokens(refreshToken)
      await tx
        .update(xAccounts)
        .set({ ...sealedTokens(sealer, tokens), updatedAt: new Date() })
        .where(eq(xAccounts.id, accountId))
      await clearProblems(tx, account.xAppId, ['client'])
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
}

/** How many renewals may run at a time. Each occupies a connection while waiting for X; one stays free. */
const concurrentRenewals = (connections: number) => Math.max(1, Math.min(2, connections - 1))
const renewals = new WeakMap<Database['pool'], { free: number; waiting: (() => void)[] }>()

/** Limits parallel renewals. Waits without a connection, so that a slow X cannot exhaust the pool. */
async function limitRenewals<T>({ pool }: Database, renewal: () => Promise<T>): Promise<T> {
  const turns = renewals.get(pool) ?? { free: concurrentRenewals(pool.options.max), waiting: [] }
  renewals.set(pool, turns)
  if (turns.free > 0) turns.free -= 1
  else await new Promise<void>((resolve) => turns.waiting.push(resolve))
  try {
    return await renewal()
  } finally {
    const next = turns.waiting.shift()
    if (next) next()
    else turns.free += 1
  }
}

function isAccepted<A extends Pick<XAccount, 'status'>>(account: A | undefined, accepted: Accepted): account is A {
  return account?.status === 'connected' || (account?.status === 'lost' && accepted === 'connected or lost')
}

async function findCaller(db: Db, accountId: string): Promise<XAccountCaller | null> {
  const { id, workspaceId, xUserId, xAppId, status, sealedAccessToken, accessTokenExpiresAt } = xAccounts
  const [row] = await db
    .select({
      account: { accountId: id, workspaceId, xUserId, appId: xAppId, status, sealedAccessToken, accessTokenExpiresAt },
      app: { workspaceId: xApps.workspaceId, emptySince: xApps.fundsEmptySince, tryAt: xApps.fundsTryAt },
      limitCents: xSpending.limitCents,
    })
    .from(xAccounts)
    .innerJoin(xApps, eq(xApps.id, xAccounts.xAppId))
    .leftJoin(xSpending, eq(xSpending.workspaceId, xAccounts.workspaceId))
    .where(eq(xAccounts.id, accountId))
  if (!row) return null
  const { account, app, limitCents } = row
  return {
    ...account,
    isLimited: limitCents !== null,
    isOwnApp: app.workspaceId !== null,
    fundsTryAt: app.emptySince && app.tryAt,
  }
}

/**
 * Calls X with the account's token. A rejected token is renewed once, and X's charges are counted.
 * @throws XError; after `unauthorized` and `account` (locked or suspended) the account is marked as
 * lost; after `funds`, its app sends and reads nothing until it has credits
 */
export async function withAccount<T>(
  needs: Needs,
  accountId: string,
  call: (x: XApi, accessToken: string) => Promise<T>,
  { accepted = 'connected', caller: presetCaller, purpose = 'lookup', isTry = false }: CallOptions = {},
): Promise<T> {
  if (!needs.x) throw new XError('unavailable', 'X is not configured.')
  const { db } = needs.database
  const caller = presetCaller ?? (await findCaller(db, accountId))
  if (!caller) throw new XError('unauthorized', CONNECTION_LOST)
  const { appId, isOwnApp, fundsTryAt } = caller
  if (fundsTryAt && !isTry) throw outOfFunds(isOwnApp, fundsTryAt)
  const x = metered(needs.x, needs.xMeters.of(caller, purpose), (id) => isOwnApp && id === caller.xUserId)
  const token = await accessTokenOf(needs, caller, null, accepted)
  const onceMore = async () => call(x, await accessTokenOf(needs, caller, token, accepted))
  return call(x, token)
    .catch((error) => {
      if (error instanceof XError && error.kind === 'unauthorized') return onceMore()
      throw error
    })
    .catch(async (error) => {
      if (!(error instanceof XError) || error instanceof BeyondLimit) throw error
      if (error.kind === 'unauthorized') await markLost(db, accountId, CONNECTION_LOST)
      if (error.kind === 'account') await markLost(db, accountId, error.message)
      if (error.kind === 'funds') throw outOfFunds(isOwnApp, await markFundsEmpty(db, appId))
      throw error
    })
}

/** The token of a connected account; null if it must be renewed first. */
export function usableToken({ sealer }: Pick<Needs, 'sealer'>, account: StoredToken): string | null {
  return validToken(account, sealer, null, 'connected')
}

function validToken(
  account: StoredToken | undefined,
  sealer: Sealer,
  refused: string | null,
  accepted: Accepted,
): string | null {
  if (!isAccepted(account, accepted)) return null
  const token = unseal(sealer, account.sealedAccessToken)
  if (!token || token === refused) return null
  return (account.accessTokenExpiresAt?.getTime() ?? 0) - Date.now() > RENEW_BEFORE_MS ? token : null
}

/** Opens a stored token; null if it was sealed with another AUTH_SECRET. */
export function unseal(sealer: Sealer, sealed: string | null): string | null {
  if (!sealed) return null
  try {
    return sealer.open(sealed)
  } catch {
    return null
  }
}

export function sealedTokens(sealer: Sealer, tokens: XTokens) {
  return {
    sealedAccessToken: sealer.seal(tokens.accessToken),
    sealedRefreshToken: tokens.refreshToken ? sealer.seal(tokens.refreshToken) : null,
    accessTokenExpiresAt: tokens.expiresAt,
  }
}
