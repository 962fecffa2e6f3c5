import { eq } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { paymentWebhooks } from './tables.ts'

type Webhook = Omit<typeof paymentWebhooks.$inferInsert, 'createdAt'>

/** The registered webhook for a URL, if any. */
export async function findWebhook(db: Db, url: string) {
  const [row] = await db.select().from(paymentWebhooks).where(eq(paymentWebhooks.url, url))
  return row ?? null
}

export async function storeWebhook(db: Db, webhook: Webhook): Promise<void> {
  await db.insert(paymentWebhooks).values(webhook).onConflictDoUpdate({ target: paymentWebhooks.url, set: webhook })
}
