import { SUBSCRIPTION_STATUSES } from '@x-automated/contract/billing'
import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import { createdAt, time, updatedAt } from '../../db/columns.ts'
import { workspaces } from '../workspaces/tables.ts'

const level = () => text('level', { enum: ['pro', 'agency'] })
const billingCycle = () => text('billing_cycle', { enum: ['monthly', 'yearly'] })

/** Numbers the looks at the provider, in the order in which they begin. */
export const paymentReadNo = pgSequence('payment_read_no')

/** Subscriptions as the payment provider has them: read from there, never pieced together. Also those that no workspace has claimed yet. */
export const paidSubscriptions = pgTable(
  'paid_subscriptions',
  {
    /** The provider's. */
    id: text('id').primaryKey(),
    /** Null: nobody's yet, or its workspace was deleted. */
    workspaceId: uuid('workspace_id').references(() => workspaces.id, { onDelete: 'set null' }),
    /** `reference`: its link was made for the workspace; `address`: its buyer's address is that of an account. */
    claimedBy: text('claimed_by', { enum: ['reference', 'address'] }),
    /** The buyer's, in lower case: whoever proves it as theirs may claim what is nobody's. Null once its workspace was deleted. */
    email: text('email'),
    customerId: text('customer_id').notNull(),
    /** The provider's word for it. */
    status: text('status').notNull(),
    priceId: text('price_id').notNull(),
    planId: text('plan_id').notNull(),
    level: level().notNull(),
    name: text('name').notNull(),
    priceCents: integer('price_cents').notNull(),
    billingCycle: billingCycle().notNull(),
    startedAt: time('started_at').notNull(),
    currentPeriodEnd: time('current_period_end').notNull(),
    cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull(),
    trialEnd: time('trial_end'),
    /** Since when a payment is missing. */
    pastDueSince: time('past_due_since'),
    /** Where it is paid. */
    payUrl: text('pay_url'),
    endedAt: time('ended_at'),
    /** Grows with each look at the provider: of two that cross, the one that began later is kept. */
    readNo: bigint('read_no', { mode: 'number' }).notNull(),
    /** When its end of trial was told of, and when its buyer was told that it waits for an account. */
    trialToldAt: time('trial_told_at'),
    invitedAt: time('invited_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    index('paid_subscriptions_workspace').on(t.workspaceId),
    index('paid_subscriptions_unclaimed').on(t.email).where(sql`workspace_id is null and email is not null`),
    index('paid_subscriptions_due').on(t.currentPeriodEnd).where(sql`ended_at is null`),
  ],
)

/** What a workspace may do because it is paid for, or was given. The best of its paid subscriptions, where it has any. */
export const subscriptions = pgTable('subscriptions', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  planId: text('plan_id').notNull(),
  /** Null: that of a built-in plan. */
  level: level(),
  status: text('status', { enum: SUBSCRIPTION_STATUSES }).notNull(),
  currentPeriodEnd: time('current_period_end').notNull(),
  cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull().default(false),
  pastDueSince: time('past_due_since'),
  /** Null: a plan that was given. */
  paidId: text('paid_id').references(() => paidSubscriptions.id, { onDelete: 'set null' }),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** How much of what plans limit a workspace has used in a calendar month (UTC). Kept in the transaction that uses it. */
export const monthlyUsage = pgTable(
  'monthly_usage',
  {
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    /** Its first day. */
    month: date('month', { mode: 'string' }).notNull(),
    kind: text('kind', { enum: ['scraped_leads', 'dms'] }).notNull(),
    count: integer('count').notNull(),
    /** The limit whose warning was given. */
    warnedOf: integer('warned_of'),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.kind, t.month] })],
)

/** Prices of the provider that are plans: what can be bought beside what is built in, and what those who bought earlier have. */
export const planPrices = pgTable('plan_prices', {
  priceId: text('price_id').primaryKey(),
  planId: text('plan_id').notNull(),
  level: level().notNull(),
  name: text('name').notNull(),
  amountCents: integer('amount_cents').notNull(),
  currency: text('currency').notNull(),
  billingCycle: billingCycle().notNull(),
  features: jsonb('features').$type<string[]>().notNull(),
  active: boolean('active').notNull(),
  updatedAt: updatedAt(),
})

/** Happenings at the provider that are known here: told by a webhook, or found when it was asked. */
export const paymentEvents = pgTable('payment_events', { id: text('id').primaryKey(), createdAt: createdAt() }, (t) => [
  index('payment_events_old').on(t.createdAt),
])

/** How far the provider was asked. One row for each key: another key is another account there. */
export const paymentLooks = pgTable('payment_looks', {
  /** Of address and key, hashed. */
  accountHash: text('account_hash').primaryKey(),
  /** The provider's time of the newest happening that was seen. */
  eventsUntil: time('events_until').notNull(),
  lookedAt: time('looked_at').notNull().defaultNow(),
})

/** Webhooks that we registered ourselves, and what the provider signs them with. */
export const paymentWebhooks = pgTable('payment_webhooks', {
  url: text('url').primaryKey(),
  endpointId: text('endpoint_id').notNull(),
  sealedSecret: text('sealed_secret').notNull(),
  createdAt: createdAt(),
})
