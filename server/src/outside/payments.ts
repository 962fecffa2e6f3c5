import { isPlanId, levelOf } from '@x-automated/contract/platform/plans'
import Stripe from 'stripe'
import { z } from 'zod'

/** A price that belongs to a plan. */
export type PlanPrice = NonNullable<ReturnType<typeof planOf>>

/** A subscription at the payment provider. */
export type PaidSubscription = ReturnType<typeof subscriptionOf>

/**
 * A provider event and the subscription it concerns. The event's content is not trusted: the
 * subscription is fetched again.
 */
export type PaymentEvent = ReturnType<typeof eventOf>

type ChangeOutcome = { kind: 'changed' } | { kind: 'declined'; text: string } | { kind: 'confirm'; url: string }

/**
 * `unavailable`: no response, or a temporary error; `declined`: by the card's bank; `refused`: by the
 * provider, as the message says.
 */
export class PaymentsError extends Error {
  readonly kind: 'unavailable' | 'declined' | 'refused'
  constructor(kind: PaymentsError['kind'], message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'PaymentsError'
    this.kind = kind
  }
}

/** Events that may change a subscription or link it to a customer. */
export const EVENT_TYPES = [
  'checkout.session.completed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.subscription.trial_will_end',
  'customer.subscription.pending_update_applied',
  'customer.subscription.pending_update_expired',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'invoice.voided',
  'invoice.marked_uncollectible',
] as const satisfies Stripe.WebhookEndpointCreateParams.EnabledEvent[]

export type Payments = ReturnType<typeof createPayments>

const PAID_LEVELS = ['pro', 'agency'] as const
const INVOICE_STATUSES = ['draft', 'open', 'paid', 'uncollectible', 'void'] as const
const TIMEOUT_MS = 10_000
const PAGE = 100
const SIGNED_WITHIN_SECONDS = 300

/**
 * A client of the payment provider, using its official library (Stripe's API v1). @param apiUrl
 * origin without a trailing slash
 */
export function createPayments({ apiUrl, secretKey }: { apiUrl: string; secretKey: string }) {
  const { protocol, hostname, port } = new URL(apiUrl)
  const isSecure = protocol === 'https:'
  const stripe = new Stripe(secretKey, {
    host: hostname,
    port: port || (isSecure ? 443 : 80),
    protocol: isSecure ? 'https' : 'http',
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
  })

  /**
   * Reverts a cancellation, if any. The portal may have set a date instead of the end of the
   * period.
   */
  const undoCancellation = async ({ id, cancel_at, cancel_at_period_end }: Stripe.Subscription) => {
    if (cancel_at_period_end) await stripe.subscriptions.update(id, { cancel_at_period_end: false })
    else if (cancel_at !== null) await stripe.subscriptions.update(id, { cancel_at: '' })
  }

  return {
    /** Every price of our plans, including those no longer sold. */
    listPlans: () =>
      callProvider(async () => {
        const plans: PlanPrice[] = []
        for await (const price of stripe.prices.list({ type: 'recurring', limit: PAGE, expand: ['data.product'] })) {
          const plan = planOf(price)
          if (plan) plans.push(plan)
        }
        return plans
      }),

    /** Finds a subscription; null if it does not exist. */
    findSubscription: (id: string) =>
      callOrNull(async () =>
        subscriptionOf(
          await stripe.subscriptions.retrieve(id, {
            expand: ['items.data.price.product', 'latest_invoice', 'customer'],
          }),
        ),
      ),

    /**
     * The reference and the buyer's email of the checkout that created a subscription; null if there
     * was none.
     */
    findCheckout: (subscriptionId: string) =>
      callProvider(async () => {
        const { data } = await stripe.checkout.sessions.list({ subscription: subscriptionId, limit: 1 })
        const [session] = data
        if (!session) return null
        const email = session.customer_details?.email ?? session.customer_email
        return { reference: session.client_reference_id, email: email?.toLowerCase() ?? null }
      }),

    openCheckout: ({
      priceId,
      reference,
      email,
      customerId,
      successUrl,
      cancelUrl,
    }: {
      priceId: string
      reference: string
      email: string
      customerId: string | null
      successUrl: string
      cancelUrl: string
    }) =>
      callProvider(async () => {
        const session = await stripe.checkout.sessions.create({
          mode: 'subscription',
          line_items: [{ price: priceId, quantity: 1 }],
          client_reference_id: reference,
          ...(customerId ? { customer: customerId } : { customer_email: email }),
          success_url: successUrl,
          cancel_url: cancelUrl,
        })
        if (!session.url) throw new Error('the checkout session has no URL')
        return session.url
      }),

    /** Expires open checkout pages with a reference. @returns how many; pages paid in the meantime are kept */
    expireCheckouts: (reference: string) =>
      callProvider(async () => {
        let expired = 0
        for await (const { id, client_reference_id } of stripe.checkout.sessions.list({
          status: 'open',
          limit: PAGE,
        })) {
          if (client_reference_id !== reference) continue
          await stripe.checkout.sessions.expire(id).then(
            () => {
              expired += 1
            },
            (error: unknown) => {
              if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
            },
          )
        }
        return expired
      }),

    previewChange: (subscription: PaidSubscription, priceId: string, at: Date) =>
      callProvider(async () => {
        const invoice = await stripe.invoices.createPreview({
          subscription: subscription.id,
          subscription_details: {
            items: [{ id: subscription.itemId, price: priceId }],
            proration_behavior: 'always_invoice',
            proration_date: seconds(at),
          },
        })
        const lines = invoice.lines.data
        return {
          currency: invoice.currency,
          totalCents: invoice.total,
          lines: lines.map((line) => ({ text: line.description ?? '', amountCents: line.amount })),
          /** The end of the period that the invoice's lines pay for. */
          paidUntil: moment(Math.max(...lines.map((line) => line.period.end), invoice.period_end)),
        }
      }),

    /** Changes the plan. `confirm`: the change takes effect once the payment is confirmed at `url`. */
    change: (subscription: PaidSubscription, priceId: string, at: Date) =>
      callProvider(async (): Promise<ChangeOutcome> => {
        // A payment that does not succeed immediately leaves the change pending (Stripe's pending
        // updates).
        const updated = await stripe.subscriptions.update(subscription.id, {
          items: [{ id: subscription.itemId, price: priceId }],
          proration_behavior: 'always_invoice',
          proration_date: seconds(at),
          payment_behavior: 'pending_if_incomplete',
          expand: ['latest_invoice.payments'],
        })
        if (!updated.pending_update) {
          await undoCancellation(updated)
          return { kind: 'changed' }
        }
        const invoice = updated.latest_invoice as Stripe.Invoice
        const intentId = invoice.payments?.data.at(-1)?.payment.payment_intent
        const intent = typeof intentId === 'string' ? await stripe.paymentIntents.retrieve(intentId) : null
        if (intent?.status === 'requires_action' && invoice.hosted_invoice_url)
          return { kind: 'confirm', url: invoice.hosted_invoice_url }
        // Voiding the invoice discards the pending change.
        await stripe.invoices.voidInvoice(invoice.id)
        return { kind: 'declined', text: intent?.last_payment_error?.message ?? 'Your card was declined.' }
      }),

    setCancelled: (subscriptionId: string, isCancelled: boolean) =>
      callProvider(async () => {
        if (isCancelled) await stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: true })
        else await undoCancellation(await stripe.subscriptions.retrieve(subscriptionId))
      }),

    /** Ends a subscription immediately. Does nothing if it has ended or does not exist. */
    async end(subscriptionId: string): Promise<void> {
      await callOrNull(async () => {
        const { status } = await stripe.subscriptions.retrieve(subscriptionId)
        if (status !== 'canceled' && status !== 'incomplete_expired') await stripe.subscriptions.cancel(subscriptionId)
        return true
      })
    },

    openPortal: (customerId: string, returnUrl: string) =>
      callProvider(
        async () => (await stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl })).url,
      ),

    listInvoices: (customerId: string, { after, limit }: { after: string | null; limit: number }) =>
      callProvider(async () => {
        const { data, has_more } = await stripe.invoices.list({
          customer: customerId,
          limit,
          ...(after ? { starting_after: after } : {}),
        })
        return {
          hasMore: has_more,
          invoices: data.map((invoice) => ({
            id: invoice.id,
            number: invoice.number,
            status: INVOICE_STATUSES.find((status) => status === invoice.status) ?? 'draft',
            totalCents: invoice.total,
            currency: invoice.currency,
            createdAt: moment(invoice.created),
            url: invoice.hosted_invoice_url ?? null,
            pdfUrl: invoice.invoice_pdf ?? null,
          })),
        }
      }),

    /** Events since a moment, oldest first. */
    listEvents: (since: Date) =>
      callProvider(async () => {
        const events: PaymentEvent[] = []
        const query = { created: { gte: seconds(since) }, types: [...EVENT_TYPES], limit: PAGE }
        for await (const event of stripe.events.list(query)) events.push(eventOf(event))
        return events.reverse()
      }),

    /** Registers a webhook at this URL. @returns the webhook's id and signing secret */
    registerWebhook: (url: string) =>
      callProvider(async () => {
        const endpoint = await stripe.webhookEndpoints.create({ url, enabled_events: [...EVENT_TYPES] })
        return { id: endpoint.id, secret: endpoint.secret ?? '' }
      }),

    isWebhookRegistered: async (id: string) => {
      const endpoint = await callOrNull(() => stripe.webhookEndpoints.retrieve(id))
      return endpoint !== null && endpoint.status === 'enabled'
    },

    /**
     * Verifies and parses a webhook call. `unsigned`: no secret matches the signature, or it is older
     * than five minutes. `unreadable`: not an event.
     */
    readWebhook(body: Buffer, signature: string, secrets: readonly string[]): PaymentEvent | 'unsigned' | 'unreadable' {
      for (const secret of secrets) {
        try {
          const event: unknown = stripe.webhooks.constructEvent(body, signature, secret, SIGNED_WITHIN_SECONDS)
          return SignedEvent.safeParse(event).success ? eventOf(event as Stripe.Event) : 'unreadable'
        } catch (error) {
          if (error instanceof SyntaxError) return 'unreadable'
          // Try the next secret.
        }
      }
      return 'unsigned'
    },
  }
}

/** Runs a call to the provider. @throws PaymentsError if the provider or the connection fails */
async function callProvider<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw asPaymentsError(error)
  }
}

/** Like `callProvider`, but returns null if the resource does not exist. */
async function callOrNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return null
    throw asPaymentsError(error)
  }
}

function asPaymentsError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error
  const kind =
    error instanceof Stripe.errors.StripeCardError
      ? 'declined'
      : error instanceof Stripe.errors.StripeInvalidRequestError
        ? 'refused'
        : 'unavailable'
  return new PaymentsError(kind, error.message, error)
}

function subscriptionOf(subscription: Stripe.Subscription) {
  const item = subscription.items.data[0]
  if (!item) throw new Error(`subscription ${subscription.id} has no item`)
  const { customer, latest_invoice: invoice } = subscription
  const email = typeof customer === 'object' && !customer.deleted ? customer.email : null
  const isOpen = typeof invoice === 'object' && invoice?.status === 'open' && !subscription.pending_update
  return {
    id: subscription.id,
    customerId: idOf(customer),
    /** The customer's email, in lower case. */
    email: email?.toLowerCase() ?? null,
    status: subscription.status,
    itemId: item.id,
    priceId: item.price.id,
    /** Null if the price does not belong to one of our plans. */
    plan: planOf(item.price),
    startedAt: moment(subscription.start_date),
    currentPeriodEnd: moment(item.current_period_end),
    cancelAtPeriodEnd: subscription.cancel_at_period_end || subscription.cancel_at !== null,
    trialEnd: momentOrNull(subscription.trial_end),
    /** When the subscription ended permanently. */
    endedAt: momentOrNull(subscription.ended_at),
    /** The invoice that a failed payment left open: where to pay it, and when it was finalized. */
    openInvoice: isOpen
      ? {
          url: invoice.hosted_invoice_url ?? null,
          since: moment(invoice.status_transitions.finalized_at ?? invoice.created),
        }
      : null,
  }
}

/**
 * A plan is a recurring price with a lookup key: a built-in plan id, or any other id if the
 * metadata of the price or product sets its `level` (pro, agency).
 */
function planOf(price: Stripe.Price) {
  const { recurring, unit_amount: amountCents } = price
  const product = typeof price.product === 'object' && !price.product.deleted ? price.product : null
  const planId = price.lookup_key ?? price.metadata.plan_id
  if (!planId || !recurring || recurring.interval_count !== 1 || amountCents === null) return null
  const cycles: Partial<Record<string, 'monthly' | 'yearly'>> = { month: 'monthly', year: 'yearly' }
  const billingCycle = cycles[recurring.interval]
  const wanted = isPlanId(planId) ? levelOf(planId) : (price.metadata.level ?? product?.metadata.level)
  const level = PAID_LEVELS.find((paidLevel) => paidLevel === wanted)
  if (!billingCycle || !level) return null
  return {
    priceId: price.id,
    planId,
    level,
    name: price.nickname ?? product?.name ?? planId,
    amountCents,
    currency: price.currency,
    billingCycle,
    features: (product?.marketing_features ?? []).flatMap(({ name }) => name ?? []),
    /** Whether the plan is still sold. Existing subscribers keep it. */
    active: price.active && product?.active !== false,
  }
}

/** The fields of an event that we read. */
const SignedEvent = z.object({ id: z.string(), created: z.number(), data: z.object({ object: z.looseObject({}) }) })

function eventOf(event: Stripe.Event) {
  return { id: event.id, subscriptionId: subscriptionIn(event.data.object), createdAt: moment(event.created) }
}

/** The id of the subscription that an event's object is or belongs to. */
function subscriptionIn(object: unknown): string | null {
  const about = object as Stripe.Subscription | Stripe.Checkout.Session | Stripe.Invoice
  if (about.object === 'subscription') return about.id
  if (about.object === 'checkout.session') return idOrNull(about.subscription)
  if (about.object === 'invoice') return idOrNull(about.parent?.subscription_details?.subscription ?? null)
  return null
}

function idOf(thing: string | { id: string }): string {
  return typeof thing === 'string' ? thing : thing.id
}

function idOrNull(thing: string | { id: string } | null): string | null {
  return thing === null ? null : idOf(thing)
}

/** Unix seconds, as Stripe's API uses. */
function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000)
}

function moment(unixSeconds: number): Date {
  return new Date(unixSeconds * 1_000)
}

function momentOrNull(unixSeconds: number | null): Date | null {
  return unixSeconds === null ? null : moment(unixSeconds)
}
