import { isNotNull, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { xAppClaims } from '../src/core/tables/app-claims.ts'
import { OPERATOR_APP_ID, xApps } from '../src/domains/platform/x-apps/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// What happens to apps at X. Each verb changes all apps chosen, by default all.

type Apps = Which<typeof xApps>

/** Gives the workspace an app of its own, without keys. @returns its id */
export async function addOwnApp({ db }: Writer, { workspaceId }: { workspaceId: string }): Promise<string> {
  const [app] = await db.insert(xApps).values({ workspaceId }).returning()
  return app!.id
}

/** Deletes the apps. */
export async function deleteApps({ db }: Writer, which: Apps): Promise<void> {
  await db.delete(xApps).where(matching(xApps, which))
}

/** The apps have no credits at X; one call is tried again then. */
export async function runOutOfFunds(to: Writer, fundsTryAt: Date, which: Apps = {}): Promise<void> {
  await change(to, which, { fundsEmptySince: new Date(), fundsTryAt })
}

/** The next try of apps without credits is due. */
export async function letTryFunds(to: Writer): Promise<void> {
  await change(to, isNotNull(xApps.fundsTryAt), { fundsTryAt: sql`now() - interval '1 second'` })
}

/** The apps have credits again. */
export async function refillFunds(to: Writer): Promise<void> {
  await change(to, {}, { fundsEmptySince: null, fundsTryAt: null, fundsAlarmedAt: null })
}

/** X has named the apps' messages per day, and may have none left until then. */
export async function limitApps(to: Writer, dailyLimit: number, restsUntil?: Date): Promise<void> {
  await change(to, {}, { dailyLimit, ...(restsUntil && { restsUntil }) })
}

/** X has named no limit of the apps. */
export async function liftAppLimits(to: Writer): Promise<void> {
  await change(to, {}, { dailyLimit: null, restsUntil: null })
}

/** Nothing was claimed through the apps. */
export async function forgetAppClaims({ db }: Writer): Promise<void> {
  await db.delete(xAppClaims)
}

/** The operator's app last delivered then, and missed deliveries between these times; by default none. */
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
