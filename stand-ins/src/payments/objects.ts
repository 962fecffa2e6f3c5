// The supported objects and fields of Stripe's API v1 (docs.stripe.com/api, version 2026-10-28).
// Times are unix seconds, amounts cents.

interface Base {
  id: string
  created: number
  livemode: false
}

export interface Product extends Base {
  object: 'product'
  active: boolean
  name: string
  description: string | null
  marketing_features: { name: string }[]
  metadata: Record<string, string>
}

export interface Price extends Base {
  object: 'price'
  active: boolean
  currency: string
  lookup_key: string | null
  metadata: Record<string, string>
  nickname: string | null
  product: string
  recurring: { interval: 'day' | 'week' | 'month' | 'year'; interval_count: number } | null
  type: 'recurring' | 'one_time'
  unit_amount: number
}

export interface PaymentLink extends Base {
  object: 'payment_link'
  active: boolean
  url: string
  /** Stripe returns these only on request. */
  line_items: { price: string; quantity: number }[]
  subscription_data: { trial_period_days: number | null }
  after_completion: { type: 'hosted_confirmation' | 'redirect'; redirect?: { url: string } }
  metadata: Record<string, string>
}

export interface Customer extends Base {
  object: 'customer'
  email: string | null
  name: string | null
  /** Negative: credit for future invoices. */
  balance: number
  invoice_settings: { default_payment_method: string | null }
  metadata: Record<string, string>
}

export interface PaymentMethod extends Base {
  object: 'payment_method'
  type: 'card'
  customer: string | null
  card: { brand: string; last4: string; exp_month: number; exp_year: number }
  /** Not Stripe's: the number decides the outcome of a charge. */
  _number: string
  /** Not Stripe's: confirmed by its owner, so it can be charged without them. */
  _confirmed: boolean
}

export interface PaymentIntent extends Base {
  object: 'payment_intent'
  amount: number
  currency: string
  customer: string
  status: 'succeeded' | 'requires_action' | 'requires_payment_method'
  last_payment_error: { type: 'card_error'; code: string; message: string } | null
}

export interface CheckoutSession extends Base {
  object: 'checkout.session'
  mode: 'subscription'
  status: 'open' | 'complete' | 'expired'
  payment_status: 'paid' | 'unpaid' | 'no_payment_required'
  client_reference_id: string | null
  customer: string | null
  customer_email: string | null
  customer_details: { email: string | null; name: string | null } | null
  subscription: string | null
  invoice: string | null
  payment_link: string | null
  success_url: string | null
  cancel_url: string | null
  url: string | null
  amount_total: number
  currency: string
  metadata: Record<string, string>
  _price: string
  _trialDays: number | null
}

export interface SubscriptionItem {
  id: string
  object: 'subscription_item'
  created: number
  current_period_start: number
  current_period_end: number
  metadata: Record<string, string>
  price: Price
  quantity: number
  subscription: string
}

export type SubscriptionStatus = 'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'canceled'

export interface Subscription extends Base {
  object: 'subscription'
  billing_cycle_anchor: number
  cancel_at: number | null
  cancel_at_period_end: boolean
  canceled_at: number | null
  collection_method: 'charge_automatically'
  currency: string
  customer: string
  default_payment_method: string | null
  ended_at: number | null
  items: { object: 'list'; data: SubscriptionItem[]; has_more: false; url: string }
  latest_invoice: string | null
  metadata: Record<string, string>
  pending_update: { expires_at: number; subscription_items: { id: string; price: Price }[] } | null
  start_date: number
  status: SubscriptionStatus
  trial_start: number | null
  trial_end: number | null
  /** Not Stripe's: whether `trial_will_end` was sent. */
  _trialTold?: boolean
  /** Not Stripe's: the values of a pending change. */
  _pending?: { at: number; anchor: number | null }
}

export interface InvoiceLine {
  id: string
  object: 'line_item'
  amount: number
  currency: string
  description: string
  period: { start: number; end: number }
  parent: {
    type: 'subscription_item_details'
    subscription_item_details: { proration: boolean; subscription: string; subscription_item: string }
  }
}

export interface Invoice extends Base {
  object: 'invoice'
  amount_due: number
  amount_paid: number
  amount_remaining: number
  attempt_count: number
  attempted: boolean
  billing_reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update' | 'upcoming'
  collection_method: 'charge_automatically'
  currency: string
  customer: string
  customer_email: string | null
  hosted_invoice_url: string | null
  invoice_pdf: string | null
  lines: { object: 'list'; data: InvoiceLine[]; has_more: false; url: string }
  metadata: Record<string, string>
  next_payment_attempt: number | null
  number: string | null
  parent: { type: 'subscription_details'; subscription_details: { subscription: string; metadata: object } }
  payments: {
    object: 'list'
    data: { object: 'invoice_payment'; id: string; status: string; payment: { type: string; payment_intent: string } }[]
    has_more: false
    url: string
  }
  period_start: number
  period_end: number
  starting_balance: number
  ending_balance: number | null
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'
  status_transitions: {
    finalized_at: number | null
    paid_at: number | null
    voided_at: number | null
    marked_uncollectible_at: number | null
  }
  subtotal: number
  total: number
}

export interface PortalSession extends Base {
  object: 'billing_portal.session'
  customer: string
  return_url: string | null
  url: string
}

export interface Event extends Base {
  object: 'event'
  api_version: string
  data: { object: unknown }
  pending_webhooks: number
  request: null
  type: string
}

export interface WebhookEndpoint extends Base {
  object: 'webhook_endpoint'
  url: string
  enabled_events: string[]
  status: 'enabled' | 'disabled'
  metadata: Record<string, string>
  /** Returned only on creation. */
  secret: string
}

export type Stored =
  | Product
  | Price
  | PaymentLink
  | Customer
  | PaymentMethod
  | PaymentIntent
  | CheckoutSession
  | Subscription
  | Invoice
  | PortalSession
  | Event
  | WebhookEndpoint

export type Kind = Stored['object']
export type OfKind<K extends Kind> = Extract<Stored, { object: K }>
