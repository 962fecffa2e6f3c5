import { eq } from 'drizzle-orm'
import { xBilledResources, xCharges, xSpending } from '../src/domains/platform/x-costs/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

type Charge = Omit<typeof xCharges.$inferInsert, 'workspaceId'>

/** The date that many days ago, in UTC. */
export const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** X charged a workspace for these. */
export async function insertCharges(
  { db }: Writer,
  { workspaceId }: { workspaceId: string },
  ...charges: Charge[]
): Promise<void> {
  await db.insert(xCharges).values(charges.map((charge) => ({ workspaceId, ...charge })))
}

/** X charged a workspace for nothing. */
export async function deleteCharges({ db }: Writer, { workspaceId }: { workspaceId: string }): Promise<void> {
  await db.delete(xCharges).where(eq(xCharges.workspaceId, workspaceId))
}

/** X charged an app for a person, on that day. */
export async function insertBilled({ db }: Writer, xAppId: string, day: string): Promise<void> {
  await db.insert(xBilledResources).values({ day, xAppId, resource: 'user', xId: '1' })
}

/** X charged for these on an earlier day. */
export async function billEarlier({ db }: Writer, which: Which<typeof xBilledResources>): Promise<void> {
  await db.update(xBilledResources).set({ day: '2026-01-01' }).where(matching(xBilledResources, which))
}

/** What a workspace spent was in an earlier month. */
export async function endMonth({ db }: Writer, { workspaceId }: { workspaceId: string }): Promise<void> {
  await db.update(xSpending).set({ month: '2026-01-01' }).where(eq(xSpending.workspaceId, workspaceId))
}
