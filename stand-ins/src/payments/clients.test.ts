import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { openPayments, openReceiver } from '../../test/open-payments.ts'

// Stripe's own client makes every call that the product makes.

async function openClient() {
  const visit = await openPayments()
  const { hostname, port } = new URL(visit.url)
  const options = { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false } as const
  return { visit, stripe: new Stripe(visit.payments.secretKey, options) }
}

/** Buys a subscription in a checkout session. */
async function openBought() {
  const { visit, stripe } = await openClient()
  const opened = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: 'price_pro_monthly', quantity: 1 }],
    client_reference_id: 'acme-1',
    customer_email: 'ada@example.com',
    success_url: 'http://localhost/done',
    cancel_url: 'http://localhost/back',
  })
  await visit.buy(opened.url ?? '')
  const session = await stripe.checkout.sessions.retrieve(opened.id, { expand: ['subscription', 'customer'] })
  return { visit, stripe, session, subscription: session.subscription as Stripe.Subscription }
}

/** Returns the error that Stripe's client throws for a call. */
const refusal = (call: Promise<unknown>) => call.then(String, (error: Stripe.errors.StripeError) => error)

test('finds prices and customers by the filters of their lists', async () => {
  const { stripe } = await openClient()
  const pro = await stripe.prices.list({ lookup_keys: ['pro_monthly', 'pro_yearly'], expand: ['data.product'] })
  expect(pro.data.map(({ lookup_key, product }) => [lookup_key, (product as Stripe.Product).name])).toEqual([
    ['pro_yearly', 'Pro'],
    ['pro_monthly', 'Pro'],
  ])
  const agency = { product: 'prod_agency', recurring: { interval: 'year' }, active: true, type: 'recurring' } as const
  expect((await stripe.prices.list(agency)).data.map(({ id }) => id)).toEqual(['price_agency_yearly'])
  const price = await stripe.prices.retrieve('price_agency_yearly')
  expect([price.unit_amount, price.unit_amount_decimal?.toString()]).toEqual([72_000, '72000'])
  await stripe.prices.update(price.id, { active: false })
  expect((await stripe.prices.list({ active: false })).data.map(({ id }) => id)).toEqual([price.id])

  const ada = await stripe.customers.create({ email: 'ada@example.com', name: 'Ada', metadata: { team: 'a' } })
  await stripe.customers.create({ email: 'bob@example.com' })
  expect((await stripe.customers.list({ email: 'ada@example.com' })).data).toEqual([ada])
  expect((await stripe.customers.list({ created: { gt: ada.created + 60 } })).data).toEqual([])
  const page = await stripe.customers.list({ ending_before: ada.id, limit: 1 })
  expect(page.data.map(({ email }) => email)).toEqual(['bob@example.com'])
})

test('sells, changes, cancels and ends a subscription', async () => {
  const { stripe, session, subscription } = await openBought()
  expect(session).toMatchObject({ payment_status: 'paid', amount_total: 5_000, client_reference_id: 'acme-1' })
  const bought = await stripe.checkout.sessions.list({ subscription: subscription.id, limit: 1 })
  expect(bought.data[0]?.customer_details?.email).toBe('ada@example.com')

  const [item] = subscription.items.data
  const change: Stripe.InvoiceCreatePreviewParams.SubscriptionDetails & Stripe.SubscriptionUpdateParams = {
    items: [{ id: item!.id, price: 'price_agency_monthly' }],
    proration_behavior: 'always_invoice',
    proration_date: item!.current_period_start,
  }
  const preview = await stripe.invoices.createPreview({ subscription: subscription.id, subscription_details: change })
  expect(preview.lines.data.map(({ amount, pricing }) => [amount, pricing?.price_details?.price])).toEqual([
    [-5_000, 'price_pro_monthly'],
    [12_000, 'price_agency_monthly'],
  ])
  const changed = await stripe.subscriptions.update(subscription.id, {
    ...change,
    payment_behavior: 'pending_if_incomplete',
    expand: ['latest_invoice.payments'],
  })
  const paid = changed.latest_invoice as Stripe.Invoice
  expect(paid).toMatchObject({ status: 'paid', amount_paid: preview.total, amount_remaining: 0 })
  const intent = paid.payments?.data[0]?.payment.payment_intent as string
  expect(await stripe.paymentIntents.retrieve(intent)).toMatchObject({ status: 'succeeded', amount: preview.total })
  expect(await stripe.invoices.retrieve(paid.id)).toMatchObject({ customer_email: 'ada@example.com', total: 7_000 })
  const { customer } = changed
  expect((await stripe.invoices.list({ customer: customer as string, status: 'paid', limit: 1 })).has_more).toBe(true)

  const canceled = await stripe.subscriptions.update(changed.id, { cancel_at_period_end: true })
  expect(canceled.cancellation_details?.reason).toBe('cancellation_requested')
  expect(await stripe.subscriptions.update(changed.id, { cancel_at_period_end: false })).toMatchObject({
    canceled_at: null,
  })
  const at = Math.floor(Date.now() / 1_000) + 86_400
  expect((await stripe.subscriptions.update(changed.id, { cancel_at: at })).cancel_at).toBe(at)
  expect((await stripe.subscriptions.update(changed.id, { cancel_at: '' })).cancel_at).toBeNull()
  const paths = ['items.data.price.product', 'latest_invoice', 'customer']
  const retrieved = await stripe.subscriptions.retrieve(changed.id, { expand: paths })
  expect((retrieved.items.data[0]!.price.product as Stripe.Product).name).toBe('Agency')
  const portal = await stripe.billingPortal.sessions.create({ customer: customer as string })
  expect((await fetch(portal.url)).status).toBe(200)
  await stripe.subscriptions.cancel(changed.id)
  expect((await stripe.subscriptions.list({ customer: customer as string })).data).toEqual([])
  expect((await stripe.subscriptions.list({ status: 'ended' })).data.map(({ id }) => id)).toEqual([changed.id])
})

test('voids the invoice of a change whose card is declined', async () => {
  const { stripe, subscription } = await openBought()
  const customer = subscription.customer as string
  const { invoice_settings: settings } = await stripe.customers.update(customer, { source: '4000000000000341' })
  await stripe.subscriptions.update(subscription.id, {
    default_payment_method: settings.default_payment_method as string,
  })
  const pending = await stripe.subscriptions.update(subscription.id, {
    items: [{ id: subscription.items.data[0]!.id, price: 'price_agency_monthly' }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
  })
  expect(pending.pending_update?.subscription_items?.[0]?.price.id).toBe('price_agency_monthly')
  const voided = await stripe.invoices.voidInvoice(pending.latest_invoice as string)
  expect(voided.status_transitions.voided_at).toBeGreaterThan(0)
  expect((await stripe.subscriptions.retrieve(subscription.id)).pending_update).toBeNull()
})

test('sends events that the client verifies, and lists them by their types', async () => {
  const { stripe } = await openClient()
  const hook = await openReceiver()
  const registered = await stripe.webhookEndpoints.create({ url: hook.url, enabled_events: ['customer.created'] })
  expect(await stripe.webhookEndpoints.retrieve(registered.id)).toMatchObject({ status: 'enabled' })
  const customer = await stripe.customers.create({ email: 'ada@example.com' })
  await expect.poll(() => hook.received.length, { timeout: 10_000 }).toBe(1)
  const [{ body, signature } = { body: '', signature: '' }] = hook.received
  const event = stripe.webhooks.constructEvent(body, signature, registered.secret ?? '')
  expect(event).toMatchObject({ type: 'customer.created', data: { object: customer } })
  const listed: Stripe.Event[] = []
  const wanted = { types: ['customer.created', 'invoice.paid'], created: { gte: customer.created }, limit: 1 }
  for await (const item of stripe.events.list(wanted)) listed.push(item)
  expect(listed.map(({ id }) => id)).toEqual([event.id])
})

test('refuses unknown parameters, missing ones and paths that cannot be expanded', async () => {
  const { stripe, visit } = await openClient()
  const unknown = { email: 'ada@example.com', colour: 'red' } as Stripe.CustomerCreateParams
  expect(await refusal(stripe.customers.create(unknown))).toMatchObject({
    type: 'StripeInvalidRequestError',
    statusCode: 400,
    code: 'parameter_unknown',
    param: 'colour',
    message: 'Received unknown parameter: colour',
  })
  expect((await stripe.customers.list()).data).toEqual([])
  const nested = { 'line_items[0][price]': 'price_pro_monthly', 'line_items[0][size]': 'L', success_url: 'http://a' }
  expect((await visit.call('POST', '/v1/checkout/sessions', nested)).body.error.param).toBe('line_items[0][size]')
  for (const path of ['/v1/prices', '/v1/prices/price_pro_monthly', '/v1/events'])
    expect((await visit.call('GET', path, { shade: 'red' })).body.error.code).toBe('parameter_unknown')
  expect(await refusal(stripe.prices.list({ expand: ['data.colour'] }))).toMatchObject({
    message: 'This property cannot be expanded (data.colour).',
  })
})

test('refuses an idempotency key with other parameters or another path', async () => {
  const { stripe } = await openClient()
  const once = { idempotencyKey: 'one' }
  const first = await stripe.customers.create({ email: 'ada@example.com' }, once)
  const again = await stripe.customers.create({ email: 'ada@example.com' }, once)
  expect([again.id, again.lastResponse.headers['idempotent-replayed']]).toEqual([first.id, 'true'])
  const conflict = { type: 'StripeIdempotencyError', statusCode: 400, rawType: 'idempotency_error' }
  expect(await refusal(stripe.customers.create({ email: 'bob@example.com' }, once))).toMatchObject(conflict)
  expect(await refusal(stripe.customers.update(first.id, { email: 'ada@example.com' }, once))).toMatchObject(conflict)
  expect((await stripe.customers.list()).data).toHaveLength(1)
})
