import { SUBSCRIPTION_STATUSES } from '@x-automated/contract/platform/billing'
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
  pgView,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import { createdAt, time, updatedAt } from '../../../db/columns.ts'
import { workspaceId, workspaces } from '../../identity/workspaces/tables.ts'

const level = () => text('level', { enum: ['pro', 'agency'] })
const billingCycle = () => text('billing_cycle', { enum: ['monthly', 'yearly'] })

/** Numbers the reads from the provider in the order in which they start. */
export const paymentReadNo = pgSequence('payment_read_no')

/** Subscriptions as read from the payment provider, including those without a workspace. */
export const paidSubscriptions = pgTable(
  'paid_subscriptions',
  {
    /** The provider's id. */
    id: text('id').primaryKey(),
    /** Null if no workspace owns the subscription, or the workspace was deleted. */
    workspaceId: uuid('workspace_id').references(() => workspaces.id, { onDelete: 'set null' }),
    /**
     * How the subscription was assigned. `reference`: by its payment link. `address`: by the
     * buyer's verified address.
     */
    claimedBy: text('claimed_by', { enum: ['reference', 'address'] }),
    /** The buyer's address, to assign unowned subscriptions. Null once the workspace has been deleted. */
    email: text('email'),
    customerId: text('customer_id').notNull(),
    /** The provider's status. */
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
    /** When the payment became overdue. */
    pastDueSince: time('past_due_since'),
    /** The page where the overdue payment can be made. */
    payUrl: text('pay_url'),
    endedAt: time('ended_at'),
    /** The number of the stored read. If reads overlap, the one that started later is stored. */
    readNo: bigint('read_no', { mode: 'number' }).notNull(),
    /** When the owner was notified of the trial's end. */
    trialToldAt: time('trial_told_at'),
    /** When the buyer was invited. */
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

/** A workspace's current subscription: the best one it pays for, or a granted plan. */
export const subscriptions = pgTable('subscriptions', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  planId: text('plan_id').notNull(),
  /** Null for built-in plans. */
  level: level(),
  status: text('status', { enum: SUBSCRIPTION_STATUSES }).notNull(),
  currentPeriodEnd: time('current_period_end').notNull(),
  cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull().default(false),
  pastDueSince: time('past_due_since'),
  /** Null for a granted plan. */
  paidId: text('paid_id').references(() => paidSubscriptions.id, { onDelete: 'set null' }),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** Monthly usage (UTC) of limited resources, updated in the transaction that uses them. */
export const monthlyUsage = pgTable(
  'monthly_usage',
  {
    workspaceId: workspaceId(),
    /** First day of the month. */
    month: date('month', { mode: 'string' }).notNull(),
    kind: text('kind', { enum: ['scraped_leads', 'dms'] }).notNull(),
    count: integer('count').notNull(),
    /** The limit about which owners were last warned. */
    warnedOf: integer('warned_of'),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.kind, t.month] })],
)

/** The provider's prices of our plans, for sale or still in use. */
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

/** Known events of the provider. */
export const paymentEvents = pgTable('payment_events', { id: text('id').primaryKey(), createdAt: createdAt() }, (t) => [
  index('payment_events_old').on(t.createdAt),
])

/** How far events were polled, per account at the provider. */
export const paymentLooks = pgTable('payment_looks', {
  /** Hash of URL and key. */
  accountHash: text('account_hash').primaryKey(),
  /** The provider's time of the newest known event. */
  eventsUntil: time('events_until').notNull(),
  lookedAt: time('looked_at').notNull().defaultNow(),
})

/** Webhooks that we registered ourselves, with the provider's signing secrets. */
export const paymentWebhooks = pgTable('payment_webhooks', {
  url: text('url').primaryKey(),
  endpointId: text('endpoint_id').notNull(),
  sealedSecret: text('sealed_secret').notNull(),
  createdAt: createdAt(),
})

/** The rewards that waitlist members earned, with or without months of Pro. Reads the waitlist's table. */
export const rewardGrants = pgView('reward_grants', {
  accountUserId: uuid('account_user_id'),
  achievement: text('achievement').notNull(),
  months: integer('months').notNull(),
  earnedAt: time('earned_at').notNull(),
  /** Null: the reward is held. */
  grantedAt: time('granted_at'),
  confirmed: integer('confirmed').notNull(),
  needed: integer('needed').notNull(),
  startsAt: time('starts_at'),
}).existing()
