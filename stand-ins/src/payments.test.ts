import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openPayments, openReceiver } from '../test/open-payments.ts'
import { signature } from './payments/events.ts'
import { CARD, CONFIRMED_CARD, DECLINED_CARD, FAILING_CARD, visitPayments } from './payments/visit.ts'
import { readForm } from './payments/wire.ts'
import { startPayments } from './payments.ts'

type Stripe = Awaited<ReturnType<typeof openPayments>>
const DAY = 86_400

async function bought(stripe: Stripe, plan: keyof Stripe['payments']['links'] = 'pro_monthly') {
  await stripe.buy(`${stripe.payments.links[plan]}?client_reference_id=acme-1&prefilled_email=ada@example.com`)
  const [subscription] = await stripe.all('/v1/subscriptions')
  return subscription
}
const change = (stripe: Stripe, subscription: { id: string; items: { data: { id: string }[] } }, fields: object) =>
  stripe.call('POST', `/v1/subscriptions/${subscription.id}`, {
    'items[0][id]': subscription.items.data[0]!.id,
    proration_behavior: 'always_invoice',
    ...fields,
  })

test('parses the form encoding of the official library', () => {
  expect(readForm('items[0][price]=a&items[0][quantity]=2&expand[]=b&expand[]=c&created[gte]=5&name=x%20y')).toEqual({
    items: { 0: { price: 'a', quantity: '2' } },
    expand: { 0: 'b', 1: 'c' },
    created: { gte: '5' },
    name: 'x y',
  })
})

test('returns Stripe’s errors for a wrong key, an unknown id, a missing field and an unknown path', async () => {
  const stripe = await openPayments()
  const refused = await fetch(`${stripe.url}/v1/prices`, { headers: { authorization: 'Bearer other' } })
  expect([refused.status, (await refused.json()).error.type]).toEqual([401, 'invalid_request_error'])
  expect(await stripe.call('GET', '/v1/subscriptions/sub_none')).toMatchObject({
    status: 404,
    body: { error: { code: 'resource_missing', message: "No such subscription: 'sub_none'" } },
  })
  expect(
    (await stripe.call('POST', '/v1/checkout/sessions', { mode: 'subscription', 'line_items[0][quantity]': '1' })).body
      .error.code,
  ).toBe('parameter_missing')
  expect((await stripe.call('GET', '/v1/nothing')).status).toBe(404)
})

test('sells a plan through its payment link with the reference and the email', async () => {
  const stripe = await openPayments()
  const page = await fetch(
    `${stripe.payments.links.pro_monthly}?client_reference_id=acme-1&prefilled_email=ada@example.com`,
  )
  expect(await page.text()).toMatch(/Subscribe to Pro[\s\S]*\$50\.00 per month[\s\S]*ada@example\.com/)
  const subscription = await bought(stripe)
  expect(subscription).toMatchObject({
    status: 'active',
    cancel_at_period_end: false,
    items: { data: [{ price: { lookup_key: 'pro_monthly' } }] },
  })
  expect(await stripe.all('/v1/checkout/sessions', { subscription: subscription.id })).toMatchObject([
    { client_reference_id: 'acme-1', status: 'complete', customer_details: { email: 'ada@example.com' } },
  ])
  expect(await stripe.all('/v1/invoices', { customer: subscription.customer })).toMatchObject([
    { status: 'paid', total: 5_000, billing_reason: 'subscription_create' },
  ])
  const types = (await stripe.all('/v1/events')).map(({ type }: { type: string }) => type).reverse()
  expect(types).toEqual([
    'customer.created',
    'invoice.created',
    'invoice.finalized',
    'customer.subscription.created',
    'invoice.paid',
    'invoice.payment_succeeded',
    'customer.subscription.updated',
    'checkout.session.completed',
  ])
})

test('lets a buyer try another card after a decline, and confirms cards that need it', async () => {
  const stripe = await openPayments()
  const link = stripe.payments.links.pro_yearly
  const email = 'ada@example.com'
  const declined = await stripe.buy(link, { number: DECLINED_CARD, email })
  expect(declined.text).toContain('Your card was declined.')
  expect((await stripe.buy(link, { number: '4242', email })).text).toContain('Your card number is invalid.')
  expect(await stripe.all('/v1/subscriptions')).toEqual([])
  const confirmation = await stripe.buy(link, { number: CONFIRMED_CARD, email })
  expect(confirmation.text).toContain('Confirm your payment')
  const carried = { email, number: CONFIRMED_CARD }
  expect((await stripe.submit(confirmation.url, { ...carried, answer: 'fail' })).text).toContain(
    'unable to authenticate',
  )
  expect((await stripe.submit(confirmation.url, { ...carried, answer: 'continue' })).text).toContain(
    'Thanks for subscribing',
  )
  expect(await stripe.all('/v1/subscriptions')).toMatchObject([{ status: 'active' }])
  // The declined session is still open, so it can be paid with another card.
  await stripe.submit(declined.url, { email, number: CARD })
  expect(await stripe.all('/v1/subscriptions')).toHaveLength(2)
})

test('charges what the preview said and keeps credit for later', async () => {
  const stripe = await openPayments()
  const subscription = await bought(stripe)
  await stripe.advance(15)
  const item = subscription.items.data[0]
  const at = Math.round((item.current_period_start + item.current_period_end) / 2)
  const { body: preview } = await stripe.call('POST', '/v1/invoices/create_preview', {
    subscription: subscription.id,
    'subscription_details[items][0][id]': item.id,
    'subscription_details[items][0][price]': 'price_agency_monthly',
    'subscription_details[proration_behavior]': 'always_invoice',
    'subscription_details[proration_date]': String(at),
  })
  expect(preview.lines.data.map(({ amount }: { amount: number }) => amount)).toEqual([-2_500, 6_000])
  const up = await change(stripe, subscription, {
    'items[0][price]': 'price_agency_monthly',
    proration_date: String(at),
  })
  const [invoice] = await stripe.all('/v1/invoices')
  expect([preview.total, invoice.total, invoice.status, up.body.items.data[0].price.id]).toEqual([
    3_500,
    3_500,
    'paid',
    'price_agency_monthly',
  ])
  // A longer interval starts immediately. Half a month of Agency is credited.
  const yearly = await change(stripe, up.body, { 'items[0][price]': 'price_agency_yearly', proration_date: String(at) })
  expect(yearly.body.items.data[0]).toMatchObject({ current_period_start: at })
  expect((await stripe.all('/v1/invoices'))[0]).toMatchObject({ total: 72_000 - 6_000 })
  // After the downgrade, the credit exceeds the price.
  const down = await change(stripe, yearly.body, { 'items[0][price]': 'price_pro_monthly', proration_date: String(at) })
  const { body: customer } = await stripe.call('GET', `/v1/customers/${down.body.customer}`)
  expect(customer.balance).toBe(5_000 - 72_000)
})

test('keeps a change pending until its payment succeeds, or reverts it with its invoice', async () => {
  const stripe = await openPayments()
  const subscription = await bought(stripe)
  await stripe.call('POST', `/v1/customers/${subscription.customer}`, { source: '4000002760003184' })
  const { body: customer } = await stripe.call('GET', `/v1/customers/${subscription.customer}`)
  const card = customer.invoice_settings.default_payment_method
  await stripe.call('POST', `/v1/subscriptions/${subscription.id}`, { default_payment_method: card })
  const to = {
    'items[0][price]': 'price_agency_monthly',
    payment_behavior: 'pending_if_incomplete',
    'expand[]': 'latest_invoice',
  }
  const waiting = (await change(stripe, subscription, to)).body
  expect(waiting).toMatchObject({
    pending_update: {},
    latest_invoice: { status: 'open' },
    items: { data: [{ price: { id: 'price_pro_monthly' } }] },
  })
  const intent = waiting.latest_invoice.payments.data[0].payment.payment_intent
  expect((await stripe.call('GET', `/v1/payment_intents/${intent}`)).body.status).toBe('requires_action')
  await stripe.call('POST', `/v1/invoices/${waiting.latest_invoice.id}/void`)
  expect((await stripe.call('GET', `/v1/subscriptions/${subscription.id}`)).body).toMatchObject({
    pending_update: null,
  })

  const again = (await change(stripe, subscription, to)).body
  const page = again.latest_invoice.hosted_invoice_url
  const confirmation = await stripe.submit(page, { use: 'kept' })
  expect(confirmation.text).toContain('Confirm your payment')
  expect((await stripe.submit(page, { answer: 'continue' })).text).toContain('This invoice is paid.')
  expect((await stripe.call('GET', `/v1/subscriptions/${subscription.id}`)).body).toMatchObject({
    pending_update: null,
    items: { data: [{ price: { id: 'price_agency_monthly' } }] },
  })
})

test('ends trials, renews periods, ends canceled subscriptions and retries failed payments as time passes', async () => {
  const stripe = await openPayments()
  const { body: link } = await stripe.call('POST', '/v1/payment_links', {
    'line_items[0][price]': 'price_pro_monthly',
    'line_items[0][quantity]': '1',
    'subscription_data[trial_period_days]': '14',
  })
  await stripe.buy(link.url, { email: 'trial@example.com' })
  const [trial] = await stripe.all('/v1/subscriptions')
  expect(trial).toMatchObject({ status: 'trialing', trial_end: trial.start_date + 14 * DAY })
  const status = async (id: string) => (await stripe.call('GET', `/v1/subscriptions/${id}`)).body
  await stripe.advance(11.5)
  expect((await stripe.all('/v1/events', { type: 'customer.subscription.trial_will_end' })).length).toBe(1)
  await stripe.advance(3)
  expect((await status(trial.id)).status).toBe('active')
  expect((await stripe.all('/v1/invoices'))[0]).toMatchObject({ status: 'paid', total: 5_000 })

  const cancelled = await bought(stripe)
  await stripe.call('POST', `/v1/subscriptions/${cancelled.id}`, { cancel_at_period_end: 'true' })
  await stripe.buy(stripe.payments.links.pro_monthly, { email: 'poor@example.com', number: FAILING_CARD })
  const [failing] = await stripe.all('/v1/subscriptions')
  await stripe.advance(31.5)
  expect(await status(cancelled.id)).toMatchObject({
    status: 'canceled',
    ended_at: cancelled.items.data[0].current_period_end,
  })
  expect((await status(failing.id)).status).toBe('past_due')
  await stripe.advance(16)
  expect((await status(failing.id)).status).toBe('canceled')
  expect((await status(trial.id)).status).toBe('active')
})

test('changes cards, cancels and renews in the portal, and charges an open invoice to the new card', async () => {
  const stripe = await openPayments()
  await stripe.buy(stripe.payments.links.pro_monthly, { email: 'poor@example.com', number: FAILING_CARD })
  const [{ id, customer }] = await stripe.all('/v1/subscriptions')
  const { body: portal } = await stripe.call('POST', '/v1/billing_portal/sessions', {
    customer,
    return_url: 'http://localhost/billing',
  })
  await stripe.submit(portal.url, { do: 'cancel', subscription: id })
  expect((await stripe.call('GET', `/v1/subscriptions/${id}`)).body.cancel_at_period_end).toBe(true)
  expect((await stripe.submit(portal.url, { do: 'renew', subscription: id })).text).toContain('Cancel plan')
  await stripe.advance(31.5)
  await stripe.submit(portal.url, { do: 'card', number: CARD })
  await stripe.advance(3)
  expect((await stripe.call('GET', `/v1/subscriptions/${id}`)).body).toMatchObject({
    status: 'active',
    cancel_at_period_end: false,
  })
})

test('signs, retries and replays webhooks, and injects webhook faults', async () => {
  const stripe = await openPayments()
  let isUp = false
  const hook = await openReceiver(() => (isUp ? 200 : 500))
  const { body: endpoint } = await stripe.call('POST', '/v1/webhook_endpoints', {
    url: hook.url,
    'enabled_events[]': 'customer.created',
  })
  expect((await stripe.call('GET', `/v1/webhook_endpoints/${endpoint.id}`)).body).not.toHaveProperty('secret')
  const create = async (email: string) => (await stripe.call('POST', '/v1/customers', { email })).body.id
  const emails = () => hook.received.map(({ body }) => JSON.parse(body).data.object.email)
  await create('first')
  await vi.waitFor(() => expect(hook.received).toHaveLength(1), 60_000)
  isUp = true
  await vi.waitFor(() => expect(hook.received).toHaveLength(2), { timeout: 60_000 })
  const { body, signature: signed } = hook.received[1]!
  expect(signed).toBe(signature(endpoint.secret, body, Number(/t=(\d+)/.exec(signed)![1])))

  await stripe.json('POST', '/_events/replay', { id: JSON.parse(body).id })
  await vi.waitFor(() => expect(emails()).toEqual(['first', 'first', 'first']), 60_000)
  await stripe.faults([
    { webhook: 'lose', times: 1 },
    { webhook: 'reorder', count: 2, times: 2 },
    { webhook: 'repeat', times: 1 },
  ])
  for (const email of ['lost', 'a', 'b', 'twice']) await create(email)
  await vi.waitFor(() => expect(emails().slice(3)).toEqual(['b', 'a', 'twice', 'twice']), 60_000)
  expect(await stripe.all('/v1/events')).toHaveLength(5)
  await stripe.call('DELETE', `/v1/webhook_endpoints/${endpoint.id}`)
})

test('repeats the first response for an Idempotency-Key, and injects faults before or after the effect', async () => {
  const stripe = await openPayments()
  const create = () => stripe.call('POST', '/v1/customers', { email: 'ada@example.com' }, { 'idempotency-key': 'one' })
  await stripe.faults([
    { path: '/v1/customers', method: 'POST', dropAfter: true, times: 1 },
    { path: '/v1/customers', method: 'POST', status: 503, times: 1 },
  ])
  await expect(create()).rejects.toThrow()
  expect(await create()).toMatchObject({ status: 503, body: { error: { type: 'api_error' } } })
  const first = await create()
  expect((await create()).body.id).toBe(first.body.id)
  expect(await stripe.all('/v1/customers')).toHaveLength(1)
  expect((await stripe.faults([{ path: 'nonsense' }])).status).toBe(400)
  expect((await stripe.json('POST', '/_clock', { advanceSeconds: -1 })).status).toBe(400)
})

test('keeps acknowledged data and the clock across a restart', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'payments-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  const first = await startPayments({ stateDir })
  const stripe = visitPayments(first)
  await stripe.buy(first.links.agency_yearly, { email: 'ada@example.com' })
  const { body: before } = await stripe.advance(40)
  await first.close()
  const second = await openPayments({ stateDir })
  expect(await second.all('/v1/subscriptions')).toMatchObject([{ status: 'active' }])
  expect((await second.json('POST', '/_clock', { advanceSeconds: 0 })).body.now).toBeGreaterThanOrEqual(before.now)
})
