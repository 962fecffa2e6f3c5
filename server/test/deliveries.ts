import { sql } from 'drizzle-orm'
import { xDeliveries } from '../src/core/tables/replies.ts'
import { xUnreadables } from '../src/domains/overview/operator/tables.ts'
import { OPERATOR_APP_ID } from '../src/domains/platform/x-apps/tables.ts'
import type { Writer } from './matching.ts'

/** Stores deliveries of the operator's app that cannot be opened, and that hold up follow-ups. */
export async function storeSealed(
  { db }: Writer,
  named: Partial<Pick<typeof xDeliveries.$inferInsert, 'accountXUserId' | 'personXUserId'>> = {},
  count = 1,
): Promise<void> {
  const row = { xAppId: OPERATOR_APP_ID, holds: true, sealedBody: 'sealed with another secret', ...named }
  await db.insert(xDeliveries).values(Array.from({ length: count }, () => row))
}

/** Deletes all deliveries. @returns the deleted deliveries */
export async function deleteDeliveries({ db }: Writer): Promise<(typeof xDeliveries.$inferSelect)[]> {
  return db.delete(xDeliveries).returning()
}

/** Makes all deliveries due now, including those that failed before. */
export async function makeDeliveriesDue({ db }: Writer): Promise<void> {
  await db.update(xDeliveries).set({ nextAt: new Date(0) })
}

/** Backdates the arrival of all deliveries to `seconds` seconds ago. */
export async function ageDeliveries({ db }: Writer, seconds: number): Promise<void> {
  await db.update(xDeliveries).set({ receivedAt: sql`now() - make_interval(secs => ${seconds})` })
}

/** Deletes the records of unreadable deliveries. */
export async function deleteUnreadables({ db }: Writer): Promise<void> {
  await db.delete(xUnreadables)
}

/** Moves the records of unreadable deliveries `days` days into the past. */
export async function ageUnreadables({ db }: Writer, days: number): Promise<void> {
  await db.update(xUnreadables).set({ day: sql`day - ${days}::int` })
}
