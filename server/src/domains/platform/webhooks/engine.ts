import type { DisabledReason } from '@x-automated/contract/platform/webhooks'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { type HookAnswer, postHook } from '../../../outside/webhook.ts'
import type { JobQueue, Outbox } from '../../../ports.ts'
import { createSealer } from '../../../sealing.ts'
import { endpointDisabledEmail } from './emails.ts'
import { DISABLE_AFTER_HOURS, retryDelaySeconds, signatureOf } from './rules.ts'
import { webhookDeliveries, webhookEndpoints } from './tables.ts'

export type Endpoint = typeof webhookEndpoints.$inferSelect
export type Delivery = typeof webhookDeliveries.$inferSelect

/** The services that deliveries need. */
export interface WebhookContext {
  db: Db
  env: { authSecret: string; standIns: boolean; operators: string[] }
  origin: string
  jobs: JobQueue
  outbox: Outbox
}

/** After this time, a claimed delivery is due again. An attempt takes at most 10 seconds. */
export const LEASE_SECONDS = 60
/** Maximum number of parallel attempts per endpoint, so that a slow endpoint cannot occupy more. */
const CONCURRENCY = 5

/** Encrypts the secrets of endpoints. */
export function secretSealer(env: { authSecret: string }) {
  return createSealer(env.authSecret, 'x-automated webhook secrets')
}

/** Sends an endpoint's due deliveries once the transaction commits. */
export function wakeEndpoint(tx: Db, jobs: JobQueue, endpointId: string): Promise<void> {
  return jobs.reschedule(tx, 'webhook-endpoint', { endpointId }, { key: endpointId, group: endpointId })
}

/** Sends an endpoint's waiting deliveries when the first of them is due. */
export async function scheduleEndpoint({ db, jobs }: WebhookContext, endpointId: string): Promise<void> {
  await db.transaction(async (tx) => {
    // Locked, so that two processes that deliver to the endpoint schedule it one after the other.
    const [endpoint] = await tx
      .select({ isEnabled: webhookEndpoints.enabled })
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.id, endpointId))
      .for('no key update')
    if (!endpoint?.isEnabled) return
    const [first] = await tx
      .select({ at: sql<string | null>`min(${webhookDeliveries.nextAttemptAt})` })
      .from(webhookDeliveries)
      .where(and(eq(webhookDeliveries.endpointId, endpointId), eq(webhookDeliveries.status, 'pending')))
    if (!first?.at) return
    // Differs from the key of `wakeEndpoint`, whose job must not be delayed.
    const options = { key: `${endpointId} later`, group: endpointId, at: new Date(first.at) }
    await jobs.reschedule(tx, 'webhook-endpoint', { endpointId }, options)
  })
}

/** Claims due deliveries of an endpoint, longest due first, with a lease. */
export async function claimDue(db: Db, endpointId: string): Promise<Delivery[]> {
  const due = sql`(select id from webhook_deliveries
    where endpoint_id = ${endpointId} and status = 'pending' and next_attempt_at <= now()
      and exists (select from webhook_endpoints where id = ${endpointId} and enabled)
    order by next_attempt_at, id limit ${CONCURRENCY} for update skip locked)`
  return db
    .update(webhookDeliveries)
    .set({
      attempts: sql`${webhookDeliveries.attempts} + 1`,
      lastAttemptAt: sql`now()`,
      nextAttemptAt: sql`now() + make_interval(secs => ${LEASE_SECONDS})`,
    })
    .where(sql`${webhookDeliveries.id} in ${due}`)
    .returning()
}

/** Delivers everything due for an endpoint, until nothing is due or `isClosed`. */
export async function deliverDue(context: WebhookContext, endpointId: string, isClosed = () => false): Promise<void> {
  while (!isClosed()) {
    const claimed = await claimDue(context.db, endpointId)
    const [endpoint] = await context.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId))
    if (claimed.length === 0 || !endpoint) return
    await Promise.all(
      claimed.map(async (delivery) => record(context, endpoint, delivery, await attempt(context, endpoint, delivery))),
    )
  }
}

/** Makes one attempt of a claimed delivery. Call it outside transactions. */
export function attempt(
  { env }: Pick<WebhookContext, 'env'>,
  endpoint: Endpoint,
  delivery: Delivery,
): Promise<HookAnswer> {
  const sealer = secretSealer(env)
  const { sealedSecret, sealedPreviousSecret, previousSecretUntil } = endpoint
  const isChangingOver = sealedPreviousSecret && previousSecretUntil && previousSecretUntil > new Date()
  const secrets = [sealedSecret, ...(isChangingOver ? [sealedPreviousSecret] : [])].map(sealer.open)
  const body = JSON.stringify(delivery.payload)
  const timestamp = Math.floor(Date.now() / 1_000)
  return postHook({
    url: endpoint.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'X-Automated-Webhooks/1.0',
      'webhook-id': delivery.eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secrets, { id: delivery.eventId, timestamp, body }),
    },
    allowLoopback: env.standIns,
  })
}

const GONE = 410

function interpretAnswer(response: HookAnswer) {
  if ('problem' in response)
    return { isDelivered: false, lastStatus: null, lastError: response.problem, responseExcerpt: null }
  const { status, excerpt } = response
  const isDelivered = status >= 200 && status < 300
  const redirects = status >= 300 && status < 400
  const lastError = isDelivered ? null : redirects ? `HTTP ${status}: redirects aren't followed` : `HTTP ${status}`
  return { isDelivered, lastStatus: status, lastError, responseExcerpt: excerpt }
}

/**
 * Records the outcome of a claimed attempt and schedules the next. Ignores expired leases. @param
 * once true for an operator's test, which has no retries and no effect on the endpoint's health
 */
export async function record(
  context: WebhookContext,
  endpoint: Endpoint,
  { id, attempts }: Delivery,
  response: HookAnswer,
  once = false,
): Promise<Delivery | null> {
  const { isDelivered, ...noted } = interpretAnswer(response)
  const isGone = noted.lastStatus === GONE
  const delay = isDelivered || once || isGone ? null : retryDelaySeconds(attempts, Math.random())
  return context.db.transaction(async (tx) => {
    const [delivery] = await tx
      .update(webhookDeliveries)
      .set({
        ...noted,
        status: isDelivered ? 'delivered' : delay === null ? 'failed' : 'pending',
        nextAttemptAt: delay === null ? null : sql`now() + make_interval(secs => ${delay})`,
      })
      .where(
        and(
          eq(webhookDeliveries.id, id),
          eq(webhookDeliveries.attempts, attempts),
          eq(webhookDeliveries.status, 'pending'),
        ),
      )
      .returning()
    if (!delivery || once) return delivery ?? null
    if (isDelivered) {
      const recovered = and(eq(webhookEndpoints.id, endpoint.id), isNotNull(webhookEndpoints.failingSince))
      await tx.update(webhookEndpoints).set({ failingSince: null }).where(recovered)
      return delivery
    }
    const [failing] = await tx
      .update(webhookEndpoints)
      .set({ failingSince: sql`coalesce(${webhookEndpoints.failingSince}, now())` })
      .where(eq(webhookEndpoints.id, endpoint.id))
      .returning({
        isDead: sql<boolean>`${webhookEndpoints.failingSince} < now() - make_interval(hours => ${DISABLE_AFTER_HOURS})`,
      })
    if (delay !== null) return delivery
    if (isGone) await disable(context, tx, endpoint, 'gone')
    else if (failing?.isDead) await disable(context, tx, endpoint, 'failing')
    return delivery
  })
}

async function disable(context: WebhookContext, tx: Db, { id, url }: Endpoint, reason: DisabledReason): Promise<void> {
  const [disabled] = await tx
    .update(webhookEndpoints)
    .set({ enabled: false, disabledReason: reason, updatedAt: sql`now()` })
    .where(and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.enabled, true)))
    .returning({ id: webhookEndpoints.id })
  if (!disabled) return
  const { outbox, origin, env } = context
  for (const operator of env.operators) await outbox.post(tx, endpointDisabledEmail(operator, { url, reason, origin }))
}
