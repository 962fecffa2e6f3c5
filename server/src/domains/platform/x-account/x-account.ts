import type { InputOf } from '@x-automated/contract/contract'
import { and, eq, sql } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../../actor.ts'
import {
  blockTexts,
  findAccount,
  findCurrentAccount,
  listLinked,
  WAKE,
  type XAccount,
} from '../../../core/messages/accounts.ts'
import type { XNeeds as Needs } from '../../../core/neighbors.ts'
import type { Db } from '../../../db/open.ts'
import { XError } from '../../../outside/x-errors.ts'
import type { XUser } from '../../../outside/x-schemas.ts'
import { Refusal } from '../../../refusal.ts'
import { DELETED_ACCOUNT, findNames } from '../../identity/people/members.ts'
import { limitOn } from '../billing/plan.ts'
import { chosenNow, lockAccounts, requireRoom } from './accounts.ts'
import { unavailable } from './connecting.ts'
import { xAccounts } from './tables.ts'
import { withAccount } from './tokens.ts'

export async function status({ database, x, xApps }: Needs, actor: Actor) {
  const account = await findCurrentAccount(database.db, actor.workspaceId)
  const xApp = await xApps.findOf(database.db, actor.workspaceId)
  return {
    connected: account?.status === 'connected',
    lastConnected: account?.lastConnectedAt ?? null,
    handle: account && account.status !== 'disconnected' ? account.handle : null,
    methods: xApp ? await xApp.x.signInMethods() : [],
    sources: x ? [...x.sources] : [],
    readPriceCents: x?.readPriceCents ?? 0,
    reason: account?.status === 'lost' ? account.reason : null,
  }
}

/** An account as the contract defines it. @param names the names of people who consented, by id */
function view(account: XAccount, actor: Actor, currentId: string | undefined, names: Map<string, string>) {
  const { id, handle, status: state, reason, lastConnectedAt, storesConversations, consentBy, consentAt } = account
  return {
    id,
    handle,
    profileImageUrl: account.profileImageUrl,
    followerCount: account.followerCount,
    status: state === 'lost' ? ('lost' as const) : ('connected' as const),
    reason,
    isCurrent: id === currentId,
    lastConnected: lastConnectedAt,
    storesConversations,
    consent:
      consentBy && consentAt
        ? { by: { id: consentBy, name: names.get(consentBy) ?? DELETED_ACCOUNT }, at: consentAt }
        : null,
    offersUnknownSenders: account.offersUnknownSenders,
    isConnectedByCaller: account.userId === actor.userId,
  }
}

/** The workspace's linked accounts, the current one first, and the plan's limit. */
export async function list(db: Db, actor: Actor) {
  const [rows, { plan, limit }] = await Promise.all([
    listLinked(db, actor.workspaceId),
    limitOn(db, actor.workspaceId, 'xAccounts'),
  ])
  const names = await namesOf(db, rows)
  return { accounts: rows.map((row) => view(row, actor, rows[0]?.id, names)), limit, plan }
}

function namesOf(db: Db, accounts: readonly XAccount[]) {
  return findNames(
    db,
    accounts.flatMap(({ consentBy }) => consentBy ?? []),
  )
}

/** A linked account of the workspace. @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function findOwn(db: Db, actor: Actor, id: string): Promise<XAccount> {
  const account = await findAccount(db, actor.workspaceId, id)
  if (account.status === 'disconnected') throw new Refusal('X_ACCOUNT_NOT_FOUND')
  return account
}

/** @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function show(db: Db, actor: Actor, id: string) {
  const [account, current] = await Promise.all([findOwn(db, actor, id), findCurrentAccount(db, actor.workspaceId)])
  return view(account, actor, current?.id, await namesOf(db, [account]))
}

/** Makes an account the current one. @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function choose(db: Db, actor: Actor, id: string) {
  return db.transaction(async (tx) => {
    const { status: state } = await findOwn(tx, actor, id)
    await tx
      .update(xAccounts)
      .set({ chosenAt: chosenNow(actor.workspaceId) })
      .where(eq(xAccounts.id, id))
    // Wakes scrapes that wait for a connection.
    if (state === 'connected') await notifyConnected(tx, actor.workspaceId)
    return show(tx, actor, id)
  })
}

/**
 * Stores a decision about an account's conversations, in the caller's transaction. @param
 * deleteTexts called with the account's X id if its texts must not be stored @throws Refusal
 * X_ACCOUNT_NOT_FOUND; FORBIDDEN: only the person who connected the account can allow it, and only
 * admins can revoke it
 */
export async function saveConsent(
  tx: Db,
  actor: Actor,
  { id, ...decided }: InputOf<'xAccount', 'consent'>,
  deleteTexts: (xUserId: string) => Promise<void>,
): Promise<void> {
  await blockTexts(tx, await findOwn(tx, actor, id))
  const account = await findOwn(tx, actor, id)
  const connectedIt = account.userId === actor.userId
  const allowsMore = decided.storesConversations || (decided.offersUnknownSenders && !account.offersUnknownSenders)
  if (allowsMore && !connectedIt)
    throw new Refusal('FORBIDDEN', 'Only the person who connected this X account can allow that.')
  if (!connectedIt && !roleAllows(actor.role, 'admin')) throw new Refusal('FORBIDDEN')
  if (!decided.storesConversations) await deleteTexts(account.xUserId)
  const isRepeated = decided.storesConversations && account.consentBy === actor.userId
  const consent = decided.storesConversations
    ? { consentBy: actor.userId, consentAt: isRepeated ? account.consentAt : new Date() }
    : { consentBy: null, consentAt: null }
  await tx
    .update(xAccounts)
    .set({ ...decided, ...consent, updatedAt: new Date() })
    .where(eq(xAccounts.id, id))
}

/** Sends the same notification as the trigger on x_accounts. */
export async function notifyConnected(db: Db, workspaceId: string): Promise<void> {
  await db.execute(sql`select pg_notify('scrapes', 'connected:' || ${workspaceId}::text)`)
}

/**
 * Checks whether X accepts the account's tokens. A lost account that works again is connected
 * again. @throws Refusal X_ACCOUNT_NOT_FOUND, X_UNAVAILABLE, PLAN_LIMIT (the plan has no room for
 * it)
 */
export async function check(needs: Needs, actor: Actor, id: string) {
  const { db } = needs.database
  const before = await findOwn(db, actor, id)
  try {
    const user = await withAccount(needs, id, (x, token) => x.findMe(token), {
      accepted: 'connected or lost',
    })
    await db.transaction(async (tx) => {
      if (before.status === 'lost') {
        await lockAccounts(tx, actor.workspaceId)
        await requireRoom(tx, actor.workspaceId, before.xUserId)
      }
      await tx
        .update(xAccounts)
        .set({
          ...profileOf(user),
          ...(before.status === 'lost'
            ? { status: 'connected', reason: null, lastConnectedAt: new Date(), ...WAKE }
            : {}),
        })
        .where(and(eq(xAccounts.id, id), eq(xAccounts.status, before.status)))
    })
  } catch (error) {
    if (!(error instanceof XError)) throw error
    // withAccount has already marked a rejected account as lost.
    if (!REJECTED_BY_X.has(error.kind)) throw unavailable(error)
  }
  return show(db, actor, id)
}

/** Stores the handle that X reports for an account. It is read again soon, because X's report can be outdated. */
export async function storeHandle(
  db: Db,
  { userId, handle }: { userId: string; handle: string },
  ofApp: string | null,
): Promise<void> {
  await db
    .update(xAccounts)
    .set({ handle, handleReadAt: null, updatedAt: new Date() })
    .where(and(eq(xAccounts.xUserId, userId), ofApp === null ? undefined : eq(xAccounts.xAppId, ofApp)))
}

/** Reads the profiles of connected accounts whose handle has not been read for a day. X charges for each. */
export async function readHandles(needs: Needs): Promise<void> {
  const { db } = needs.database
  const isDue = sql`coalesce(${xAccounts.handleReadAt} < now() - interval '1 day', true)`
  const due = await db
    .select({ id: xAccounts.id })
    .from(xAccounts)
    .where(and(eq(xAccounts.status, 'connected'), isDue))
    .orderBy(sql`${xAccounts.handleReadAt} nulls first`)
    .limit(READ_MAX)
  for (const { id } of due) {
    try {
      const user = await withAccount(needs, id, (x, token) => x.findMe(token))
      await db.update(xAccounts).set(profileOf(user)).where(eq(xAccounts.id, id))
    } catch (error) {
      // withAccount has marked a rejected account as lost. Others are read again in an hour.
      if (!(error instanceof XError)) throw error
    }
  }
}

/** Maximum number of accounts per run. */
const READ_MAX = 1_000

/** An account's profile, as X reports it. */
function profileOf({ handle, profileImageUrl, followerCount }: XUser) {
  return { handle, handleReadAt: new Date(), profileImageUrl, followerCount, updatedAt: new Date() }
}

/** Errors after which an account's tokens are useless. */
const REJECTED_BY_X = new Set(['unauthorized', 'credentials', 'account'])
