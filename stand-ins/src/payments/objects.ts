// The supported objects and fields of Stripe's API v1 (docs.stripe.com/api, version 2026-10-28).
// Times are unix seconds, amounts cents. Fields with `_` are the stand-in's own and never sent.

interface Base<Kind extends string> {
  id: string
  object: Kind
  created: number
  livemode: false
}

export interface Product extends Base<'product'> {
  active: boolean
  name: string
  metadata: Record<string, string>
}

export interface Price extends Base<'price'> {
  active: boolean
  currency: string
  lookup_key: string | null
  metadata: Record<string, string>
  product: string
  recurring: { interval: 'month' | 'year'; interval_count: 1 }
  type: 'recurring'
  unit_amount: number
}

interface PaymentLink extends Base<'payment_link'> {
  url: string
  _price: string
  _trialDays: number | null
  /** Where it redirects after payment; null for the stand-in's own page. */
  _redirect: string | null
}

export interface Customer extends Base<'customer'> {
  email: string | null
  /** Negative: credit for future invoices. */
  balance: number
  invoice_settings: { default_payment_method: string | null }
}

export interface PaymentMethod extends Base<'payment_method'> {
  /** Decides the outcome of a charge. */
  _number: string
  /** Confirmed by its owner, so it can be charged without them. */
  _confirmed: boolean
}

export interface PaymentIntent extends Base<'payment_intent'> {
  status: 'succeeded' | 'requires_action' | 'requires_payment_method'
  last_payment_error: { type: 'card_error'; code: string; message: string } | null
}

export interface CheckoutSession extends Base<'checkout.session'> {
  status: 'open' | 'complete'
  client_reference_id: string | null
  customer: string | null
  customer_email: string | null
  customer_details: { email: string | null } | null
  subscription: string | null
  success_url: string | null
  cancel_url: string | null
  url: string | null
  _price: string
  _trialDays: number | null
}

interface SubscriptionItem {
  id: string
  current_period_start: number
  current_period_end: number
  price: Price
}

export interface Subscription extends Base<'subscription'> {
  billing_cycle_anchor: number
  cancel_at: number | null
  cancel_at_period_end: boolean
  customer: string
  default_payment_method: string | null
  ended_at: number | null
  items: { object: 'list'; data: [SubscriptionItem] }
  latest_invoice: string | null
  pending_update: { expires_at: number } | null
  start_date: number
  status: 'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'canceled'
  trial_end: number | null
  /** Whether `trial_will_end` was sent. */
  _trialTold?: boolean
  /** A change that waits for its payment, with its new period if it starts one. */
  _pending?: { price: Price; period: Period | null }
}

export interface Period {
  start: number
  end: number
}

export interface InvoiceLine {
  amount: number
  description: string
  period: Period
}

export interface Invoice extends Base<'invoice'> {
  amount_due: number
  attempt_count: number
  billing_reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update' | 'upcoming'
  currency: string
  customer: string
  hosted_invoice_url: string | null
  invoice_pdf: string | null
  lines: { object: 'list'; data: InvoiceLine[] }
  next_payment_attempt: number | null
  number: string | null
  parent: { type: 'subscription_details'; subscription_details: { subscription: string } }
  payments: { object: 'list'; data: { payment: { type: 'payment_intent'; payment_intent: string } }[] }
  period_end: number
  starting_balance: number
  ending_balance: number
  status: 'draft' | 'open' | 'paid' | 'void'
  status_transitions: { finalized_at: number | null }
  total: number
}

export interface PortalSession extends Base<'billing_portal.session'> {
  customer: string
  return_url: string | null
  url: string
}

export interface Event extends Base<'event'> {
  type: string
  data: { object: unknown }
}

export interface WebhookEndpoint extends Base<'webhook_endpoint'> {
  url: string
  enabled_events: string[]
  status: 'enabled'
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
