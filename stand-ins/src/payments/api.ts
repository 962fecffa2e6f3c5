import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Stripe from 'stripe'
import { z } from 'zod'
import { attachCard, cardNumber } from './cards.ts'
import { createLink, createPrice, createProduct, linkUrl } from './catalogue.ts'
import { createCustomer, openSession, REFERENCE } from './checkout.ts'
import { type Machine, subscriptionOf, voidInvoice } from './invoices.ts'
import type { CheckoutSession, Kind, OfKind, WebhookEndpoint } from './objects.ts'
import {
  createSubscription,
  dropPending,
  endNow,
  PreviewedChange,
  previewChange,
  SubscriptionChange,
  updateSubscription,
} from './subscriptions.ts'
import {
  API_VERSION,
  equal,
  type Filters,
  type Form,
  fieldsIn,
  flag,
  integer,
  list,
  merged,
  metadata,
  oneOf,
  PaymentsProblem,
  pageOf,
  parameters,
  readForm,
  text,
  toResponse,
} from './wire.ts'

/** Handles a call. Gets its parameters without `expand`, and the id from its path. */
type Handler = (form: Form, id: string) => unknown
/** Handlers by method and path. */
type Routes = Record<string, Handler>

const string = z.string()
const quantity = z.literal('1').optional()
/** Returns a schema for the items to buy. */
const bought = <Theirs>() =>
  list(parameters<Theirs & { price: string; quantity: number }>()({ price: string, quantity }))

/**
 * Adds a subset of Stripe's API v1: form-encoded requests, JSON responses, `expand`, lists and
 * Idempotency-Keys.
 */
export function addApi(
  app: FastifyInstance,
  machine: Machine,
  keys: { secretKey: string; webhookSecret: string | undefined },
): void {
  const answered = new Map<string, { url: string; form: Form; response: unknown }>()
  const respond = (handler: Handler, request: FastifyRequest, reply: FastifyReply) => {
    const { method, url, headers, params, body } = request
    const key = method === 'POST' ? headers['idempotency-key']?.toString() : undefined
    reply.headers({ 'request-id': `req_${randomBytes(7).toString('hex')}`, 'stripe-version': API_VERSION })
    if (key) reply.header('idempotency-key', key)
    authenticate(request, keys.secretKey)
    const form = { ...readForm(url.split('?')[1] ?? ''), ...(body as Form | null) }
    const first = key ? answered.get(key) : undefined
    if (first) {
      refuseOther(key ?? '', first, { url, form })
      reply.header('idempotent-replayed', 'true')
      return first.response
    }
    const { expand: paths, ...fields } = form
    const { expand } = fieldsIn({ expand: paths }, z.object({ expand: list(string) }))
    const response = toResponse(handler(fields, (params as { id?: string }).id ?? ''), expand, machine.store.any)
    if (key) answered.set(key, { url, form, response })
    return response
  }
  const routes = {
    ...productRoutes(machine),
    ...customerRoutes(machine),
    ...checkoutRoutes(machine),
    ...subscriptionRoutes(machine),
    ...invoiceRoutes(machine),
    ...webhookRoutes(machine, keys.webhookSecret),
  }
  for (const [name, handler] of Object.entries(routes)) {
    const [method = '', url = ''] = name.split(' ')
    app.route({ method, url, handler: async (request, reply) => respond(handler, request, reply) })
  }
}

/** @throws PaymentsProblem if the idempotency key has been used for another request */
function refuseOther(key: string, first: { url: string; form: Form }, now: { url: string; form: Form }): void {
  const type = 'idempotency_error'
  const advice = `Try using a key other than '${key}' if you meant to execute a different request.`
  if (first.url !== now.url)
    throw new PaymentsProblem(
      400,
      `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${now.url}' vs '${first.url}'). ${advice}`,
      { type },
    )
  if (!isDeepStrictEqual(first.form, now.form))
    throw new PaymentsProblem(
      400,
      `Keys for idempotent requests can only be used with the same parameters they were first used with. ${advice}`,
      { type },
    )
}

function authenticate({ headers }: FastifyRequest, secretKey: string): void {
  const [scheme, value = ''] = (headers.authorization ?? '').split(' ')
  const key = scheme === 'Basic' ? Buffer.from(value, 'base64').toString().split(':')[0] : value
  if (key !== secretKey)
    throw new PaymentsProblem(401, key ? 'Invalid API Key provided.' : 'You did not provide an API key.')
}

/** Returns a handler that parses the parameters of a call. */
function call<Fields extends z.ZodType>(
  fields: Fields,
  handle: (fields: z.output<Fields>, id: string) => unknown,
): Handler {
  return (form, id) => handle(fieldsIn(form, fields), id)
}

/** Returns routes that retrieve an object of a kind and list all such objects, newest first. */
function readRoutes<K extends Kind>(
  { store }: Machine,
  kind: K,
  path: string,
  filters: Filters<OfKind<K>>,
  present: (object: OfKind<K>) => unknown = (object) => object,
): Routes {
  return {
    [`GET ${path}`]: (form) => {
      const page = pageOf(store.all(kind) as (OfKind<K> & { id: string; created: number })[], form, {
        url: path,
        filters,
      })
      return { ...page, data: page.data.map(present) }
    },
    [`GET ${path}/:id`]: call(parameters<object>()({}), (_, id) => present(store.get(kind, id))),
  }
}

function productRoutes(machine: Machine): Routes {
  const { store, url } = machine
  const interval = z.enum(['month', 'year'])
  const recurring = z.strictObject({ interval, interval_count: z.literal('1').optional() })
  const product = { name: string, description: text, active: flag.optional(), metadata }
  const NewProduct = parameters<Stripe.ProductCreateParams>()({
    ...product,
    marketing_features: list(z.strictObject({ name: string })),
  })
  const NewPrice = parameters<Stripe.PriceCreateParams>()({
    currency: string,
    unit_amount: integer,
    lookup_key: text,
    nickname: text,
    recurring,
    metadata,
    product: text,
    product_data: parameters<Stripe.PriceCreateParams.ProductData>()({ name: string, metadata }).optional(),
  })
  const PriceChange = parameters<Stripe.PriceUpdateParams>()({
    active: flag.optional(),
    nickname: text,
    lookup_key: text,
    metadata,
  })
  const NewLink = parameters<Stripe.PaymentLinkCreateParams>()({
    line_items: bought<Stripe.PaymentLinkCreateParams.LineItem>(),
    metadata,
    subscription_data: z.strictObject({ trial_period_days: integer }).optional(),
    after_completion: z
      .strictObject({ type: z.literal('redirect').optional(), redirect: z.strictObject({ url: string }) })
      .optional(),
  })
  return {
    ...readRoutes(machine, 'product', '/v1/products', { active: equal(flag, (product) => product.active) }),
    'POST /v1/products': call(NewProduct, ({ description = null, active = true, metadata = {}, ...fields }) =>
      createProduct(store, { ...fields, description, active, metadata }),
    ),
    ...readRoutes(machine, 'price', '/v1/prices', {
      active: equal(flag, (price) => price.active),
      currency: equal(string, (price) => price.currency),
      product: equal(string, (price) => price.product),
      type: equal(z.enum(['one_time', 'recurring']), (price) => price.type),
      lookup_keys: oneOf((price) => price.lookup_key),
      recurring: {
        type: z.strictObject({ interval }),
        matches: (price, value) =>
          value === undefined || (value as { interval: string }).interval === price.recurring.interval,
      },
    }),
    'POST /v1/prices': call(NewPrice, ({ product, product_data: data, nickname = null, ...fields }) => {
      if (!product && !data)
        throw PaymentsProblem.invalid('product', 'Missing required param: product.', 'parameter_missing')
      const { id } = data ? createProduct(store, { metadata: {}, ...data }) : store.get('product', product ?? '')
      return createPrice(store, { ...fields, nickname, product: id })
    }),
    'POST /v1/prices/:id': call(PriceChange, ({ metadata, ...changes }, id) => {
      const price = store.get('price', id)
      return store.put({ ...price, ...withoutUndefined(changes), metadata: merged(price.metadata, metadata) })
    }),
    ...readRoutes(machine, 'payment_link', '/v1/payment_links', { active: equal(flag, (link) => link.active) }),
    'POST /v1/payment_links': call(NewLink, ({ line_items, metadata, subscription_data, after_completion }) => {
      const id = store.newId('payment_link')
      return createLink(store, store.get('price', line_items[0]?.price ?? ''), {
        id,
        url: linkUrl(url(), id),
        metadata,
        trialDays: subscription_data?.trial_period_days,
        redirect: after_completion?.redirect.url ?? null,
      })
    }),
  }
}

/** Removes undefined fields. */
function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

function customerRoutes(machine: Machine): Routes {
  const { store } = machine
  const details = { email: text, name: text, phone: text, description: text, metadata }
  const NewCustomer = parameters<Stripe.CustomerCreateParams>()(details)
  const CustomerChange = parameters<Stripe.CustomerUpdateParams>()({ ...details, source: text })
  return {
    ...readRoutes(machine, 'customer', '/v1/customers', { email: equal(string, (customer) => customer.email) }),
    'POST /v1/customers': call(NewCustomer, (fields) => createCustomer(machine, withoutUndefined(fields))),
    'POST /v1/customers/:id': call(CustomerChange, ({ source, metadata, ...changes }, id) => {
      const customer = store.get('customer', id)
      const changed = store.put({
        ...customer,
        ...withoutUndefined(changes),
        metadata: merged(customer.metadata, metadata),
      })
      if (source === undefined) return changed
      // Stripe accepts test cards by name, such as pm_card_visa. The stand-in accepts them by number.
      const number = cardNumber(source)
      if (!number) throw PaymentsProblem.invalid('source', 'No such token.')
      attachCard(store, id, number)
      return store.get('customer', id)
    }),
  }
}

function checkoutRoutes(machine: Machine): Routes {
  const { store, url } = machine
  const NewSession = parameters<Stripe.Checkout.SessionCreateParams>()({
    mode: z.literal('subscription').optional(),
    line_items: bought<Stripe.Checkout.SessionCreateParams.LineItem>(),
    client_reference_id: z.string().regex(REFERENCE).optional(),
    customer: text,
    customer_email: text,
    metadata,
    subscription_data: z.strictObject({ trial_period_days: integer }).optional(),
    success_url: string,
    cancel_url: text,
  })
  const NewPortal = parameters<Stripe.BillingPortal.SessionCreateParams>()({ customer: string, return_url: text })
  return {
    ...readRoutes(machine, 'checkout.session', '/v1/checkout/sessions', {
      customer: equal(string, (session) => session.customer),
      payment_link: equal(string, (session) => session.payment_link),
      status: equal(z.enum(['open', 'complete', 'expired']), (session) => session.status),
      subscription: equal(string, (session) => session.subscription),
    }),
    'POST /v1/checkout/sessions': call(NewSession, (session) => {
      if (session.customer && session.customer_email)
        throw PaymentsProblem.invalid(
          'customer',
          'You may only specify one of these parameters: customer, customer_email.',
        )
      return openSession(machine, {
        price: session.line_items[0]?.price ?? '',
        clientReferenceId: session.client_reference_id,
        customer: session.customer,
        customerEmail: session.customer_email,
        metadata: session.metadata,
        trialDays: session.subscription_data?.trial_period_days,
        successUrl: session.success_url,
        cancelUrl: session.cancel_url,
      })
    }),
    'POST /v1/checkout/sessions/:id/expire': call(parameters<object>()({}), (_, id) => {
      const session = store.get('checkout.session', id)
      if (session.status !== 'open')
        throw PaymentsProblem.invalid('session', 'Only Checkout Sessions with a status in ["open"] can be expired.')
      return store.put<CheckoutSession>({ ...session, status: 'expired', url: null })
    }),
    'POST /v1/billing_portal/sessions': call(NewPortal, ({ customer, return_url }) => {
      const id = store.newId('billing_portal.session')
      return store.create('billing_portal.session', {
        id,
        customer: store.get('customer', customer).id,
        return_url: return_url ?? null,
        url: `${url()}/p/session/${id}`,
      })
    }),
  }
}

function subscriptionRoutes(machine: Machine): Routes {
  const { store } = machine
  const NewSubscription = parameters<Stripe.SubscriptionCreateParams>()({
    customer: string,
    items: bought<Stripe.SubscriptionCreateParams.Item>(),
    default_payment_method: text,
    trial_period_days: integer.optional(),
    metadata,
  })
  const statuses = ['incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'unpaid', 'canceled'] as const
  return {
    ...readRoutes(machine, 'subscription', '/v1/subscriptions', {
      customer: equal(string, (subscription) => subscription.customer),
      price: equal(string, (subscription) => subscription.items.data[0].price.id),
      status: {
        type: z.enum([...statuses, 'all', 'ended']),
        matches: ({ status }, wanted) => {
          if (wanted === undefined) return status !== 'canceled'
          if (wanted === 'ended') return status === 'canceled' || status === 'incomplete_expired'
          return wanted === 'all' || wanted === status
        },
      },
    }),
    'POST /v1/subscriptions': call(NewSubscription, (fields) =>
      createSubscription(machine, {
        customer: store.get('customer', fields.customer).id,
        price: fields.items[0]?.price ?? '',
        defaultCard: fields.default_payment_method,
        trialDays: fields.trial_period_days,
        metadata: fields.metadata,
      }),
    ),
    'POST /v1/subscriptions/:id': call(SubscriptionChange, (change, id) => updateSubscription(machine, id, change)),
    'DELETE /v1/subscriptions/:id': call(parameters<object>()({}), (_, id) => endNow(machine, id)),
  }
}

function invoiceRoutes(machine: Machine): Routes {
  const { store } = machine
  const Preview = parameters<Stripe.InvoiceCreatePreviewParams>()({
    subscription: string,
    subscription_details: PreviewedChange,
  })
  return {
    ...readRoutes(machine, 'invoice', '/v1/invoices', {
      customer: equal(string, (invoice) => invoice.customer),
      status: equal(z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']), (invoice) => invoice.status),
      subscription: equal(string, (invoice) => invoice.parent.subscription_details.subscription),
    }),
    'POST /v1/invoices/create_preview': call(Preview, ({ subscription, subscription_details }) =>
      previewChange(machine, subscription, subscription_details),
    ),
    'POST /v1/invoices/:id/void': call(parameters<object>()({}), (_, id) => {
      const voided = voidInvoice(machine, id)
      const subscription = subscriptionOf(store, voided)
      if (subscription.pending_update && subscription.latest_invoice === id) dropPending(machine, subscription.id)
      return voided
    }),
    ...readRoutes(machine, 'payment_intent', '/v1/payment_intents', {
      customer: equal(string, (intent) => intent.customer),
    }),
  }
}

function webhookRoutes(machine: Machine, webhookSecret: string | undefined): Routes {
  const { store } = machine
  const NewEndpoint = parameters<Stripe.WebhookEndpointCreateParams>()({
    url: string,
    enabled_events: list(string).pipe(z.array(string).min(1)),
    description: text,
    metadata,
  })
  const withoutSecret = ({ secret: _, ...endpoint }: WebhookEndpoint) => endpoint
  return {
    ...readRoutes(machine, 'event', '/v1/events', {
      types: oneOf((event) => event.type),
      type: equal(string, (event) => event.type),
    }),
    'POST /v1/webhook_endpoints': call(NewEndpoint, ({ description = null, metadata = {}, ...fields }) =>
      store.create('webhook_endpoint', {
        ...fields,
        api_version: null,
        description,
        metadata,
        secret: webhookSecret ?? `whsec_${randomBytes(24).toString('hex')}`,
      }),
    ),
    ...readRoutes(machine, 'webhook_endpoint', '/v1/webhook_endpoints', {}, withoutSecret),
    'DELETE /v1/webhook_endpoints/:id': call(parameters<object>()({}), (_, id) => {
      store.get('webhook_endpoint', id)
      store.remove(id)
      return { id, object: 'webhook_endpoint', deleted: true }
    }),
  }
}
