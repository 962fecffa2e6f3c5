import type { Database, Db } from '../../db/open.ts'
import { retryWhileUnavailable } from '../../db/unavailable.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import { type PaymentEvent, PaymentsError } from '../../outside/payments.ts'
import { createSealer } from '../../sealing.ts'
import {
  claimPayments,
  hear,
  lookAtEvents,
  lookAtOverdue,
  lookAtPlans,
  lookAtSubscription,
  type SyncContext,
} from './service-sync.ts'
import { findWebhook, keepWebhook } from './service-webhook.ts'

/** Where the payment provider tells us of what has happened. */
export const PAYMENTS_WEBHOOK_PATH = '/api/billing/webhook'

/*
 * The work of payments that no request waits for, on the queue, in whichever process comes first.
 *
 * `payment`: look at one subscription that something was heard of.
 * `payments-look`, every minute: what no webhook has told of, payments that belong to somebody now, periods that are over without any news; and whether our webhook stands.
 * `payment-end`: end the subscription of a workspace that was deleted.
 */

interface Services extends Omit<SyncContext, 'db'> {
  database: Database
  jobs: JobQueue
}

export { forgetOldPaymentEvents } from './service-sync.ts'

/** How often prices are read again: they rarely change, and who asks for an unknown one has them read at once. */
const PLANS_EVERY_MS = 10 * 60_000

export async function workOnPayments(services: Services): Promise<void> {
  const { payments, jobs, database, log } = services
  if (!payments) return
  const context: SyncContext = { ...services, db: database.db }
  let plansReadAt = 0
  let isWebhookChecked = false
  await jobs.work('payment', 2, ({ subscriptionId }) => lookAtSubscription(context, subscriptionId))
  await jobs.work('payment-end', 1, async ({ subscriptionId }) => {
    await payments.end(subscriptionId)
    await lookAtSubscription(context, subscriptionId)
  })
  await jobs.work('payments-look', 1, async () => {
    // First of all, and without the provider.
    await claimPayments(database.db)
    try {
      if (!isWebhookChecked) await ensureWebhook(services)
      isWebhookChecked = true
    } catch (error) {
      if (!(error instanceof PaymentsError)) throw error
      log.warn({ err: error }, 'the payment provider does not take our webhook: it is asked every minute instead')
    }
    await lookAtEvents(context)
    await lookAtOverdue(context)
    if (Date.now() - plansReadAt < PLANS_EVERY_MS) return
    await lookAtPlans(database.db, payments)
    plansReadAt = Date.now()
  })
  await retryWhileUnavailable(() => jobs.enqueue(database.db, 'payments-look', {}))
}

/** Has the provider tell us, unless somebody has seen to it by hand. @throws PaymentsError: it takes no such address */
async function ensureWebhook({ payments, database, origin, env }: Services): Promise<void> {
  if (!payments || !env.payments || env.payments.webhookSecret) return
  const url = `${origin}${PAYMENTS_WEBHOOK_PATH}`
  const known = await findWebhook(database.db, url)
  if (!known || !secretOf(env.authSecret, known) || !(await payments.isWebhookRegistered(known.endpointId))) {
    const { id, secret } = await payments.registerWebhook(url)
    await keepWebhook(database.db, { url, endpointId: id, sealedSecret: webhookSealer(env.authSecret).seal(secret) })
  }
}

/** Takes what the provider tells. @returns null: it is not from there */
export async function receivePayment(
  services: Services,
  body: Buffer,
  signature: string,
): Promise<PaymentEvent | null> {
  const { payments, env, database, origin, jobs } = services
  if (!payments || !env.payments) return null
  const own = await findWebhook(database.db, `${origin}${PAYMENTS_WEBHOOK_PATH}`)
  const secrets = [env.payments.webhookSecret, own && secretOf(env.authSecret, own)].filter((one) => one != null)
  const event = payments.readWebhook(body, signature, secrets)
  if (event)
    await hear(database.db, event, (tx: Db, subscriptionId) =>
      jobs.enqueue(tx, 'payment', { subscriptionId }, { key: subscriptionId }),
    )
  return event
}

/** What the provider signs with for a webhook of ours; null: it was sealed under another AUTH_SECRET. */
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
