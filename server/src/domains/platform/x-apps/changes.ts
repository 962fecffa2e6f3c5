import { randomUUID } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { formatList } from '@x-automated/contract/format'
import { eq } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { listLinked, type XAccount } from '../../../core/messages/accounts.ts'
import type { Db } from '../../../db/open.ts'
import { XError } from '../../../outside/x-errors.ts'
import type { XAppClient } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import type { Services } from '../../../services.ts'
import { lockAccounts } from '../x-account/accounts.ts'
import { CALLBACK_PATH } from '../x-account/connecting.ts'
import { endAccounts, revokeAccounts, useOperatorApp } from '../x-account/disconnecting.ts'
import { findRow } from './engine.ts'
import { xApps } from './tables.ts'
import { clearProblems, ensureWebhook, findUse, webhookUrl } from './x-apps.ts'

type Context = Pick<Services, 'database' | 'xApps' | 'sealer' | 'jobs' | 'origin' | 'env'>
type Workspace = Pick<Actor, 'workspaceId'>
type Row = NonNullable<Awaited<ReturnType<typeof findRow>>>

/** The workspace's own app; null: it uses the operator's. */
export async function find(context: Context, { workspaceId }: Workspace) {
  const row = await findRow(context.database.db, workspaceId)
  return { app: row ? await view(context, row) : null, callbackUrl: callbackUrl(context) }
}

const callbackUrl = ({ origin }: Context) => `${origin}${CALLBACK_PATH}`

async function view(context: Context, row: Row) {
  return {
    id: row.id,
    clientId: row.clientId ?? '',
    callbackUrl: callbackUrl(context),
    webhookUrl: webhookUrl(context, row.id),
    problem: row.problem,
    ...(await findUse(context.database.db, context.env, row.id)),
    updatedAt: row.updatedAt,
  }
}

/**
 * Makes an app the workspace's own, or replaces its secrets, once X accepts them.
 * @throws Refusal X_CREDENTIALS_REFUSED, X_APP_IN_USE, X_UNAVAILABLE
 */
export async function save(
  context: Context,
  { workspaceId }: Workspace,
  { disconnectsAccounts, ...secrets }: InputOf<'xApp', 'save'>,
) {
  const { database, jobs, xApps: apps } = context
  const { db } = database
  const candidate = apps.open(randomUUID(), secrets)
  if (!candidate) throw new Refusal('X_UNAVAILABLE', 'X is not configured on this server.')
  if ((await findRow(db, workspaceId))?.clientId !== secrets.clientId)
    await requireUnused(db, workspaceId, disconnectsAccounts)
  await checkSecrets(candidate)
  const set = { ...apps.seal(secrets), updatedAt: new Date() }
  const { id, replaced } = await db.transaction(async (tx) => {
    await lockAccounts(tx, workspaceId)
    const before = await findRow(tx, workspaceId)
    if (before?.clientId === secrets.clientId) {
      await tx.update(xApps).set(set).where(eq(xApps.id, before.id))
      await clearProblems(tx, before.id, ['client', 'bearer_token'])
      return { id: before.id, replaced: null }
    }
    await requireUnused(tx, workspaceId, disconnectsAccounts)
    const replaced = await endUse(tx, context, workspaceId)
    await tx.insert(xApps).values({ id: candidate.id, workspaceId, ...set })
    return { id: candidate.id, replaced }
  })
  if (replaced) await removeFromX(context, replaced)
  // X calls the webhook during this registration, which proves the consumer secret. If X cannot
  // reach the webhook, the next check repeats the registration.
  const activity = apps.open(id, secrets)?.activity
  if (activity) await ensureWebhook(db, { id, activity }, webhookUrl(context, id), true).catch(ignoreXErrors)
  await jobs.enqueue(db, 'find-watches', {})
  const row = await findRow(db, workspaceId)
  if (!row) throw new Refusal('X_APP_NOT_FOUND')
  return view(context, row)
}

/** Removes the workspace's own app; it then uses the operator's. @throws Refusal X_APP_NOT_FOUND, X_APP_IN_USE */
export async function remove(
  context: Context,
  { workspaceId }: Workspace,
  { disconnectsAccounts }: InputOf<'xApp', 'remove'>,
): Promise<void> {
  const replaced = await context.database.db.transaction(async (tx) => {
    await lockAccounts(tx, workspaceId)
    if (!(await findRow(tx, workspaceId))) throw new Refusal('X_APP_NOT_FOUND')
    await requireUnused(tx, workspaceId, disconnectsAccounts)
    return endUse(tx, context, workspaceId)
  })
  await removeFromX(context, replaced)
}

/** @throws Refusal X_APP_IN_USE: accounts are connected, and the caller has not allowed disconnecting them */
async function requireUnused(db: Db, workspaceId: string, disconnectsAccounts: boolean): Promise<void> {
  if (disconnectsAccounts) return
  const handles = (await listLinked(db, workspaceId)).map(({ handle }) => handle)
  if (handles.length > 0) throw new Refusal('X_APP_IN_USE', undefined, { details: { handles } })
}

/** An app to remove from X, and its accounts as they were before. */
interface Replaced {
  /** Null: the operator's app, which stays. */
  app: XAppClient | null
  accounts: XAccount[]
}

/** Disconnects the workspace's accounts and deletes its own app, if it has one. */
async function endUse(tx: Db, context: Context, workspaceId: string): Promise<Replaced> {
  const linked = await listLinked(tx, workspaceId)
  const accounts = await endAccounts(
    tx,
    context,
    workspaceId,
    linked.map(({ id }) => id),
  )
  const row = await findRow(tx, workspaceId)
  const app = row ? context.xApps.openRow(row) : null
  await useOperatorApp(tx, workspaceId)
  await tx.delete(xApps).where(eq(xApps.workspaceId, workspaceId))
  return { app, accounts }
}

/**
 * Revokes the tokens of the accounts with the app that issued them, and removes that app's webhook
 * with its subscriptions. On a best-effort basis: our copies are deleted, and the webhook's address
 * now returns 404.
 */
async function removeFromX(context: Context, { app, accounts }: Replaced): Promise<void> {
  const issuer = app ?? context.xApps.operator
  await Promise.all([
    issuer && revokeAccounts(context, issuer, accounts),
    app?.activity?.removeWebhook(webhookUrl(context, app.id)).catch(ignoreXErrors),
  ])
}

/** @throws Refusal X_CREDENTIALS_REFUSED, with the fields that X rejects; X_UNAVAILABLE */
async function checkSecrets({ x, activity }: XAppClient): Promise<void> {
  const [client, token] = await Promise.allSettled([x.checkApp(), activity?.checkToken()])
  const fields = [
    ...(isRefused(client) ? ['clientId', 'clientSecret'] : []),
    ...(isRefused(token) ? ['bearerToken'] : []),
  ]
  if (fields.length === 0) return
  const what = formatList(fields.map((field) => FIELD_NAMES[field] ?? field))
  throw new Refusal('X_CREDENTIALS_REFUSED', `X does not accept this app. Check the ${what}.`, { details: { fields } })
}

const FIELD_NAMES: Record<string, string> = {
  clientId: 'client ID',
  clientSecret: 'client secret',
  bearerToken: 'bearer token',
}

/** @throws Refusal X_UNAVAILABLE: X gave no clear response */
function isRefused(result: PromiseSettledResult<void>): boolean {
  if (result.status === 'fulfilled') return false
  if (!(result.reason instanceof XError)) throw result.reason
  const { kind } = result.reason
  if (kind === 'app' || kind === 'unauthorized' || kind === 'forbidden') return true
  // A response about missing credits means that X has accepted the credentials.
  if (kind === 'funds') return false
  throw new Refusal('X_UNAVAILABLE', undefined, { cause: result.reason })
}

function ignoreXErrors(error: unknown): void {
  if (!(error instanceof XError)) throw error
}
