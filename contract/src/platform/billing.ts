import { z } from 'zod'
import { Moment, NoInput, requiredText, Success, Time } from '../fields.ts'
import { routes } from '../route.ts'
import { SUPPORT_KINDS } from './support.ts'

const route = routes('Billing')

/** A plan for sale: built-in, or any other that has a price at the payment provider. */
export const Plan = z.object({
  id: z.string(),
  name: z.string(),
  /** US dollars. */
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

/** A subscription with the details that screens show. */
export const SubscriptionDetails = Subscription.extend({
  name: z.string(),
  level,
  /** Price per billing cycle; null for plans that were granted for free. */
  priceCents: z.number().int().nullable(),
  billingCycle: z.enum(['monthly', 'yearly']),
  /** For `trialing`: when the trial ends and the first payment is due. */
  trialEnd: Time.nullable(),
  /** When the failed payment became due. */
  pastDueSince: Time.nullable(),
  /** The plan stays active until this time after a failed payment. */
  graceEndsAt: Time.nullable(),
  /** The provider's payment page for the open invoice. Only for the owner. */
  payUrl: z.string().nullable(),
  /** Whether the plan can be changed or canceled here. False if it was granted. */
  manageable: z.boolean(),
})
export type SubscriptionDetails = z.output<typeof SubscriptionDetails>

/** An additional subscription that is paid for but has no effect. */
export const OtherSubscription = Subscription.extend({
  /** Pass this id to cancel the subscription. */
  id: z.string(),
  name: z.string(),
  priceCents: z.number().int(),
  billingCycle: z.enum(['monthly', 'yearly']),
})
export type OtherSubscription = z.output<typeof OtherSubscription>

/** Share of a limit at which users are warned. */
export const USAGE_WARNING_PERCENT = 80

/** Usage of one plan limit. */
export const Usage = z.object({
  what: z.enum(['scrapedLeads', 'dms', 'xAccounts']),
  used: z.number().int(),
  /** Null: unlimited. */
  limit: z.number().int().nullable(),
  /** True if usage has reached USAGE_WARNING_PERCENT. */
  warning: z.boolean(),
  /** Such as 'Your Free plan includes 50 DMs a month. Upgrade to Pro for 5,000 DMs a month.' */
  words: z.string(),
  /** The next level with a higher limit, or null. */
  lifts: z.object({ level, name: z.string(), limit: z.number().int().nullable() }).nullable(),
})
export type Usage = z.output<typeof Usage>

export const BillingOverview = z.object({
  /** Whether payments are configured. If not, nothing can be bought. */
  available: z.boolean(),
  /** The level of the plan. */
  level,
  /** Whether the plan is paid, earned by referrals, or neither. */
  source: z.enum(['subscription', 'reward', 'none']),
  /** Null if there is none. */
  subscription: SubscriptionDetails.nullable(),
  /** Subscriptions without effect, usually bought by mistake while signed out. Only for the owner. */
  others: z.array(OtherSubscription),
  /** The last subscription, if there is no active one. */
  ended: z.object({ planId: z.string(), name: z.string(), endedAt: Time }).nullable(),
  /** Months of Pro earned by the owner's referrals. They are not used up while a plan is paid. */
  rewards: z.object({
    months: z.number().int(),
    /** When the earned months run out; null if none are left. */
    until: Time.nullable(),
    grants: z.array(z.object({ achievement: z.string(), months: z.number().int(), grantedAt: Time })),
    /** All achievements of the owner, including those without months. Some raise limits. */
    achievements: z.array(z.string()),
  }),
  /** The support that the plan includes, or that an owner earned with their Platinum reward. */
  support: z.object({
    kind: z.enum(SUPPORT_KINDS),
    email: z.string(),
    /** The target for the first answer, such as '1 business day'; null if there is none. */
    firstAnswer: z.string().nullable(),
  }),
  usage: z.array(Usage),
  /** When monthly usage resets. */
  usageResetsAt: Time,
})
export type BillingOverview = z.output<typeof BillingOverview>

/** Everything that the workspace's owner earned on the waitlist. */
export const Rewards = z.object({
  rewards: z.array(
    z.object({
      achievement: z.string(),
      earnedAt: Time,
      /** `held`: the reward starts 48 hours after `needed` referred members have confirmed their address. */
      status: z.enum(['held', 'given']),
      confirmed: z.number().int(),
      needed: z.number().int(),
      /** Null while too few members have confirmed. */
      startsAt: Time.nullable(),
      /** The page that a given reward unlocks. Only for the owner; null if there is none. */
      url: z.string().nullable(),
    }),
  ),
  /** Pioneers, referred people and their referrers get new features one release before everyone else. */
  hasEarlyAccess: z.boolean(),
  /** Early features that this workspace can use. */
  early: z.array(z.object({ key: z.string(), name: z.string() })),
})
export type Rewards = z.output<typeof Rewards>

/** The cost of a plan change. A negative `dueNowCents` is credited to the next invoices. */
export const UpgradePreview = z.object({
  planId: z.string(),
  name: z.string(),
  currency: z.string(),
  dueNowCents: z.number().int(),
  /** Credit for the unused time on the old plan. */
  creditCents: z.number().int(),
  lines: z.array(z.object({ text: z.string(), amountCents: z.number().int() })),
  /** The new price per billing cycle. */
  priceCents: z.number().int(),
  billingCycle: z.enum(['monthly', 'yearly']),
  /** When the next payment is due. */
  nextPaymentAt: Time,
  /** Pass this when upgrading to be charged exactly these amounts. */
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
  /** The provider's page for the invoice. Open invoices are paid there. */
  url: z.string().nullable(),
  /** The invoice as a PDF. */
  pdfUrl: z.string().nullable(),
})
export type Invoice = z.output<typeof Invoice>

/** The provider's checkout pages for built-in plans; null if a plan is not for sale. */
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
  plans: route('GET /billing/plans', 'public', 'none', { summary: 'List the plans for sale, cheapest first' })
    .input(z.object({ cycle: z.enum(['monthly', 'yearly']).optional() }))
    .output(Success.extend({ plans: z.array(Plan) })),

  links: route('GET /billing/links', 'public', 'none', {
    summary: "Get the payment provider's checkout pages for the built-in plans, without signing in",
    description: 'The payment is assigned to the account with the same verified address, even if it is created later.',
  }).output(PaymentLinks),

  ownLinks: route('GET /billing/links/own', 'owner', 'none', {
    summary:
      "Get the payment provider's checkout pages for the built-in plans, prefilled with your workspace and email address",
    description: 'If the workspace has a subscription, change its plan instead.',
    errors: ['SUBSCRIPTION_STATE', 'PAYMENTS_UNAVAILABLE'],
  }).output(PaymentLinks),

  subscription: route('GET /billing/subscription', 'viewer', 'none', {
    summary: 'Get the subscription of the workspace',
  }).output(Success.extend({ subscription: Subscription.nullable() })),

  overview: route('GET /billing/overview', 'viewer', 'none', {
    summary: 'Get the plan of the workspace with its limits, usage, subscription and rewards',
  }).output(BillingOverview),

  rewards: route('GET /billing/rewards', 'viewer', 'none', {
    summary: 'List what the owner of the workspace earned on the waitlist, and its early features',
  }).output(Rewards),

  checkout: route('POST /billing/checkout', 'owner', 'outside', {
    summary: 'Start a checkout at the payment provider',
    description: 'If the workspace has a subscription, change its plan instead.',
    errors: ['PLAN_NOT_FOUND', 'SUBSCRIPTION_STATE', 'PAYMENTS_UNAVAILABLE'],
  })
    .input(z.strictObject({ planId }))
    .output(Success.extend({ checkoutUrl: z.url() })),

  previewUpgrade: route('GET /billing/upgrade/preview', 'owner', 'none', {
    summary: 'Preview the cost of a plan change',
    errors: ['PLAN_NOT_FOUND', 'SUBSCRIPTION_STATE', 'PAYMENTS_UNAVAILABLE'],
  })
    .input(z.object({ planId }))
    .output(UpgradePreview),

  upgrade: route('POST /billing/upgrade', 'owner', 'outside', {
    summary: 'Change the plan immediately',
    description:
      'Unused time on the old plan is credited. PAYMENT_DECLINED: nothing has changed. PAYMENT_CONFIRMATION_NEEDED: the plan changes after the payment is confirmed at `details.url`.',
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

  cancel: route('POST /billing/cancel', 'owner', 'outside', {
    summary: 'Cancel the subscription at the end of the paid period',
    description: '`subscriptionId` cancels one of the `others` in the overview instead.',
    errors: ['SUBSCRIPTION_STATE', 'PAYMENTS_UNAVAILABLE'],
  })
    .input(z.preprocess((body) => body ?? {}, z.strictObject({ subscriptionId: requiredText(200).optional() })))
    .output(Success),

  resume: route('POST /billing/resume', 'owner', 'outside', {
    summary: 'Undo a cancellation before the paid period ends',
    errors: ['SUBSCRIPTION_STATE', 'PAYMENTS_UNAVAILABLE'],
  })
    .input(NoInput)
    .output(Success),

  portal: route('POST /billing/portal', 'owner', 'outside', {
    summary: "Get the payment provider's page for cards, billing address and invoices",
    errors: ['SUBSCRIPTION_STATE', 'PAYMENTS_UNAVAILABLE'],
  })
    .input(NoInput)
    .output(z.object({ url: z.url() })),

  invoices: route('GET /billing/invoices', 'owner', 'none', {
    summary: 'List invoices, newest first',
    description: 'Pass the `cursor` of the last response to continue; null: this was the last page.',
    errors: ['PAYMENTS_UNAVAILABLE'],
  })
    .input(z.object({ cursor: requiredText(500).optional() }))
    .output(z.object({ invoices: z.array(Invoice), cursor: z.string().nullable() })),

  refresh: route('POST /billing/refresh', 'owner', 'outside', {
    summary: 'Fetch new events from the payment provider',
    description: 'Call it after a payment, so that the page does not depend on the webhook.',
    errors: ['PAYMENTS_UNAVAILABLE'],
  })
    .input(NoInput)
    .output(Success),
}
