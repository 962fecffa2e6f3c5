import type Stripe from 'stripe'

// The objects of Stripe's API v1 (version 2026-10-28) that we support, with every field that
// Stripe's own types require. Fields with `_` are internal and never sent.

/** Decimal numbers are strings on the wire. */
type Wire<Value> = Value extends Stripe.Decimal
  ? string
  : Value extends string
    ? Value
    : Value extends object
      ? { [Key in keyof Value]: Wire<Value[Key]> }
      : Value

/** Stripe's object, with some fields narrowed to what the stand-in sends. */
type Own<Theirs, Narrowed extends NarrowingOf<Theirs, Narrowed>> = {
  [Key in keyof Omit<Theirs, keyof Narrowed | 'livemode'>]: Wire<Theirs[Key]>
} & Narrowed & { livemode: false }

type NarrowingOf<Theirs, Narrowed> = {
  [Key in keyof Narrowed]: Key extends keyof Theirs ? Wire<Theirs[Key]> : Key extends `_${string}` ? unknown : never
}

/** A list inside an object. */
export type Inner<Item> = { object: 'list'; data: Item[]; has_more: false; url: string }

type Product = Own<Stripe.Product, { object: 'product' }>

export type Price = Own<
  Stripe.Price,
  {
    product: string
    recurring: Stripe.Price.Recurring & { interval: 'month' | 'year'; interval_count: 1 }
    type: 'recurring'
    unit_amount: number
    unit_amount_decimal: string
  }
>

type Plan = Own<Stripe.Plan, { product: string }>

type PaymentLink = Own<
  Stripe.PaymentLink,
  {
    _price: string
    _trialDays: number | null
    /** Where the link redirects after payment. Null for the stand-in's own page. */
    _redirect: string | null
  }
>

type Customer = Own<
  Stripe.Customer,
  { invoice_settings: Stripe.Customer.InvoiceSettings & { default_payment_method: string | null } }
>

export type PaymentMethod = Own<
  Stripe.PaymentMethod,
  {
    customer: string
    type: 'card'
    card: Wire<Stripe.PaymentMethod.Card>
    /** Decides the outcome of a charge. */
    _number: string
    /** Whether the cardholder has confirmed the card, so it can be charged without them. */
    _confirmed: boolean
  }
>

export type PaymentIntent = Own<
  Stripe.PaymentIntent,
  { customer: string; status: 'succeeded' | 'requires_action' | 'requires_payment_method' }
>

export type CheckoutSession = Own<
  Stripe.Checkout.Session,
  {
    status: 'open' | 'complete' | 'expired'
    customer: string | null
    invoice: string | null
    payment_link: string | null
    subscription: string | null
    _price: string
    _trialDays: number | null
  }
>

export type SubscriptionItem = Own<Stripe.SubscriptionItem, { plan: Plan; price: Price; quantity: 1 }>

export type Subscription = Own<
  Stripe.Subscription,
  {
    customer: string
    default_payment_method: string | null
    items: Inner<SubscriptionItem> & { data: [SubscriptionItem] }
    latest_invoice: string | null
    pending_update: Wire<Stripe.Subscription.PendingUpdate> | null
    status: 'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'canceled'
    /** Whether `trial_will_end` has been sent. */
    _trialTold?: boolean
    /** A change that waits for its payment, and the new period if the change starts one. */
    _pending?: { price: Price; period: Period | null }
  }
>

export interface Period {
  start: number
  end: number
}

/** The charge in one line of an invoice. */
export interface Charge {
  amount: number
  description: string
  period: Period
  price: Price
  /** Whether the charge is prorated, after a change. */
  proration: boolean
}

export type InvoiceLine = Own<
  Stripe.InvoiceLineItem,
  { description: string; pricing: Wire<Stripe.InvoiceLineItem.Pricing> }
>

export type Invoice = Own<
  Stripe.Invoice,
  {
    billing_reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update' | 'upcoming'
    customer: string
    ending_balance: number
    hosted_invoice_url: string | null
    invoice_pdf: string | null
    lines: Inner<InvoiceLine>
    parent: Stripe.Invoice.Parent & {
      subscription_details: Stripe.Invoice.Parent.SubscriptionDetails & { subscription: string }
    }
    payments: Inner<Own<Stripe.InvoicePayment, { payment: { type: 'payment_intent'; payment_intent: string } }>>
    status: 'draft' | 'open' | 'paid' | 'void'
  }
>

export type PortalSession = Own<Stripe.BillingPortal.Session, { configuration: string }>

export type EventType = Stripe.Event['type']

/** Stripe's own type is a union of all events. */
export type Event = Pick<Stripe.Event, 'id' | 'object' | 'created' | 'api_version' | 'pending_webhooks' | 'request'> & {
  livemode: false
  type: EventType
  data: { object: unknown }
}

export type WebhookEndpoint = Own<
  Stripe.WebhookEndpoint,
  {
    status: 'enabled'
    /** Returned only on creation. */
    secret: string
  }
>

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
