import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uuid, varchar } from 'drizzle-orm/pg-core'
import { createdAt } from '../db/columns.ts'

/** Responses by Idempotency-Key, stored for 24 hours in the transaction of the effect. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** `user:<id>`, or `address:<hash of the client address>` for public calls. */
    scope: text('scope').notNull(),
    key: text('key').notNull(),
    /** Keyed hash of method, path and body, because a body may contain a password. */
    requestHash: text('request_hash').notNull(),
    status: integer('status').notNull(),
    /** Encrypted, because a response may contain a one-time secret. */
    answer: jsonb('answer'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.key] }), index('idempotency_keys_age').on(t.createdAt)],
)

/** Rate limit counters shared by all processes, in the layout of rate-limiter-flexible. */
export const rateLimits = pgTable('rate_limits', {
  key: varchar('key', { length: 255 }).primaryKey(),
  points: integer('points').notNull().default(0),
  expire: bigint('expire', { mode: 'number' }),
})

/** Signed-in calls per minute and user, or API key, over all processes. */
export const callCounts = pgTable(
  'call_counts',
  {
    userId: uuid('user_id').notNull(),
    minute: bigint('minute', { mode: 'number' }).notNull(),
    calls: integer('calls').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.minute] }), index('call_counts_minute').on(t.minute)],
)
