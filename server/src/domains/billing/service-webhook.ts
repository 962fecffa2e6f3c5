import { eq, inArray } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import { paidSubscriptions, paymentWebhooks } from './tables.ts'

type Webhook = Omit<typeof paymentWebhooks.$inferInsert, 'createdAt'>

/** The webhook that we have registered for an address of ours; null: none. */
export async function findWebhook(db: Db, url: string) {
  const [row] = await db.select().from(paymentWebhooks).where(eq(paymentWebhooks.url, url))
  return row ?? null
}

export async function keepWebhook(db: Db, webhook: Webhook): Promise<void> {
  await db.insert(paymentWebhooks).values(webhook).onConflictDoUpdate({ target: paymentWebhooks.url, set: webhook })
}

/**
 * Has what workspaces pay for ended at the provider, by the queue: part of the transaction that deletes them.
 * Whose it was is forgotten here.
 */
export async function endSubscriptions(tx: Db, jobs: JobQueue, workspaceIds: readonly string[]): Promise<void> {
  if (workspaceIds.length === 0) return
  const rows = await tx
    .update(paidSubscriptions)
    .set({ email: null })
    .where(inArray(paidSubscriptions.workspaceId, [...workspaceIds]))
    .returning({ id: paidSubscriptions.id, endedAt: paidSubscriptions.endedAt })
  const running = rows.filter(({ endedAt }) => endedAt === null)
  await jobs.enqueueAll(
    tx,
    'payment-end',
    running.map(({ id }) => ({ subscriptionId: id })),
  )
}
