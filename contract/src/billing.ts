import { z } from 'zod'
import { Moment, NoInput, requiredText, Success, Time } from './fields.ts'
import { route } from './route.ts'

/** A plan that can be bought: one of the four that are built in, or another that the payment provider has a price for. */
export const Plan = z.object({
  id: z.string(),
  name: z.string(),
  /** Dollars. */
  price: z.number(),
  priceCents: z.number().int(),
  billingCycle: z.enum(['monthly', 'yearly']),
  features: z.array(z.string()),
})
export type Plan = z.output<typeof Plan>

export const SUBSCRIPTION_STATUSES = ['active', 'canceled', 'past_due', 'trialing'] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

export const Subscription = z.object({
  planId: z.string(),
  status: z.enum(SUBSCRIPTION_STATUSES),
  currentPeriodEnd: Time,
  cancelAtPeriodEnd: z.boolean(),
})
export type Subscription = z.output<typeof Subscription>

const level = z.enum(['free', 'pro', 'agency'])

/** The subscription with all that a screen says of it. */
export const SubscriptionDetails = Subscription.extend({
  name: z.string(),
  level,
  /** What the plan costs a cycle; null where nothing is paid for it (a plan that was given). */
  priceCents: z.number().int().nullable(),
  billingCycle: z.enum(['monthly', 'yearly']),
  /** When it is `trialing`: when the trial ends and the first payment is due. */
  trialEnd: Time.nullable(),
  /** When a payment has failed: since when, and until when the plan holds in spite of it. */
  pastDueSince: Time.nullable(),
  graceEndsAt: Time.nullable(),
  /** The provider's page on which the open invoice is paid; to the owner only. */
  payUrl: z.string().nullable(),
  /** Whether it can be changed, cancelled and managed here; false for a plan that was given. */
  manageable: z.boolean(),
})
export type SubscriptionDetails = z.output<typeof SubscriptionDetails>

/** A subscription that is paid for beside the one that counts. */
export const OtherSubscription = Subscription.extend({
  /** Send it with the cancellation. */
  id: z.string(),
  name: z.string(),
  priceCents: z.number().int(),
  billingCycle: z.enum(['monthly', 'yearly']),
})
export type OtherSubscription = z.output<typeof OtherSubscription>

/** From this share of a limit on, people are warned. */
export const USAGE_WARNING_PERCENT = 80

/** How much of something that plans limit is used. */
export const Usage = z.object({
  what: z.enum(['scrapedLeads', 'dms', 'xAccounts']),
  used: z.number().int(),
  /** Null: the plan does not limit it. */
  limit: z.number().int().nullable(),
  /** From USAGE_WARNING_PERCENT on. */
  warning: z.boolean(),
  /** The limit and the plan that lifts it: 'Your Free plan includes 50 DMs a month. Upgrade to Pro for 5,000 DMs a month.' */
  words: z.string(),
  /** The next level with a higher limit; null: none has. */
  lifts: z.object({ level, name: z.string(), limit: z.number().int().nullable() }).nullable(),
})
export type Usage = z.output<typeof Usage>

export const BillingOverview = z.object({
  /** Whether payments are configured at all: without them nothing can be bought, and the screens offer nothing to buy. */
  available: z.boolean(),
  /** What the workspace may do now, and why: what it pays for, else months earned by referrals, else nothing. */
  level,
  source: z.enum(['subscription', 'reward', 'none']),
  /** Null: there is none. */
  subscription: SubscriptionDetails.nullable(),
  /** What is paid for besides, which adds nothing: bought a second time, mostly without being signed in. To the owner only. */
  others: z.array(OtherSubscription),
  /** The last one, where there is none any more. */
  ended: z.object({ planId: z.string(), name: z.string(), endedAt: Time }).nullable(),
  /** Months of Pro that the owner earned by referrals. They wait while a subscription is paid for. */
  rewards: z.object({
    months: z.number().int(),
    /** Until when they last, as things stand; null: there are none. */
    until: Time.nullable(),
    grants: z.array(z.object({ achievement: z.string(), months: z.number().int(), grantedAt: Time })),
  }),
  usage: z.array(Usage),
  /** When what is counted by the month begins anew. */
  usageResetsAt: Time,
})
export type BillingOverview = z.output<typeof BillingOverview>

/** What a change of plan costs. `dueNowCents` is taken at once; below zero nothing is taken, and the rest is credited to the next invoices. */
export const UpgradePreview = z.object({
  planId: z.string(),
  name: z.string(),
  currency: z.string(),
  dueNowCents: z.number().int(),
  /** What was paid for the old plan and is not used. */
  creditCents: z.number().int(),
  lines: z.array(z.object({ text: z.string(), amountCents: z.number().int() })),
  /** What the plan costs a cycle from then on, and when the next payment is due. */
  priceCents: z.number().int(),
  billingCycle: z.enum(['monthly', 'yearly']),
  nextPaymentAt: Time,
  /** Send it with the upgrade, so that exactly this is charged. */
  prorationDate: Time,
})
export type UpgradePreview = z.output<typeof UpgradePreview>

export const Invoice = z.object({
  id: z.string(),
  number: z.string().nullable(),
  status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']),
  totalCents: z.number().int(),
  currency: z.string(),
  createdAt: Time,
  /** The provider's page of it, where an open one is paid; and its PDF. */
  url: z.string().nullable(),
  pdfUrl: z.string().nullable(),
})
export type Invoice = z.output<typeof Invoice>

/** Addresses of the provider's pages on which a built-in plan is bought; null: it cannot be bought. */
export const PaymentLinks = z.object({
  links: z.object({
    pro_monthly: z.string().nullable(),
    pro_yearly: z.string().nullable(),
    agency_monthly: z.string().nullable(),
    agency_yearly: z.string().nullable(),
  }),
})
export type PaymentLinks = z.output<typeof PaymentLinks>

const planId = requiredText(200)

export const billing = {
  plans: route({
    method: 'GET',
    path: '/billing/plans',
    tag: 'Billing',
    summary: 'Plans that can be bought, cheapest first',
    access: 'public',
    effect: 'none',
  })
    .input(z.object({ cycle: z.enum(['monthly', 'yearly']).optional() }))
    .output(Success.extend({ plans: z.array(Plan) })),

  links: route({
    method: 'GET',
    path: '/billing/links',
    tag: 'Billing',
    summary: "The payment provider's pages for the built-in plans, for who is not signed in",
    description: 'Such a payment belongs to the account with the same verified address, also one that is made later.',
    access: 'public',
    effect: 'none',
  }).output(PaymentLinks),

  ownLinks: route({
    method: 'GET',
    path: '/billing/links/own',
    tag: 'Billing',
    summary: "The payment provider's pages for the built-in plans, with your workspace and your address carried along",
    access: 'owner',
    effect: 'none',
  }).output(PaymentLinks),

  subscription: route({
    method: 'GET',
    path: '/billing/subscription',
    tag: 'Billing',
    summary: 'The subscription of the workspace',
    access: 'viewer',
    effect: 'none',
  }).output(Success.extend({ subscription: Subscription.nullable() })),

  overview: route({
    method: 'GET',
    path: '/billing/overview',
    tag: 'Billing',
    summary:
      'What the workspace may do and why, how much of it is used, and all about its subscription and its rewards',
    access: 'viewer',
    effect: 'none',
  }).output(BillingOverview),

  checkout: route({
    method: 'POST',
    path: '/billing/checkout',
    tag: 'Billing',
    summary: 'Begin to buy a plan on a page of the payment provider',
    description: 'A workspace that has a subscription changes its plan instead.',
    access: 'owner',
    effect: 'outside',
    errors: ['PLAN_NOT_FOUND', 'SUBSCRIPTION_STATE', 'PAYMENTS_UNAVAILABLE'],
  })
    .input(z.strictObject({ planId }))
    .output(Success.extend({ checkoutUrl: z.url() })),

  previewUpgrade: route({
    method: 'GET',
    path: '/billing/upgrade/preview',
    tag: 'Billing',
    summary: 'What a change of plan costs now and later',
    access: 'owner',
    effect: 'none',
    errors: ['PLAN_NOT_FOUND', 'SUBSCRIPTION_STATE', 'PAYMENTS_UNAVAILABLE'],
  })
    .input(z.object({ planId }))
    .output(UpgradePreview),

  upgrade: route({
    method: 'POST',
    path: '/billing/upgrade',
    tag: 'Billing',
    summary: 'Change to another plan, at once',
    description:
      'What is left of the old plan is set off. PAYMENT_DECLINED: nothing has changed. PAYMENT_CONFIRMATION_NEEDED: it changes once the payment is confirmed on the page at `details.url`.',
    access: 'owner',
    effect: 'outside',
    errors: [
      'PLAN_NOT_FOUND',
      'SUBSCRIPTION_STATE',
      'PAYMENT_DECLINED',
      'PAYMENT_CONFIRMATION_NEEDED',
      'PAYMENTS_UNAVAILABLE',
    ],
  })
    .input(z.strictObject({ planId, prorationDate: Moment.optional() }))
    .output(Success),

  cancel: route({
    method: 'POST',
    path: '/billing/cancel',
    tag: 'Billing',
    summary: 'Cancel the subscription: it ends with the period that is paid for',
    description: 'With `subscriptionId` it is one of the `others` of the overview that is not renewed.',
    access: 'owner',
    effect: 'outside',
    errors: ['SUBSCRIPTION_STATE', 'PAYMENTS_UNAVAILABLE'],
  })
    .input(z.preprocess((body) => body ?? {}, z.strictObject({ subscriptionId: requiredText(200).optional() })))
    .output(Success),

  resume: route({
    method: 'POST',
    path: '/billing/resume',
    tag: 'Billing',
    summary: 'Take the cancellation back, while the subscription still lasts',
    access: 'owner',
    effect: 'outside',
    errors: ['SUBSCRIPTION_STATE', 'PAYMENTS_UNAVAILABLE'],
  })
    .input(NoInput)
    .output(Success),

  portal: route({
    method: 'POST',
    path: '/billing/portal',
    tag: 'Billing',
    summary: 'A page of the payment provider to change the card and the billing address, and to see all invoices',
    access: 'owner',
    effect: 'outside',
    errors: ['SUBSCRIPTION_STATE', 'PAYMENTS_UNAVAILABLE'],
  })
    .input(NoInput)
    .output(z.object({ url: z.url() })),

  invoices: route({
    method: 'GET',
    path: '/billing/invoices',
    tag: 'Billing',
    summary: 'Invoices, newest first',
    description: 'Go on with `cursor` of the answer; null: there are no more.',
    access: 'owner',
    effect: 'none',
    errors: ['PAYMENTS_UNAVAILABLE'],
  })
    .input(z.object({ cursor: requiredText(500).optional() }))
    .output(z.object({ invoices: z.array(Invoice), cursor: z.string().nullable() })),

  refresh: route({
    method: 'POST',
    path: '/billing/refresh',
    tag: 'Billing',
    summary: 'Ask the payment provider for what has happened since it was asked last',
    description: 'What a page does that comes back from a payment, so that nobody waits for a webhook.',
    access: 'owner',
    effect: 'outside',
    errors: ['PAYMENTS_UNAVAILABLE'],
  })
    .input(NoInput)
    .output(Success),
}
