import { and, eq, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { webhookDeliveries, webhookEndpoints } from '../src/domains/platform/webhooks/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes operators' webhook endpoints and their deliveries directly in the database.

type Deliveries = Which<typeof webhookDeliveries>

/** Deletes every endpoint with its deliveries. */
export async function deleteEndpoints({ db }: Writer): Promise<void> {
  await db.delete(webhookEndpoints)
}

/** Marks every endpoint as failing for `hours` hours. */
export async function failFor({ db }: Writer, hours: number): Promise<void> {
  await db.update(webhookEndpoints).set({ failingSince: sql`now() - make_interval(hours => ${hours})` })
}

/** Ends the time in which deliveries are also signed with an endpoint's previous secret. */
export async function endPreviousSecrets({ db }: Writer): Promise<void> {
  await db.update(webhookEndpoints).set({ previousSecretUntil: new Date() })
}

/** Stores due deliveries of an endpoint without notifying any worker. */
export async function insertDeliveries({ db }: Writer, endpointId: string, count: number): Promise<void> {
  const event = { event: 'member.joined' as const, payload: { type: 'member.joined', data: {} } }
  const enable = (enabled: boolean) =>
    db.update(webhookEndpoints).set({ enabled }).where(eq(webhookEndpoints.id, endpointId))
  await enable(false)
  await db
    .insert(webhookDeliveries)
    .values(Array.from({ length: count }, () => ({ endpointId, eventId: crypto.randomUUID(), ...event })))
  await enable(true)
}

/** Stores a delivery that is due in `hours` hours. */
export async function planDelivery({ db }: Writer, endpointId: string, hours: number): Promise<void> {
  const nextAttemptAt = sql`now() + make_interval(hours => ${hours})`
  const event = { eventId: crypto.randomUUID(), event: 'member.joined' as const, payload: {} }
  await db.insert(webhookDeliveries).values({ endpointId, ...event, nextAttemptAt })
}

/** Stores this number of successful deliveries of an endpoint. */
export async function fillLog({ db }: Writer, endpointId: string, count: number): Promise<void> {
  await db.execute(sql`
    insert into webhook_deliveries (endpoint_id, event_id, event, payload, status, next_attempt_at)
    select ${endpointId}::uuid, gen_random_uuid(), 'member.joined', '{}', 'delivered', null
    from generate_series(1, ${count}::int)`)
}

/** Makes all pending deliveries of an endpoint due. */
export async function makeDeliveriesDue({ db }: Writer, endpointId: string): Promise<void> {
  await db
    .update(webhookDeliveries)
    .set({ nextAttemptAt: sql`now() - interval '1 second'` })
    .where(and(eq(webhookDeliveries.endpointId, endpointId), eq(webhookDeliveries.status, 'pending')))
}

/** Makes the deliveries due in `hours` hours. */
export async function postponeDeliveries(to: Writer, which: Deliveries, hours: number): Promise<void> {
  await change(to, which, { nextAttemptAt: sql`now() + make_interval(hours => ${hours})` })
}

/** Makes all deliveries pending and due, with one attempt left. */
export async function leaveLastAttempt(to: Writer): Promise<void> {
  await change(to, {}, { status: 'pending', attempts: 7, nextAttemptAt: new Date() })
}

/** Backdates all deliveries to `days` days ago. */
export async function ageLog(to: Writer, days: number): Promise<void> {
  await change(to, {}, { createdAt: sql`now() - make_interval(days => ${days})` })
}

async function change({ db }: Writer, which: Deliveries, set: PgUpdateSetSource<typeof webhookDeliveries>) {
  await db.update(webhookDeliveries).set(set).where(matching(webhookDeliveries, which))
}
