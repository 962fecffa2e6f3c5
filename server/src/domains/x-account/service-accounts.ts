import { and, desc, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { Refusal } from '../../refusal.ts'
import { beyondPlan, limitOn } from '../billing/service.ts'
import { xAccounts } from './tables.ts'

/*
 * Which account of a workspace is meant, and whether one more fits.
 */

export type XAccount = typeof xAccounts.$inferSelect

/** Of a workspace's accounts the current one comes first: of those it has not let go of, the one chosen last. */
export const currentFirst = [sql`${xAccounts.status} = 'disconnected'`, desc(xAccounts.chosenAt), desc(xAccounts.id)]

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
export async function findLinkedAccount(db: Db, workspaceId: string): Promise<XAccount | null> {
  const account = await findCurrentAccount(db, workspaceId)
  return isLinked(account) ? account : null
}

/** The id of what `findLinkedAccount` finds, within a statement. */
export function linkedAccountOf(workspaceId: SQL): SQL<string | null> {
  return sql`(select a.id from x_accounts a where a.workspace_id = ${workspaceId} and a.status <> 'disconnected'
    order by a.chosen_at desc, a.id desc limit 1)`
}

/** There is one, and its workspace has not let go of it. */
export function isLinked(account: XAccount | null): account is XAccount {
  return account !== null && account.status !== 'disconnected'
}

/** As `findCurrentAccount`, and connected. @throws Refusal X_NOT_CONNECTED */
export async function requireConnectedAccount(db: Db, workspaceId: string): Promise<XAccount> {
  const account = await findCurrentAccount(db, workspaceId)
  if (account?.status !== 'connected') throw new Refusal('X_NOT_CONNECTED')
  return account
}

/** The account that something goes through: the one it was given, or the current one. @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function resolveAccount(db: Db, workspaceId: string, id: string | null): Promise<XAccount | null> {
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

/** For `chosen_at` of the account that becomes the current one: now, and after every choice before. */
export function chosenNow(workspaceId: string) {
  return sql`greatest(clock_timestamp(), (select max(chosen_at) from x_accounts where workspace_id = ${workspaceId}) + interval '1 ms')`
}

/** Work that waited for an account goes on. */
export const WAKE = { nextSendAt: sql`case when ${xAccounts.nextSendAt} is null then null else now() end` }

/**
 * Makes sure that one more account may be connected. Accounts that were lost or let go of take no place.
 * @param xUserId of the account to be connected, which takes no second place; null: any further one
 * @throws Refusal PLAN_LIMIT
 */
export async function requireRoom(db: Db, workspaceId: string, xUserId: string | null): Promise<void> {
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
export async function lockAccounts(db: Db, workspaceId: string): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended('x accounts:' || ${workspaceId}::text, 0))`)
}
