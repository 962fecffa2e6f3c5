import { eq, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import {
  monthlyUsage,
  paidSubscriptions,
  paymentWebhooks,
  subscriptions,
} from '../src/domains/platform/billing/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes a workspace's plan and usage directly in the database. `subscribe` in makers.ts gives it a plan.

type Workspace = { workspaceId: string }
type Subscriptions = Which<typeof subscriptions>

/** Puts the workspace on the Free plan, as if it had never subscribed. */
export async function unsubscribe({ db }: Writer, { workspaceId }: { workspaceId: string }): Promise<void> {
  await db.delete(subscriptions).where(matching(subscriptions, { workspaceId }))
}

/** Cancels the subscriptions, and ends their paid period. */
export async function endSubscriptions(to: Writer, which: Subscriptions): Promise<void> {
  await change(to, which, { status: 'canceled', currentPeriodEnd: new Date(Date.now() - 1_000) })
}

/** Marks a payment as overdue for `days` days. */
export async function failPayment(to: Writer, which: Subscriptions, days: number): Promise<void> {
  await change(to, which, { pastDueSince: new Date(Date.now() - days * 86_400_000) })
}

async function change({ db }: Writer, which: Subscriptions, set: PgUpdateSetSource<typeof subscriptions>) {
  await db.update(subscriptions).set(set).where(matching(subscriptions, which))
}

const month = sql<string>`date_trunc('month', now() at time zone 'UTC')::date`

/** Sets how many messages the workspace has used this month, without a warning to its owner. */
export async function setUsage({ db }: Writer, { workspaceId }: Workspace, count: number): Promise<void> {
  await db
    .insert(monthlyUsage)
    .values({ workspaceId, kind: 'dms', month: month as never, count })
    .onConflictDoUpdate({
      target: [monthlyUsage.workspaceId, monthlyUsage.kind, monthlyUsage.month],
      set: { count, warnedOf: null },
    })
}

/** Sets all of the workspace's used amounts to `count`, and keeps the record of warnings. */
export async function raiseUsage({ db }: Writer, { workspaceId }: Workspace, count: number): Promise<void> {
  await db.update(monthlyUsage).set({ count }).where(eq(monthlyUsage.workspaceId, workspaceId))
}

/** Deletes the workspace's used amounts, as when a new month begins. */
export async function resetUsage({ db }: Writer, { workspaceId }: Workspace): Promise<void> {
  await db.delete(monthlyUsage).where(eq(monthlyUsage.workspaceId, workspaceId))
}

/** Marks a subscription as paused by the payment provider. Later events do not change that. */
export async function pausePaid({ db }: Writer, id: string): Promise<void> {
  const paused = { status: 'paused' as const, readNo: Number.MAX_SAFE_INTEGER }
  await db.update(paidSubscriptions).set(paused).where(eq(paidSubscriptions.id, id))
}

/** Makes a subscription active, with a paid period that ended two hours ago. @param readHoursAgo its last read */
export async function endPaidPeriod({ db }: Writer, id: string, readHoursAgo = 2): Promise<void> {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  await db
    .update(paidSubscriptions)
    .set({ status: 'active', currentPeriodEnd: hoursAgo(2), updatedAt: hoursAgo(readHoursAgo) })
    .where(eq(paidSubscriptions.id, id))
}

/** Inserts a webhook of the payment provider whose secret cannot be opened. */
export async function insertFormerWebhook({ db }: Writer, url: string): Promise<void> {
  await db.insert(paymentWebhooks).values({ url, endpointId: 'we_former', sealedSecret: 'of another secret' })
}

/** Deletes the stored webhooks of the payment provider. */
export async function deletePaymentWebhooks({ db }: Writer): Promise<void> {
  await db.delete(paymentWebhooks)
}
