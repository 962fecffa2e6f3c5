import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { attachCard, cardNumber } from './cards.ts'
import { linkUrl } from './catalogue.ts'
import { openSession } from './checkout.ts'
import { type Machine, tryToPay, voidInvoice } from './invoices.ts'
import type { Customer, PaymentLink, PortalSession, Price, Product, Stored, WebhookEndpoint } from './objects.ts'
import {
  createSubscription,
  dropPending,
  endNow,
  previewChange,
  type SubscriptionChange,
  settle,
  updateSubscription,
} from './subscriptions.ts'
import {
  type Form,
  flagIn,
  formIn,
  formsIn,
  metadataIn,
  numberIn,
  PaymentsProblem,
  pageOf,
  readForm,
  requiredIn,
  textIn,
  textsIn,
  toResponse,
} from './wire.ts'

type Handler = (input: { id: string; form: Form }) => unknown

/**
 * A subset of Stripe's API v1: form-encoded requests, JSON responses, `expand`, lists and
 * Idempotency-Keys.
 */
export function addApi(
  app: FastifyInstance,
  machine: Machine,
  { secretKey, webhookSecret }: { secretKey: string; webhookSecret: string | undefined },
): void {
  const { store, now, emit, url } = machine
  const answered = new Map<string, { path: string; body: unknown }>()

  function authenticate({ headers }: FastifyRequest): void {
    const [scheme, value = ''] = (headers.authorization ?? '').split(' ')
    const key = scheme === 'Basic' ? Buffer.from(value, 'base64').toString().split(':')[0] : value
    if (key !== secretKey)
      throw new PaymentsProblem(401, key ? 'Invalid API Key provided.' : 'You did not provide an API key.')
  }

  function route(method: 'GET' | 'POST' | 'DELETE', path: string, handler: Handler): void {
    app.route<{ Params: { id?: string }; Body: Form | null }>({
      method,
      url: path,
      handler: async (request) => {
        authenticate(request)
        const query = readForm(request.url.split('?')[1] ?? '')
        const form = { ...query, ...(request.body ?? {}) }
        const key = method === 'POST' ? request.headers['idempotency-key'] : undefined
        const first = typeof key === 'string' ? answered.get(key) : undefined
        if (first?.path === request.url) return first.body
        const value = handler({ id: request.params.id ?? '', form })
        const body = toResponse(value, textsIn(form, 'expand'), store.any)
        if (typeof key === 'string') answered.set(key, { path: request.url, body })
        return body
      },
    })
  }
  const list = <T extends Stored>(path: string, all: (form: Form) => T[]) =>
    route('GET', path, ({ form }) => pageOf(all(form), form, path))
  const common = () => ({ created: now(), livemode: false as const })

  // Products, prices and payment links
  route('POST', '/v1/products', ({ form }) =>
    store.put<Product>({
      ...common(),
      id: textIn(form, 'id') ?? store.newId('prod'),
      object: 'product',
      active: flagIn(form, 'active') ?? true,
      name: requiredIn(form, 'name'),
      description: textIn(form, 'description') ?? null,
      marketing_features: formsIn(form, 'marketing_features').map((one) => ({ name: requiredIn(one, 'name') })),
      metadata: metadataIn(form),
    }),
  )
  list('/v1/products', () => store.all('product'))
  route('GET', '/v1/products/:id', ({ id }) => store.get('product', id))
  route('POST', '/v1/prices', ({ form }) => {
    const recurring = formIn(form, 'recurring')
    const interval = textIn(recurring, 'interval') as NonNullable<Price['recurring']>['interval'] | undefined
    const named = formIn(form, 'product_data')
    const product = textIn(form, 'product')
      ? store.get('product', requiredIn(form, 'product'))
      : store.put<Product>({
          ...common(),
          id: store.newId('prod'),
          object: 'product',
          active: true,
          name: requiredIn(named, 'name'),
          description: null,
          marketing_features: [],
          metadata: metadataIn(named),
        })
    const key = textIn(form, 'lookup_key') ?? null
    const holder = store.all('price').find((one) => key !== null && one.lookup_key === key)
    if (holder && !flagIn(form, 'transfer_lookup_key'))
      throw PaymentsProblem.invalid('lookup_key', `A price (\`${holder.id}\`) already uses that lookup key.`)
    if (holder) store.put({ ...holder, lookup_key: null })
    return store.put<Price>({
      ...common(),
      id: store.newId('price'),
      object: 'price',
      active: true,
      currency: requiredIn(form, 'currency'),
      lookup_key: key,
      metadata: metadataIn(form),
      nickname: textIn(form, 'nickname') ?? null,
      product: product.id,
      recurring: interval ? { interval, interval_count: numberIn(recurring, 'interval_count') ?? 1 } : null,
      type: interval ? 'recurring' : 'one_time',
      unit_amount: numberIn(form, 'unit_amount') ?? 0,
    })
  })
  list('/v1/prices', (form) => {
    const keys = textsIn(form, 'lookup_keys')
    return store
      .all('price')
      .filter((one) => keys.length === 0 || keys.includes(one.lookup_key ?? ''))
      .filter((one) => (flagIn(form, 'active') ?? one.active) === one.active)
      .filter((one) => (textIn(form, 'type') ?? one.type) === one.type)
  })
  route('GET', '/v1/prices/:id', ({ id }) => store.get('price', id))
  route('POST', '/v1/prices/:id', ({ id, form }) => {
    const price = store.get('price', id)
    return store.put({
      ...price,
      active: flagIn(form, 'active') ?? price.active,
      metadata: { ...price.metadata, ...metadataIn(form) },
    })
  })
  route('POST', '/v1/payment_links', ({ form }) => {
    const id = store.newId('plink')
    const completion = formIn(form, 'after_completion')
    const redirect = textIn(formIn(completion, 'redirect'), 'url')
    return store.put<PaymentLink>({
      ...common(),
      id,
      object: 'payment_link',
      active: true,
      url: linkUrl(url(), id),
      line_items: formsIn(form, 'line_items').map((one) => ({
        price: store.get('price', requiredIn(one, 'price')).id,
        quantity: numberIn(one, 'quantity') ?? 1,
      })),
      subscription_data: {
        trial_period_days: numberIn(formIn(form, 'subscription_data'), 'trial_period_days') ?? null,
      },
      after_completion: redirect ? { type: 'redirect', redirect: { url: redirect } } : { type: 'hosted_confirmation' },
      metadata: metadataIn(form),
    })
  })
  const linkShown = (link: PaymentLink) => ({ ...link, url: linkUrl(url(), link.id) })
  list('/v1/payment_links', () => store.all('payment_link').map(linkShown))
  route('GET', '/v1/payment_links/:id', ({ id }) => linkShown(store.get('payment_link', id)))

  // Customers and checkout
  route('POST', '/v1/customers', ({ form }) => {
    const customer = store.put<Customer>({
      ...common(),
      id: store.newId('cus'),
      object: 'customer',
      email: textIn(form, 'email') ?? null,
      name: textIn(form, 'name') ?? null,
      balance: numberIn(form, 'balance') ?? 0,
      invoice_settings: { default_payment_method: null },
      metadata: metadataIn(form),
    })
    emit('customer.created', customer)
    return customer
  })
  list('/v1/customers', (form) => {
    const email = textIn(form, 'email')
    return store.all('customer').filter((one) => email === undefined || one.email === email)
  })
  route('GET', '/v1/customers/:id', ({ id }) => store.get('customer', id))
  route('POST', '/v1/customers/:id', ({ id, form }) => {
    const before = store.get('customer', id)
    // Stripe accepts test cards by name, such as pm_card_visa. The stand-in accepts numbers too.
    const source = textIn(form, 'source')
    const number = source && cardNumber(source)
    if (number) attachCard(store, now(), id, number)
    const customer = store.put<Customer>({
      ...store.get('customer', id),
      email: textIn(form, 'email') ?? before.email,
      name: textIn(form, 'name') ?? before.name,
      metadata: { ...before.metadata, ...metadataIn(form) },
    })
    emit('customer.updated', customer)
    return customer
  })

  route('POST', '/v1/checkout/sessions', ({ form }) => {
    const [line] = formsIn(form, 'line_items')
    if (textIn(form, 'mode') !== 'subscription' || !line)
      throw PaymentsProblem.invalid('mode', 'This stand-in sells subscriptions.')
    return openSession(machine, {
      price: requiredIn(line, 'price'),
      clientReferenceId: textIn(form, 'client_reference_id'),
      customer: textIn(form, 'customer'),
      customerEmail: textIn(form, 'customer_email'),
      successUrl: requiredIn(form, 'success_url'),
      cancelUrl: textIn(form, 'cancel_url') ?? null,
      trialDays: numberIn(formIn(form, 'subscription_data'), 'trial_period_days') ?? null,
      metadata: metadataIn(form),
    })
  })
  list('/v1/checkout/sessions', (form) =>
    store
      .all('checkout.session')
      .filter((one) =>
        (['subscription', 'customer', 'payment_link'] as const).every(
          (key) => (textIn(form, key) ?? one[key]) === one[key],
        ),
      ),
  )
  route('GET', '/v1/checkout/sessions/:id', ({ id }) => store.get('checkout.session', id))

  // Subscriptions and invoices
  route('POST', '/v1/subscriptions', ({ form }) => {
    const [item] = formsIn(form, 'items')
    return createSubscription(machine, {
      customer: store.get('customer', requiredIn(form, 'customer')).id,
      price: requiredIn(item ?? {}, 'price'),
      trialDays: numberIn(form, 'trial_period_days') ?? null,
      metadata: metadataIn(form),
      onSession: false,
    })
  })
  list('/v1/subscriptions', (form) => {
    const status = textIn(form, 'status')
    return store
      .all('subscription')
      .filter((one) => (textIn(form, 'customer') ?? one.customer) === one.customer)
      .filter((one) => (status === undefined ? one.status !== 'canceled' : status === 'all' || one.status === status))
  })
  route('GET', '/v1/subscriptions/:id', ({ id }) => store.get('subscription', id))
  route('POST', '/v1/subscriptions/:id', ({ id, form }) => updateSubscription(machine, id, changeIn(form)))
  route('DELETE', '/v1/subscriptions/:id', ({ id }) => endNow(machine, id))

  route('POST', '/v1/invoices/create_preview', ({ form }) => {
    const details = formIn(form, 'subscription_details')
    return previewChange(machine, requiredIn(form, 'subscription'), changeIn(details))
  })
  list('/v1/invoices', (form) =>
    store
      .all('invoice')
      .filter((one) => (textIn(form, 'customer') ?? one.customer) === one.customer)
      .filter((one) => (textIn(form, 'status') ?? one.status) === one.status)
      .filter((one) => {
        const { subscription } = one.parent.subscription_details
        return (textIn(form, 'subscription') ?? subscription) === subscription
      }),
  )
  route('GET', '/v1/invoices/:id', ({ id }) => store.get('invoice', id))
  route('POST', '/v1/invoices/:id/pay', ({ id }) => {
    const invoice = tryToPay(machine, id, false)
    settle(machine, invoice)
    if (invoice.status !== 'paid')
      throw new PaymentsProblem(402, 'Your card was declined.', { type: 'card_error', code: 'card_declined' })
    return invoice
  })
  route('POST', '/v1/invoices/:id/void', ({ id }) => {
    const voided = voidInvoice(machine, id)
    const { subscription: subscriptionId } = voided.parent.subscription_details
    const subscription = store.get('subscription', subscriptionId)
    if (subscription.pending_update && subscription.latest_invoice === id) dropPending(machine, subscriptionId)
    return voided
  })
  route('GET', '/v1/payment_intents/:id', ({ id }) => store.get('payment_intent', id))

  route('POST', '/v1/billing_portal/sessions', ({ form }) => {
    const id = store.newId('bps')
    return store.put<PortalSession>({
      ...common(),
      id,
      object: 'billing_portal.session',
      customer: store.get('customer', requiredIn(form, 'customer')).id,
      return_url: textIn(form, 'return_url') ?? null,
      url: `${url()}/p/session/${id}`,
    })
  })

  // What happens
  list('/v1/events', (form) => {
    const types = textsIn(form, 'types')
    const type = textIn(form, 'type')
    return store
      .all('event')
      .filter((one) => types.length === 0 || types.includes(one.type))
      .filter((one) => type === undefined || one.type === type)
  })
  route('GET', '/v1/events/:id', ({ id }) => store.get('event', id))
  const withoutSecret = ({ secret: _, ...endpoint }: WebhookEndpoint) => endpoint
  route('POST', '/v1/webhook_endpoints', ({ form }) => {
    const events = textsIn(form, 'enabled_events')
    if (events.length === 0) throw PaymentsProblem.invalid('enabled_events', 'Missing required param: enabled_events.')
    return store.put<WebhookEndpoint>({
      ...common(),
      id: store.newId('we'),
      object: 'webhook_endpoint',
      url: requiredIn(form, 'url'),
      enabled_events: events,
      status: 'enabled',
      metadata: metadataIn(form),
      secret: webhookSecret ?? `whsec_${randomBytes(24).toString('hex')}`,
    })
  })
  route('GET', '/v1/webhook_endpoints', ({ form }) => {
    const page = pageOf(store.all('webhook_endpoint'), form, '/v1/webhook_endpoints')
    return { ...page, data: page.data.map(withoutSecret) }
  })
  route('GET', '/v1/webhook_endpoints/:id', ({ id }) => withoutSecret(store.get('webhook_endpoint', id)))
  route('DELETE', '/v1/webhook_endpoints/:id', ({ id }) => {
    store.get('webhook_endpoint', id)
    store.remove(id)
    return { id, object: 'webhook_endpoint', deleted: true }
  })
}

/** A change of a subscription, as it is asked for or previewed. */
function changeIn(form: Form): SubscriptionChange {
  const [item] = formsIn(form, 'items')
  const price = item && textIn(item, 'price')
  const cancelAt = textIn(form, 'cancel_at')
  const isAtEnd = flagIn(form, 'cancel_at_period_end')
  const date = numberIn(form, 'proration_date')
  const card = textIn(form, 'default_payment_method')
  const behavior = textIn(form, 'payment_behavior') as SubscriptionChange['paymentBehavior'] | undefined
  const isPending = behavior === 'pending_if_incomplete'
  if (isPending && (isAtEnd !== undefined || cancelAt !== undefined))
    throw new PaymentsProblem(
      400,
      'When `payment_behavior` is `pending_if_incomplete`, `cancel_at_period_end` may not be passed.',
    )
  return {
    prorationBehavior:
      (textIn(form, 'proration_behavior') as SubscriptionChange['prorationBehavior']) ?? 'create_prorations',
    paymentBehavior: behavior ?? 'allow_incomplete',
    ...(price === undefined ? {} : { price }),
    ...(date === undefined ? {} : { prorationDate: date }),
    ...(isAtEnd === undefined ? {} : { cancelAtPeriodEnd: isAtEnd }),
    ...(cancelAt === undefined ? {} : { cancelAt: cancelAt === '' ? null : Number(cancelAt) }),
    ...(card === undefined ? {} : { defaultCard: card }),
    ...(Object.keys(metadataIn(form)).length > 0 ? { metadata: metadataIn(form) } : {}),
  }
}
