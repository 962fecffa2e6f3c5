import { and, asc, eq, inArray, ne } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { findCurrentAccount, type XAccount } from '../../../core/messages/accounts.ts'
import type { XNeeds as Needs } from '../../../core/neighbors.ts'
import type { Db } from '../../../db/open.ts'
import type { XAppClient } from '../../../ports.ts'
import { OPERATOR_APP_ID } from '../x-apps/tables.ts'
import { webhookUrl } from '../x-apps/x-apps.ts'
import { xAccounts } from './tables.ts'
import { type ConnectNeeds, unseal } from './tokens.ts'
import { findOwn, list, notifyConnected } from './x-account.ts'

const DISCONNECTED = 'Twitter account disconnected successfully!'

/** Disconnects the current account, here and at X. */
export async function disconnect(needs: ConnectNeeds, actor: Actor) {
  const current = await findCurrentAccount(needs.database.db, actor.workspaceId)
  return end(needs, actor, current ? [current.id] : [])
}

/** @throws Refusal X_ACCOUNT_NOT_FOUND */
export async function disconnectOne(needs: ConnectNeeds, actor: Actor, id: string) {
  await findOwn(needs.database.db, actor, id)
  return end(needs, actor, [id])
}

/** Disconnects every account of a workspace about to be deleted, and removes its own app's webhook at X. */
export async function disconnectAll(needs: ConnectNeeds & { origin: string }, actor: Actor): Promise<void> {
  const { accounts } = await list(needs.database.db, actor)
  await end(
    needs,
    actor,
    accounts.map(({ id }) => id),
  )
  const xApp = await needs.xApps.findOf(needs.database.db, actor.workspaceId)
  // On a best-effort basis: once the app is deleted, the webhook's address returns 404.
  if (xApp && xApp.id !== needs.xApps.operator?.id)
    await xApp.activity?.removeWebhook(webhookUrl(needs, xApp.id)).catch(() => {})
}

/**
 * Disconnects accounts here and at X. Campaigns keep their queue and wait until the account is
 * connected again. If the current account is disconnected, the one chosen before it becomes
 * current.
 */
async function end(needs: ConnectNeeds, actor: Actor, ids: string[]) {
  const { database, xApps } = needs
  const ended = await database.db.transaction((tx) => endAccounts(tx, needs, actor.workspaceId, ids))
  const appIds = [...new Set(ended.map(({ xAppId }) => xAppId))]
  for (const appId of appIds) {
    const xApp = await xApps.find(database.db, appId)
    if (xApp)
      await revokeAccounts(
        needs,
        xApp,
        ended.filter(({ xAppId }) => xAppId === appId),
      )
  }
  return { success: true as const, message: DISCONNECTED }
}

/** Assigns the workspace's accounts to the operator's app, which future connections will use. */
export async function useOperatorApp(tx: Db, workspaceId: string): Promise<void> {
  await tx.update(xAccounts).set({ xAppId: OPERATOR_APP_ID }).where(eq(xAccounts.workspaceId, workspaceId))
}

/** Disconnects accounts here, in the caller's transaction. @returns the former rows, to revoke their tokens */
export async function endAccounts(
  tx: Db,
  { jobs }: Pick<ConnectNeeds, 'jobs'>,
  workspaceId: string,
  ids: readonly string[],
): Promise<XAccount[]> {
  // Waits for a renewal in progress, so that X's latest token is the one revoked.
  const accounts = await tx
    .select()
    .from(xAccounts)
    .where(
      and(
        eq(xAccounts.workspaceId, workspaceId),
        ne(xAccounts.status, 'disconnected'),
        inArray(xAccounts.id, [...ids]),
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
  await jobs.enqueue(tx, 'find-watches', {})
  // Waiting work can continue with the new current account.
  const current = await findCurrentAccount(tx, workspaceId)
  if (current?.status === 'connected') await notifyConnected(tx, workspaceId)
  return accounts
}

/**
 * Revokes the tokens of accounts that were disconnected here, through the app that issued them. On
 * a best-effort basis: our copies are deleted, and X's access tokens expire after two hours.
 */
export async function revokeAccounts(
  { sealer }: Pick<Needs, 'sealer'>,
  { x }: XAppClient,
  accounts: readonly Pick<XAccount, 'sealedRefreshToken' | 'sealedAccessToken'>[],
): Promise<void> {
  const tokens = accounts.map((account) => unseal(sealer, account.sealedRefreshToken ?? account.sealedAccessToken))
  await Promise.allSettled(tokens.map((token) => token && x.revokeToken(token)))
}
