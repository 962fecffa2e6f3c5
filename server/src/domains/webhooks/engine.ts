import type { DisabledReason } from '@x-automated/contract/webhooks'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import type { Outbox } from '../../jobs/mail.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import { type HookAnswer, postHook } from '../../outside/webhook.ts'
import { createSealer } from '../../sealing.ts'
import { disabledMail } from './mails.ts'
import { DISABLE_AFTER_HOURS, retryDelaySeconds, signatureOf } from './rules.ts'
import { webhookDeliveries, webhookEndpoints } from './tables.ts'

export type Endpoint = typeof webhookEndpoints.$inferSelect
export type Delivery = typeof webhookDeliveries.$inferSelect

/** What deliveries need of the process. */
export interface WebhookContext {
  db: Db
  env: { authSecret: string; standIns: boolean; operators: string[] }
  origin: string
  jobs: JobQueue
  outbox: Outbox
}

/** Tells all processes that something is due. */
export const WEBHOOKS_CHANNEL = 'webhooks'

/** How long a claimed delivery is left alone: should its process die, it is due again then. An attempt takes 10 seconds at most. */
export const LEASE_SECONDS = 60
/** Attempts of one endpoint at the same time in one process: a slow one takes no more. */
const AT_ONCE = 5

/** Seals the secrets of endpoints. */
export function secretSealer(env: { authSecret: string }) {
  return createSealer(env.authSecret, 'x-automated webhook secrets')
}

/** Endpoints that something is due for. */
export async function findDueEndpoints(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from webhook_endpoints as e where enabled and exists (
      select from webhook_deliveries where endpoint_id = e.id and status = 'pending' and next_attempt_at <= now())`)
  return rows.map((row) => row.id)
}

/** Takes some deliveries of an endpoint that are due, the longest due first: nobody else takes them while the lease runs. */
export async function claimDue(db: Db, endpointId: string, limit = AT_ONCE): Promise<Delivery[]> {
  const due = sql`(select id from webhook_deliveries
    where endpoint_id = ${endpointId} and status = 'pending' and next_attempt_at <= now()
      and exists (select from webhook_endpoints where id = ${endpointId} and enabled)
    order by next_attempt_at, id limit ${limit} for update skip locked)`
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

/** Makes the attempts of an endpoint that are due, until none is or `isClosed`. */
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

/** One attempt of a claimed delivery. Outside any transaction. */
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

function readAnswer(answer: HookAnswer) {
  if ('problem' in answer) return { taken: false, lastStatus: null, lastError: answer.problem, responseExcerpt: null }
  const { status, excerpt } = answer
  const taken = status >= 200 && status < 300
  const redirects = status >= 300 && status < 400
  const lastError = taken ? null : redirects ? `Answered ${status}: redirects are not followed` : `Answered ${status}`
  return { taken, lastStatus: status, lastError, responseExcerpt: excerpt }
}

/**
 * Notes how a claimed attempt went, and what follows. An attempt whose lease ran out and that was claimed anew is not noted: the newer one is.
 * @param once an operator's test: it is not repeated, and says nothing of the endpoint's health
 */
export async function record(
  context: WebhookContext,
  endpoint: Endpoint,
  { id, attempts }: Delivery,
  answer: HookAnswer,
  once = false,
): Promise<Delivery | null> {
  const { taken, ...noted } = readAnswer(answer)
  const isGone = noted.lastStatus === GONE
  const delay = taken || once || isGone ? null : retryDelaySeconds(attempts, Math.random())
  return context.db.transaction(async (tx) => {
    const [delivery] = await tx
      .update(webhookDeliveries)
      .set({
        ...noted,
        status: taken ? 'delivered' : delay === null ? 'failed' : 'pending',
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
    if (taken) {
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
    if (delay !== null) await lookAfter(context, tx, delay)
    else if (isGone) await disable(context, tx, endpoint, 'gone')
    else if (failing?.isDead) await disable(context, tx, endpoint, 'failing')
    return delivery
  })
}

/** Somebody looks each minute anyway. */
const LOOKED_EACH_SECONDS = 60

/** Has it looked for when a short wait is over: a job for each long one, too, would fill the queue while an endpoint is down. */
async function lookAfter({ jobs }: WebhookContext, tx: Db, seconds: number): Promise<void> {
  if (seconds < LOOKED_EACH_SECONDS) await jobs.enqueue(tx, 'webhooks', {}, { startAfterSeconds: Math.ceil(seconds) })
}

async function disable(context: WebhookContext, tx: Db, { id, url }: Endpoint, reason: DisabledReason): Promise<void> {
  const [disabled] = await tx
    .update(webhookEndpoints)
    .set({ enabled: false, disabledReason: reason, updatedAt: sql`now()` })
    .where(and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.enabled, true)))
    .returning({ id: webhookEndpoints.id })
  if (!disabled) return
  const { outbox, origin, env } = context
  for (const operator of env.operators) await outbox.post(tx, disabledMail(operator, { url, reason, origin }))
}
