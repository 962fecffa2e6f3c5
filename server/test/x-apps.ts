import { isNotNull, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { xAppClaims } from '../src/core/tables/app-claims.ts'
import { OPERATOR_APP_ID, xApps } from '../src/domains/platform/x-apps/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes X apps directly in the database.

type Apps = Which<typeof xApps>

/** Gives the workspace its own X app, without keys. @returns the app's id */
export async function addOwnApp({ db }: Writer, { workspaceId }: { workspaceId: string }): Promise<string> {
  const [app] = await db.insert(xApps).values({ workspaceId }).returning()
  return app!.id
}

/** Deletes the apps. */
export async function deleteApps({ db }: Writer, which: Apps): Promise<void> {
  await db.delete(xApps).where(matching(xApps, which))
}

/** Marks the apps as out of credits. @param fundsTryAt when one call is tried again */
export async function runOutOfFunds(to: Writer, fundsTryAt: Date, which: Apps = {}): Promise<void> {
  await change(to, which, { fundsEmptySince: new Date(), fundsTryAt })
}

/** Makes the next attempt of apps without credits due now. */
export async function letTryFunds(to: Writer): Promise<void> {
  await change(to, isNotNull(xApps.fundsTryAt), { fundsTryAt: sql`now() - interval '1 second'` })
}

/** Marks all apps as having credits. */
export async function refillFunds(to: Writer): Promise<void> {
  await change(to, {}, { fundsEmptySince: null, fundsTryAt: null, fundsAlarmedAt: null })
}

/** Sets the daily limit of messages of all apps. @param restsUntil until when X allows no more messages */
export async function limitApps(to: Writer, dailyLimit: number, restsUntil?: Date): Promise<void> {
  await change(to, {}, { dailyLimit, ...(restsUntil && { restsUntil }) })
}

/** Removes the limits that X has reported for the apps. */
export async function liftAppLimits(to: Writer): Promise<void> {
  await change(to, {}, { dailyLimit: null, restsUntil: null })
}

/** Deletes the records of messages that were claimed through the apps. */
export async function forgetAppClaims({ db }: Writer): Promise<void> {
  await db.delete(xAppClaims)
}

/** Sets when the operator's app last got and missed deliveries; by default never. */
export async function setDeliveries(
  to: Writer,
  times: Partial<Pick<typeof xApps.$inferInsert, 'gapSince' | 'gapUntil' | 'replayedAt' | 'deliveredAt'>> = {},
): Promise<void> {
  const none = { gapSince: null, gapUntil: null, replayedAt: null, deliveredAt: null }
  await change(to, { id: OPERATOR_APP_ID }, { ...none, ...times })
}

async function change({ db }: Writer, which: Apps, set: PgUpdateSetSource<typeof xApps>): Promise<void> {
  await db.update(xApps).set(set).where(matching(xApps, which))
}
