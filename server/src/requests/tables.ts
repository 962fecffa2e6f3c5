import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uuid, varchar } from 'drizzle-orm/pg-core'
import { createdAt } from '../db/columns.ts'

/** First answers by Idempotency-Key, kept 24 hours; stored in the transaction of the effect itself. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** `user:<id>`, or on public calls `address:<hash of the client's address>`. */
    scope: text('scope').notNull(),
    key: text('key').notNull(),
    /** Of method, path and body, with a key from our secret: a body may hold a password. */
    requestHash: text('request_hash').notNull(),
    status: integer('status').notNull(),
    /** Sealed: an answer may hold a secret that is shown once. */
    answer: jsonb('answer'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.key] }), index('idempotency_keys_age').on(t.createdAt)],
)

/** Counters of the limits that hold over all processes; rate-limiter-flexible's own layout. */
export const rateLimits = pgTable('rate_limits', {
  key: varchar('key', { length: 255 }).primaryKey(),
  points: integer('points').notNull().default(0),
  expire: bigint('expire', { mode: 'number' }),
})

/** Signed-in calls by user and minute, added up from all processes. */
export const callCounts = pgTable(
  'call_counts',
  {
    userId: uuid('user_id').notNull(),
    minute: bigint('minute', { mode: 'number' }).notNull(),
    calls: integer('calls').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.minute] }), index('call_counts_minute').on(t.minute)],
)
