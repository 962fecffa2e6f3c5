import { and, asc, eq, inArray, ne, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { XError } from '../../outside/x.ts'
import { Refusal } from '../../refusal.ts'
import { limitOn } from '../billing/service.ts'
import {
  chosenNow,
  currentFirst,
  findAccount,
  findCurrentAccount,
  lockAccounts,
  requireRoom,
  WAKE,
  type XAccount,
} from './service-accounts.ts'
import { type Needs, unseal, withAccount } from './service-tokens.ts'
import { xAccounts } from './tables.ts'

/*
 * What people see of their accounts and do with them. Which one is meant stands in service-accounts.ts, how one is connected in service-connecting.ts,
 * and how its tokens are used in service-tokens.ts.
 */

export {
  findAccount,
  findCurrentAccount,
  findLinkedAccount,
  isLinked,
  linkedAccountOf,
  requireConnectedAccount,
  resolveAccount,
  type XAccount,
} from './service-accounts.ts'
export {
  AUTHORIZATION_COOKIE,
  authorize,
  CALLBACK_PATH,
  connectWithPassword,
  finishAuthorize,
  purgeExpiredAuthorizations,
} from './service-connecting.ts'
export { CONNECTION_LOST, withAccount } from './service-tokens.ts'

const DISCONNECTED = 'Twitter account disconnected successfully!'

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
      .set({ chosenAt: chosenNow(actor.workspaceId) })
      .where(eq(xAccounts.id, id))
    // Scrapes that wait for a connection have one now.
    if (state === 'connected') await notifyConnected(tx, actor.workspaceId)
    return show(tx, actor, id)
  })
}

/** As the trigger on x_accounts tells of an account that was connected. */
async function notifyConnected(db: Db, workspaceId: string): Promise<void> {
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
    if (!REJECTED_BY_X.has(error.kind)) throw new Refusal('X_UNAVAILABLE', undefined, { cause: error })
  }
  return show(db, actor, id)
}

/** What X says when nothing more is to be had with an account's tokens. */
const REJECTED_BY_X = new Set(['unauthorized', 'credentials', 'account'])

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
    if (current?.status === 'connected') await notifyConnected(tx, actor.workspaceId)
    return accounts
  })
  const tokens = ended.map((account) => unseal(sealer, account.sealedRefreshToken ?? account.sealedAccessToken))
  // Best effort: our copy is gone already, and X forgets an access token after two hours.
  await Promise.allSettled(tokens.map((token) => x && token && x.revokeToken(token)))
  return { success: true as const, message: DISCONNECTED }
}
