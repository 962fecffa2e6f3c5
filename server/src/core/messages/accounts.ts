import { and, desc, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { xAccounts } from '../../domains/platform/x-account/tables.ts'
import { Refusal } from '../../refusal.ts'

export type XAccount = typeof xAccounts.$inferSelect

/** Sort order: the current account first, that is, the linked account that was chosen last. */
const currentFirst = [sql`${xAccounts.status} = 'disconnected'`, desc(xAccounts.chosenAt), desc(xAccounts.id)]

/** The workspace's current X account in any state; null if none was ever connected. */
export async function findCurrentAccount(db: Db, workspaceId: string): Promise<XAccount | null> {
  const [account] = await db
    .select()
    .from(xAccounts)
    .where(eq(xAccounts.workspaceId, workspaceId))
    .orderBy(...currentFirst)
    .limit(1)
  return account ?? null
}

/** Like `findCurrentAccount`, but null if the account was disconnected. */
export async function findLinkedAccount(db: Db, workspaceId: string): Promise<XAccount | null> {
  const account = await findCurrentAccount(db, workspaceId)
  return isLinked(account) ? account : null
}

/** `findLinkedAccount` as an SQL expression for the id. */
export function linkedAccountOf(workspaceId: SQL): SQL<string | null> {
  return sql`(select a.id from x_accounts a where a.workspace_id = ${workspaceId} and a.status <> 'disconnected'
    order by a.chosen_at desc, a.id desc limit 1)`
}

/** Whether the account exists and was not disconnected. Its status can be `lost`. */
export function isLinked<A extends Pick<XAccount, 'status'>>(account: A | null): account is A {
  return account !== null && account.status !== 'disconnected'
}

/** The workspace's accounts that were not disconnected. */
export async function listLinked(db: Db, workspaceId: string): Promise<XAccount[]> {
  return db
    .select()
    .from(xAccounts)
    .where(and(eq(xAccounts.workspaceId, workspaceId), ne(xAccounts.status, 'disconnected')))
    .orderBy(...currentFirst)
}

/** Like `findCurrentAccount`. @throws Refusal X_NOT_CONNECTED: there is no account, or it is not connected */
export async function requireConnectedAccount(db: Db, workspaceId: string): Promise<XAccount> {
  const account = await findCurrentAccount(db, workspaceId)
  if (account?.status !== 'connected') throw new Refusal('X_NOT_CONNECTED')
  return account
}

/** The given account, or the current one. @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function resolveAccount(db: Db, workspaceId: string, id: string | null): Promise<XAccount | null> {
  return id === null ? findCurrentAccount(db, workspaceId) : findAccount(db, workspaceId, id)
}

/** Finds an account of the workspace. @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function findAccount(db: Db, workspaceId: string, id: string): Promise<XAccount> {
  const [account] = await db
    .select()
    .from(xAccounts)
    .where(and(eq(xAccounts.id, id), eq(xAccounts.workspaceId, workspaceId)))
  if (!account) throw new Refusal('X_ACCOUNT_NOT_FOUND')
  return account
}

/**
 * Assigns active extension campaigns without an account to the current one. Runs in its own
 * transaction, because campaigns are locked before accounts. If it fails, the first claim assigns
 * the account.
 */
export async function assignToCampaigns(db: Db, workspaceId: string): Promise<void> {
  const account = await findLinkedAccount(db, workspaceId)
  if (!account) return
  await db.execute(sql`
    update campaigns set x_account_id = ${account.id}
    where id in (
      select id from campaigns
      where workspace_id = ${workspaceId}
        and kind = 'campaign'
        and channel = 'extension'
        and status = 'active'
        and x_account_id is null
      order by id for no key update)`)
}

/** Column values that make a scheduled account due now. */
export const WAKE = { nextSendAt: sql`case when ${xAccounts.nextSendAt} is null then null else now() end` }

/**
 * Whether texts of an account's messages may be stored. A revocation waits until this transaction
 * ends, so no text is stored after it.
 */
export async function allowsTexts(tx: Db, workspaceId: string, xUserId: string): Promise<boolean> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${textsLock({ workspaceId, xUserId })})`)
  const [account] = await tx
    .select({ storesConversations: xAccounts.storesConversations })
    .from(xAccounts)
    .where(and(eq(xAccounts.workspaceId, workspaceId), eq(xAccounts.xUserId, xUserId)))
  return account?.storesConversations === true
}

/** Blocks revocations in the workspace until this transaction, which copies stored texts, ends. */
export async function keepTexts(tx: Db, workspaceId: string): Promise<void> {
  await tx.execute(sql`
    select pg_advisory_xact_lock_shared(${textsLock({ workspaceId, xUserId: sql`x_user_id` })})
    from (select x_user_id from x_accounts where workspace_id = ${workspaceId} order by 1) a`)
}

/** Waits for transactions that called `allowsTexts` or `keepTexts`, and blocks others until this one ends. */
export async function blockTexts(tx: Db, account: Pick<XAccount, 'workspaceId' | 'xUserId'>): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${textsLock(account)})`)
}

// An advisory lock, because claims lock the account's row while they wait for other locks.
function textsLock({ workspaceId, xUserId }: { workspaceId: string; xUserId: string | SQL }): SQL {
  return sql`hashtextextended('texts of ' || ${xUserId}::text || ' in ' || ${workspaceId}::text, 0)`
}
