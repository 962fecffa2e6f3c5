import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { subscriptions } from '../src/domains/platform/billing/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// What happens to the plan of a workspace. `subscribe` in makers.ts gives it one.

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
