import { randomUUID } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { COUNTED_DELIVERIES_MAX, ENDPOINTS_MAX, type WebhookEvent } from '@x-automated/contract/platform/webhooks'
import { and, asc, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { JobQueue } from '../../../ports.ts'
import { addressProblem } from '../../../public-address.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import {
  attempt,
  type Delivery,
  deliverDue,
  type Endpoint,
  LEASE_SECONDS,
  record,
  scheduleEndpoint,
  secretSealer,
  type WebhookContext,
  wakeEndpoint,
} from './engine.ts'
import { newSecret, PREVIOUS_SECRET_HOURS } from './rules.ts'
import { webhookDeliveries, webhookEndpoints } from './tables.ts'

// Events

interface Event {
  event: WebhookEvent
  at: Date
  data: Record<string, unknown>
  /** The member whose address is in `data`. The log entry is deleted with the member. */
  addressOf?: string
}

/** Queues an event for every subscribed endpoint, in the transaction of the change that it reports. */
export async function publishEvent(tx: Db, jobs: JobQueue, { event, at, data, addressOf }: Event): Promise<void> {
  const payload = JSON.stringify({ type: event, timestamp: at.toISOString(), data })
  const { rows } = await tx.execute<{ id: string }>(sql`
    insert into webhook_deliveries (endpoint_id, event_id, event, payload, address_of)
    select id, ${randomUUID()}::uuid, ${event}, ${payload}::jsonb, ${addressOf ?? null}::uuid
    from webhook_endpoints where enabled and ${event} = any(events) for key share
    returning endpoint_id as id`)
  for (const { id } of rows) await wakeEndpoint(tx, jobs, id)
}

/** Deletes log entries that contain a member's address. */
export async function deleteAddressEvents(tx: Db, memberId: string): Promise<void> {
  await tx.delete(webhookDeliveries).where(eq(webhookDeliveries.addressOf, memberId))
}

const KEPT_DAYS = 30

/** Deletes log entries older than KEPT_DAYS. */
export async function purgeDeliveries(db: Db): Promise<void> {
  await db
    .delete(webhookDeliveries)
    .where(lt(webhookDeliveries.createdAt, sql`now() - make_interval(days => ${KEPT_DAYS})`))
}

// Endpoints

type OperatorContext = Pick<WebhookContext, 'db' | 'env' | 'jobs'>

export async function list(db: Db) {
  return { endpoints: await db.select().from(webhookEndpoints).orderBy(asc(webhookEndpoints.id)) }
}

/** @throws Refusal INVALID_INPUT for a URL that is not allowed; WEBHOOK_LIMIT */
export async function create({ db, env }: OperatorContext, operatorId: string, input: InputOf<'webhooks', 'create'>) {
  requireAllowedUrl(env, input.url)
  const secret = newSecret()
  return db.transaction(async (tx) => {
    // Serialized, so that parallel requests cannot exceed the limit.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('webhook endpoints'))`)
    if ((await tx.$count(webhookEndpoints)) >= ENDPOINTS_MAX) throw new Refusal('WEBHOOK_LIMIT')
    const row = { ...input, sealedSecret: secretSealer(env).seal(secret), createdBy: operatorId }
    return { ...one(await tx.insert(webhookEndpoints).values(row).returning()), secret }
  })
}

/** @throws Refusal WEBHOOK_NOT_FOUND, INVALID_INPUT */
export async function update({ db, env, jobs }: OperatorContext, { id, ...changes }: InputOf<'webhooks', 'update'>) {
  if (changes.url !== undefined) requireAllowedUrl(env, changes.url)
  return db.transaction(async (tx) => {
    const fresh = changes.enabled === undefined ? {} : { disabledReason: null, failingSince: null }
    const [endpoint] = await tx
      .update(webhookEndpoints)
      .set({ ...changes, ...fresh, updatedAt: sql`now()` })
      .where(eq(webhookEndpoints.id, id))
      .returning()
    if (!endpoint) throw new Refusal('WEBHOOK_NOT_FOUND')
    if (changes.enabled) {
      const waiting = and(eq(webhookDeliveries.endpointId, id), eq(webhookDeliveries.status, 'pending'))
      // Deliveries that are being attempted keep their lease.
      const next = sql`
        case when last_attempt_at > now() - make_interval(secs => ${LEASE_SECONDS}) then next_attempt_at else now() end`
      await tx.update(webhookDeliveries).set({ nextAttemptAt: next }).where(waiting)
      await wakeEndpoint(tx, jobs, id)
    }
    return endpoint
  })
}

/** How many deliveries one statement deletes. */
const DELETE_BATCH = 10_000

/** Deletes an endpoint and its log, however long the log is. @throws Refusal WEBHOOK_NOT_FOUND */
export async function remove({ db }: { db: Db }, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [disabled] = await tx
      .update(webhookEndpoints)
      .set({ enabled: false })
      .where(eq(webhookEndpoints.id, id))
      .returning({ id: webhookEndpoints.id })
    if (!disabled) throw new Refusal('WEBHOOK_NOT_FOUND')
    // Delete the log first, because joins wait while the endpoint's row is deleted.
    const some = tx
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.endpointId, id))
      .limit(DELETE_BATCH)
    for (let removed = DELETE_BATCH; removed === DELETE_BATCH; ) {
      const { rowCount } = await tx.delete(webhookDeliveries).where(inArray(webhookDeliveries.id, some))
      removed = rowCount ?? 0
    }
    await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, id))
  })
}

/** @throws Refusal WEBHOOK_NOT_FOUND */
export async function rotateSecret({ db, env }: OperatorContext, id: string) {
  const secret = newSecret()
  const [endpoint] = await db
    .update(webhookEndpoints)
    .set({
      sealedPreviousSecret: webhookEndpoints.sealedSecret,
      previousSecretUntil: sql`now() + make_interval(hours => ${PREVIOUS_SECRET_HOURS})`,
      sealedSecret: secretSealer(env).seal(secret),
      updatedAt: sql`now()`,
    })
    .where(eq(webhookEndpoints.id, id))
    .returning()
  if (!endpoint?.previousSecretUntil) throw new Refusal('WEBHOOK_NOT_FOUND')
  return { success: true as const, secret, previousSecretUntil: endpoint.previousSecretUntil }
}

function requireAllowedUrl(env: { standIns: boolean }, url: string): void {
  const problem = addressProblem(new URL(url), env.standIns)
  if (problem) throw invalidField('url', problem)
}

async function find(db: Db, id: string): Promise<Endpoint> {
  const [endpoint] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
  if (!endpoint) throw new Refusal('WEBHOOK_NOT_FOUND')
  return endpoint
}

// Deliveries

/** Sends a test event once. @throws Refusal WEBHOOK_NOT_FOUND */
export async function sendTest(context: WebhookContext, id: string): Promise<Delivery> {
  const endpoint = await find(context.db, id)
  const data = { message: 'This is a test event.' }
  const row = {
    endpointId: id,
    eventId: randomUUID(),
    event: 'webhook.test' as const,
    payload: { type: 'webhook.test', timestamp: new Date().toISOString(), data },
    attempts: 1,
    lastAttemptAt: sql`now()`,
    nextAttemptAt: sql`now() + make_interval(secs => ${LEASE_SECONDS})`,
  }
  const delivery = one(await context.db.insert(webhookDeliveries).values(row).returning())
  const recorded = await record(context, endpoint, delivery, await attempt(context, endpoint, delivery), true)
  // The endpoint has been deleted in the meantime.
  if (!recorded) throw new Refusal('WEBHOOK_NOT_FOUND')
  return recorded
}

/** One page of an endpoint's log, newest first. @throws Refusal WEBHOOK_NOT_FOUND */
export async function listDeliveries(
  db: Db,
  { id, status, page, pageSize, cursor }: InputOf<'webhooks', 'deliveries'>,
) {
  await find(db, id)
  const ofStatus = and(eq(webhookDeliveries.endpointId, id), status && eq(webhookDeliveries.status, status))
  const [rows, counted] = await Promise.all([
    db
      .select()
      .from(webhookDeliveries)
      .where(and(ofStatus, cursor === undefined ? undefined : lt(webhookDeliveries.id, cursor)))
      .orderBy(desc(webhookDeliveries.id))
      .limit(pageSize + 1)
      .offset(cursor === undefined ? (page - 1) * pageSize : 0),
    db.select({ total: sql<number>`count(*)::int` }).from(
      db
        .select({ one: sql`1`.as('one') })
        .from(webhookDeliveries)
        .where(ofStatus)
        .limit(COUNTED_DELIVERIES_MAX)
        .as('counted'),
    ),
  ])
  const deliveries = rows.slice(0, pageSize)
  const next = rows.length > pageSize ? (deliveries.at(-1)?.id ?? null) : null
  return { deliveries, total: one(counted).total, page, pageSize, cursor: next }
}

/** Sends an event again: a waiting delivery immediately, a finished one as a new delivery. */
export async function redeliver({ db, jobs }: Pick<WebhookContext, 'db' | 'jobs'>, id: string): Promise<Delivery> {
  return db.transaction(async (tx) => {
    const [row] = await tx
      .select({ delivery: webhookDeliveries, isEnabled: webhookEndpoints.enabled })
      .from(webhookDeliveries)
      .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
      .where(eq(webhookDeliveries.id, id))
      .for('update', { of: webhookDeliveries })
    if (!row) throw new Refusal('DELIVERY_NOT_FOUND')
    if (!row.isEnabled) throw new Refusal('DELIVERY_STATE')
    const { endpointId, eventId, event, payload, addressOf, status, nextAttemptAt } = row.delivery
    await wakeEndpoint(tx, jobs, endpointId)
    if (status !== 'pending') {
      const [again] = await tx
        .insert(webhookDeliveries)
        .values({ endpointId, eventId, event, payload, addressOf })
        .returning()
      return again ?? row.delivery
    }
    // If the delivery is due within a lease, an attempt may be in progress.
    if (nextAttemptAt && nextAttemptAt.getTime() - Date.now() <= LEASE_SECONDS * 1_000) return row.delivery
    const [sooner] = await tx
      .update(webhookDeliveries)
      .set({ nextAttemptAt: sql`now()` })
      .where(eq(webhookDeliveries.id, id))
      .returning()
    return sooner ?? row.delivery
  })
}

// Work

/** The number of endpoints to which a process delivers at the same time. */
const ENDPOINTS_AT_A_TIME = 8
/** After this time, other endpoints get a turn. Even with the attempts in progress, it stays below the job's limit. */
const TURN_MS = 20_000

/** Delivers due events. Only one process at a time delivers to an endpoint. `close` lets attempts finish. */
export async function runWebhooks(context: WebhookContext) {
  let closed = false
  await context.jobs.work('webhook-endpoint', ENDPOINTS_AT_A_TIME, async ({ endpointId }) => {
    const until = performance.now() + TURN_MS
    await deliverDue(context, endpointId, () => closed || performance.now() > until)
    await scheduleEndpoint(context, endpointId)
  })
  // Earlier versions left deliveries without a job.
  for (const { id } of await context.db.select({ id: webhookEndpoints.id }).from(webhookEndpoints))
    await wakeEndpoint(context.db, context.jobs, id)
  return {
    close() {
      closed = true
    },
  }
}
