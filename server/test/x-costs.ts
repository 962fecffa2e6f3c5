import { eq } from 'drizzle-orm'
import { xBilledResources, xCharges, xSpending } from '../src/domains/platform/x-costs/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

type Charge = Omit<typeof xCharges.$inferInsert, 'workspaceId'>

/** Returns the date `days` days ago, in UTC. */
export const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** Records charges by X for a workspace. */
export async function insertCharges(
  { db }: Writer,
  { workspaceId }: { workspaceId: string },
  ...charges: Charge[]
): Promise<void> {
  await db.insert(xCharges).values(charges.map((charge) => ({ workspaceId, ...charge })))
}

/** Deletes all charges by X for a workspace. */
export async function deleteCharges({ db }: Writer, { workspaceId }: { workspaceId: string }): Promise<void> {
  await db.delete(xCharges).where(eq(xCharges.workspaceId, workspaceId))
}

/** Records that X charged an app for a user on this day. */
export async function insertBilled({ db }: Writer, xAppId: string, day: string): Promise<void> {
  await db.insert(xBilledResources).values({ day, xAppId, resource: 'user', xId: '1' })
}

/** Moves charged resources to an earlier day. */
export async function billEarlier({ db }: Writer, which: Which<typeof xBilledResources>): Promise<void> {
  await db.update(xBilledResources).set({ day: '2026-01-01' }).where(matching(xBilledResources, which))
}

/** Moves a workspace's spending to an earlier month. */
export async function endMonth({ db }: Writer, { workspaceId }: { workspaceId: string }): Promise<void> {
  await db.update(xSpending).set({ month: '2026-01-01' }).where(eq(xSpending.workspaceId, workspaceId))
}
