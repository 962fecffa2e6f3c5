import {
  DELIVERY_EVENTS,
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  WEBHOOK_EVENTS,
} from '@x-automated/contract/platform/webhooks'
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, partOf, time, updatedAt } from '../../../db/columns.ts'

/** Endpoints where operators receive waitlist events. */
export const webhookEndpoints = pgTable('webhook_endpoints', {
  id: id(),
  url: text('url').notNull(),
  description: text('description').notNull().default(''),
  events: text('events', { enum: WEBHOOK_EVENTS }).array().notNull(),
  sealedSecret: text('sealed_secret').notNull(),
  /** The secret from before a rotation, which also signs until `previousSecretUntil`. */
  sealedPreviousSecret: text('sealed_previous_secret'),
  previousSecretUntil: time('previous_secret_until'),
  enabled: boolean('enabled').notNull().default(true),
  /** Why the product disabled the endpoint; null if an operator did. */
  disabledReason: text('disabled_reason', { enum: DISABLED_REASONS }),
  /** The time since which every attempt has failed. */
  failingSince: time('failing_since'),
  /** The operator's account. It may have been deleted. */
  createdBy: uuid('created_by').notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** An event for an endpoint. It is both a queue entry and a log entry, and stored for 30 days. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: id(),
    endpointId: partOf('endpoint_id', () => webhookEndpoints.id),
    /** Identifies the event to receivers: the same for all endpoints and retries. */
    eventId: uuid('event_id').notNull(),
    event: text('event', { enum: DELIVERY_EVENTS }).notNull(),
    payload: jsonb('payload').$type<Record<string, unknown>>().notNull(),
    /** The member whose address the payload contains. The row is deleted with the member. */
    addressOf: uuid('address_of'),
    status: text('status', { enum: DELIVERY_STATUSES }).notNull().default('pending'),
    /** Number of attempts. A claim counts as one. */
    attempts: integer('attempts').notNull().default(0),
    /** When the delivery is due. During an attempt, when it is due again if the process dies. */
    nextAttemptAt: time('next_attempt_at').defaultNow(),
    lastAttemptAt: time('last_attempt_at'),
    lastStatus: integer('last_status'),
    lastError: text('last_error'),
    responseExcerpt: text('response_excerpt'),
    createdAt: createdAt(),
  },
  (t) => [
    index('webhook_deliveries_due').on(t.endpointId, t.nextAttemptAt).where(sql`status = 'pending'`),
    index('webhook_deliveries_log').on(t.endpointId, t.id),
    index('webhook_deliveries_by_status').on(t.endpointId, t.status, t.id),
    index('webhook_deliveries_address_of').on(t.addressOf).where(sql`address_of is not null`),
    index('webhook_deliveries_age').on(t.createdAt),
    check('webhook_deliveries_next', sql`(status = 'pending') = (next_attempt_at is not null)`),
  ],
)
