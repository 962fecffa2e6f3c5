import { eq } from 'drizzle-orm'
import type { Database, Db } from '../../../db/open.ts'
import { retryWhileUnavailable } from '../../../db/unavailable.ts'
import { PaymentsError } from '../../../outside/payments.ts'
import type { JobQueue } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import { createSealer } from '../../../sealing.ts'
import {
  claimPayments,
  recordEvent,
  type SyncContext,
  syncEvents,
  syncOverdue,
  syncPlans,
  syncSubscription,
} from './sync.ts'
import { paymentWebhooks } from './tables.ts'

/** The path of the payment provider's webhook. */
export const PAYMENTS_WEBHOOK_PATH = '/api/billing/webhook'

/*
 * Jobs: `payment` syncs one subscription, `payments-look` finds what was missed every minute, and
 * `payment-end` ends the subscription of a deleted workspace.
 */

interface Services extends Omit<SyncContext, 'db'> {
  database: Database
  jobs: JobQueue
}

/** How often prices are read again. They rarely change, and unknown ones are read on request. */
const PLANS_EVERY_MS = 10 * 60_000

export async function runPayments(services: Services): Promise<void> {
  const { payments, jobs, database, log } = services
  if (!payments) return
  const context: SyncContext = { ...services, db: database.db }
  let plansReadAt = 0
  let isWebhookChecked = false
  await jobs.work('payment', 2, ({ subscriptionId }) => syncSubscription(context, subscriptionId))
  await jobs.work('payment-end', 1, async ({ subscriptionId }) => {
    await payments.end(subscriptionId)
    await syncSubscription(context, subscriptionId)
  })
  await jobs.work('payments-look', 1, async () => {
    // Comes first, because it does not need the provider.
    await claimPayments(database.db)
    try {
      if (!isWebhookChecked) await ensureWebhook(services)
      isWebhookChecked = true
    } catch (error) {
      if (!(error instanceof PaymentsError)) throw error
      log.warn({ err: error }, 'could not register the payments webhook; polling every minute instead')
    }
    await syncEvents(context)
    await syncOverdue(context)
    if (Date.now() - plansReadAt < PLANS_EVERY_MS) return
    await syncPlans(database.db, payments)
    plansReadAt = Date.now()
  })
  await retryWhileUnavailable(() => jobs.enqueue(database.db, 'payments-look', {}))
}

/** Registers our webhook unless one is configured. @throws PaymentsError: URL rejected */
async function ensureWebhook({ payments, database, origin, env }: Services): Promise<void> {
  if (!payments || !env.payments || env.payments.webhookSecret) return
  const url = `${origin}${PAYMENTS_WEBHOOK_PATH}`
  const webhook = await findWebhook(database.db, url)
  if (!webhook || !secretOf(env.authSecret, webhook) || !(await payments.isWebhookRegistered(webhook.endpointId))) {
    const { id, secret } = await payments.registerWebhook(url)
    await storeWebhook(database.db, { url, endpointId: id, sealedSecret: webhookSealer(env.authSecret).seal(secret) })
  }
}

/**
 * Accepts a webhook event. @returns whether its signature is valid; false without payments @throws
 * Refusal INVALID_INPUT: not an event
 */
export async function receivePayment(services: Services, body: Buffer, signature: string): Promise<boolean> {
  const { payments, env, database, origin, jobs } = services
  if (!payments || !env.payments) return false
  const own = await findWebhook(database.db, `${origin}${PAYMENTS_WEBHOOK_PATH}`)
  const secrets = [env.payments.webhookSecret, own && secretOf(env.authSecret, own)].filter((secret) => secret != null)
  const event = payments.readWebhook(body, signature, secrets)
  if (event === 'unsigned') return false
  if (event === 'unreadable') throw new Refusal('INVALID_INPUT', 'The body must be an event.')
  await recordEvent(database.db, event, (tx: Db, subscriptionId) =>
    jobs.enqueue(tx, 'payment', { subscriptionId }, { key: subscriptionId }),
  )
  return true
}

/** A webhook's signing secret; null if it was encrypted with another AUTH_SECRET. */
function secretOf(authSecret: string, { sealedSecret }: { sealedSecret: string }): string | null {
  try {
    return webhookSealer(authSecret).open(sealedSecret)
  } catch {
    return null
  }
}

function webhookSealer(secret: string) {
  return createSealer(secret, 'x-automated payments webhook')
}

type Webhook = Omit<typeof paymentWebhooks.$inferInsert, 'createdAt'>

/** The registered webhook for a URL, if any. */
async function findWebhook(db: Db, url: string) {
  const [row] = await db.select().from(paymentWebhooks).where(eq(paymentWebhooks.url, url))
  return row ?? null
}

async function storeWebhook(db: Db, webhook: Webhook): Promise<void> {
  await db.insert(paymentWebhooks).values(webhook).onConflictDoUpdate({ target: paymentWebhooks.url, set: webhook })
}
