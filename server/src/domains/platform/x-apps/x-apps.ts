import type { XAppProblem } from '@x-automated/contract/platform/x-apps'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { type AppEnv, dailyLimitOf, findApp } from '../../../core/messages/app-day.ts'
import { isInDayOf } from '../../../core/tables/app-claims.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { XActivity } from '../../../outside/x-activity.ts'
import { XError } from '../../../outside/x-errors.ts'
import { notifyOwners } from '../notifications/notifications.ts'
import { findRow } from './engine.ts'
import { OPERATOR_APP_ID, xApps } from './tables.ts'

// What X refuses

/**
 * Stores what X refuses about an app. Its owners are notified once, and again only after X has
 * accepted everything. @returns whether the problem is new
 */
export async function saveProblem(db: Db, id: string, problem: XAppProblem): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [before] = await tx.select().from(xApps).where(eq(xApps.id, id)).for('no key update')
    if (!before || before.problem === problem) return false
    await tx.update(xApps).set({ problem }).where(eq(xApps.id, id))
    if (before.problem === null && before.workspaceId)
      await notifyOwners(tx, before.workspaceId, 'x_app_problem', { problem })
    return true
  })
}

/** Removes problems of an app, because X now accepts what it had refused. */
export async function clearProblems(db: Db, id: string, problems: readonly XAppProblem[]): Promise<void> {
  await db
    .update(xApps)
    .set({ problem: null })
    .where(and(eq(xApps.id, id), inArray(xApps.problem, [...problems])))
}

/** The path on our origin to which X delivers the operator app's events. The paths of other apps end with their id. */
export const WEBHOOK_PATH = '/api/x/webhook'

/** Where X delivers the events of an app. */
export function webhookUrl({ origin }: { origin: string }, xAppId: string): string {
  return xAppId === OPERATOR_APP_ID ? `${origin}${WEBHOOK_PATH}` : `${origin}${WEBHOOK_PATH}/${xAppId}`
}

/** The app whose webhook has this address. @param xAppId the last part of the path, if it has one */
export const appOfWebhook = (xAppId: string | undefined) => xAppId ?? OPERATOR_APP_ID

/**
 * Registers an app's webhook at X, or stores what X refuses. @param isNew the secrets were just
 * saved @returns the webhook's id @throws XError
 */
export async function ensureWebhook(
  db: Db,
  { id, activity }: { id: string; activity: XActivity },
  url: string,
  isNew = false,
): Promise<string> {
  try {
    const webhookId = await activity.ensureWebhook(url, isNew)
    await clearProblems(db, id, ['bearer_token', 'webhook'])
    return webhookId
  } catch (error) {
    const problem = error instanceof XError ? REFUSED.get(error.kind) : undefined
    if (problem) await saveProblem(db, id, problem)
    throw error
  }
}

/** What X refuses, by the error of a call with the app's own token. */
const REFUSED = new Map<XError['kind'], XAppProblem>([
  ['unauthorized', 'bearer_token'],
  ['forbidden', 'bearer_token'],
  ['invalid', 'webhook'],
])

/** The id of the app with which a workspace connects accounts: its own, or the operator's. */
export async function findAppId(db: Db, workspaceId: string): Promise<string> {
  return (await findRow(db, workspaceId))?.id ?? OPERATOR_APP_ID
}

/** How many messages an app has sent in 24 hours, and how many it may send. */
export async function findUse(
  db: Db,
  env: AppEnv,
  xAppId: string,
): Promise<{ sentInDay: number; dailyLimit: number | null }> {
  const row = await findApp(db, env, xAppId)
  const dailyLimit = dailyLimitOf(row?.dailyLimit ?? null, env.isRealX)
  // Without a limit, claims are not recorded, so the messages of the app's accounts are counted.
  const used =
    dailyLimit === null
      ? sql`x_accounts a join dms d on d.x_account_id = a.id
          where a.x_app_id = ${xAppId} and d.claimed_at > now() - interval '1 day' and d.holder like 'worker:%'`
      : sql`x_app_claims where ${isInDayOf(row?.clientId ?? '')}`
  const { rows } = await db.execute<{ sentInDay: number }>(sql`select count(*)::int as "sentInDay" from ${used}`)
  return { ...one(rows), dailyLimit }
}

/**
 * Stores what X's headers say about an app's 24-hour limit, for every workspace that brought the app.
 * @param app the app as the claim read it: if nothing is new, nothing is written
 */
export async function saveDay(
  db: Db,
  app: { id: string; clientId: string; namedLimit: number | null },
  day: { limit: number | null; remaining: number; resetAt: Date },
): Promise<void> {
  const isLimitNew = day.limit !== null && day.limit !== app.namedLimit
  if (!isLimitNew && day.remaining > 0) return
  await db.execute(sql`
    update x_apps set daily_limit = coalesce(${day.limit}, daily_limit),
      rests_until = case
        when ${day.remaining === 0}::boolean then ${day.resetAt.toISOString()}::timestamptz
        else rests_until end
    where id = ${app.id} or client_id = ${app.clientId}`)
}
