import { eq, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import {
  monthlyUsage,
  paidSubscriptions,
  paymentWebhooks,
  subscriptions,
} from '../src/domains/platform/billing/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// What happens to the plan of a workspace. `subscribe` in makers.ts gives it one.

type Workspace = { workspaceId: string }
type Subscriptions = Which<typeof subscriptions>

/** The workspace is on Free, as if it had never subscribed. */
export async function unsubscribe({ db }: Writer, { workspaceId }: { workspaceId: string }): Promise<void> {
  await db.delete(subscriptions).where(matching(subscriptions, { workspaceId }))
}

/** The subscriptions were canceled, and what is paid for has ended. */
export async function endSubscriptions(to: Writer, which: Subscriptions): Promise<void> {
  await change(to, which, { status: 'canceled', currentPeriodEnd: new Date(Date.now() - 1_000) })
}

/** A payment has failed that many days ago. */
export async function failPayment(to: Writer, which: Subscriptions, days: number): Promise<void> {
  await change(to, which, { pastDueSince: new Date(Date.now() - days * 86_400_000) })
}

async function change({ db }: Writer, which: Subscriptions, set: PgUpdateSetSource<typeof subscriptions>) {
  await db.update(subscriptions).set(set).where(matching(subscriptions, which))
}

const month = sql<string>`date_trunc('month', now() at time zone 'UTC')::date`

/** The workspace has used that many messages of this month, and no owner was warned. */
export async function setUsage({ db }: Writer, { workspaceId }: Workspace, count: number): Promise<void> {
  await db
    .insert(monthlyUsage)
    .values({ workspaceId, kind: 'dms', month: month as never, count })
    .onConflictDoUpdate({
      target: [monthlyUsage.workspaceId, monthlyUsage.kind, monthlyUsage.month],
      set: { count, warnedOf: null },
    })
}

/** The workspace has now used that many of what a plan limits, after the warning it got. */
export async function raiseUsage({ db }: Writer, { workspaceId }: Workspace, count: number): Promise<void> {
  await db.update(monthlyUsage).set({ count }).where(eq(monthlyUsage.workspaceId, workspaceId))
}

/** A new month begins, so that nothing is used. */
export async function resetUsage({ db }: Writer, { workspaceId }: Workspace): Promise<void> {
  await db.delete(monthlyUsage).where(eq(monthlyUsage.workspaceId, workspaceId))
}

/** The payment provider paused a subscription. No event read later changes that. */
export async function pausePaid({ db }: Writer, id: string): Promise<void> {
  const paused = { status: 'paused' as const, readNo: Number.MAX_SAFE_INTEGER }
  await db.update(paidSubscriptions).set(paused).where(eq(paidSubscriptions.id, id))
}

/** The paid period of an active subscription ended two hours ago. It was last read that many hours ago. */
export async function endPaidPeriod({ db }: Writer, id: string, readHoursAgo = 2): Promise<void> {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  await db
    .update(paidSubscriptions)
    .set({ status: 'active', currentPeriodEnd: hoursAgo(2), updatedAt: hoursAgo(readHoursAgo) })
    .where(eq(paidSubscriptions.id, id))
}

/** A webhook of the payment provider whose secret cannot be opened. */
export async function insertFormerWebhook({ db }: Writer, url: string): Promise<void> {
  await db.insert(paymentWebhooks).values({ url, endpointId: 'we_former', sealedSecret: 'of another secret' })
}

/** Forgets the webhooks of the payment provider. */
export async function deletePaymentWebhooks({ db }: Writer): Promise<void> {
  await db.delete(paymentWebhooks)
}
