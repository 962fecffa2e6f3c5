import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { attachCard, cardNumber } from './cards.ts'
import { linkUrl } from './catalogue.ts'
import { createCustomer, openSession, REFERENCE } from './checkout.ts'
import { type Machine, subscriptionOf, voidInvoice } from './invoices.ts'
import type { WebhookEndpoint } from './objects.ts'
import {
  createSubscription,
  dropPending,
  endNow,
  previewChange,
  SubscriptionChange,
  updateSubscription,
} from './subscriptions.ts'
import { type Form, fieldsIn, integer, list, PaymentsProblem, pageOf, readForm, toResponse } from './wire.ts'

/** Handles a call: its fields, and the id in its path. */
type Handler = (form: Form, id: string) => unknown
/** Handlers by method and path. */
type Routes = Record<string, Handler>

const text = z.string().optional()

/**
 * A subset of Stripe's API v1: form-encoded requests, JSON responses, `expand`, lists and
 * Idempotency-Keys.
 */
export function addApi(
  app: FastifyInstance,
  machine: Machine,
  keys: { secretKey: string; webhookSecret: string | undefined },
): void {
  const answered = new Map<string, unknown>()
  const answer = (handler: Handler, request: FastifyRequest) => {
    authenticate(request, keys.secretKey)
    const { method, url, headers, params, body } = request
    const form = { ...readForm(url.split('?')[1] ?? ''), ...(body as Form | null) }
    const key = headers['idempotency-key']
    const repeated = method === 'POST' && key ? `${url} ${key}` : undefined
    if (repeated && answered.has(repeated)) return answered.get(repeated)
    const { expand } = fieldsIn(form, z.object({ expand: list(z.string()) }))
    const response = toResponse(handler(form, (params as { id?: string }).id ?? ''), expand, machine.store.any)
    if (repeated) answered.set(repeated, response)
    return response
  }
  const routes = {
    ...productRoutes(machine),
    ...customerRoutes(machine),
    ...subscriptionRoutes(machine),
    ...webhookRoutes(machine, keys.webhookSecret),
  }
  for (const [name, handler] of Object.entries(routes)) {
    const [method = '', url = ''] = name.split(' ')
    app.route({ method, url, handler: async (request) => answer(handler, request) })
  }
}

function authenticate({ headers }: FastifyRequest, secretKey: string): void {
  const [scheme, value = ''] = (headers.authorization ?? '').split(' ')
  const key = scheme === 'Basic' ? Buffer.from(value, 'base64').toString().split(':')[0] : value
  if (key !== secretKey)
    throw new PaymentsProblem(401, key ? 'Invalid API Key provided.' : 'You did not provide an API key.')
}

/** A route that lists objects, newest first. */
function listRoute(path: string, all: (form: Form) => { id: string; created: number }[]): Routes {
  return { [`GET ${path}`]: (form) => pageOf(all(form), form, path) }
}

function productRoutes({ store, url }: Machine): Routes {
  const NewPrice = z.object({
    currency: z.string(),
    unit_amount: integer,
    lookup_key: text,
    recurring: z.object({ interval: z.enum(['month', 'year']) }),
    metadata: z.record(z.string(), z.string()).default({}),
    product_data: z.object({ name: z.string() }),
  })
  const NewLink = z.object({
    line_items: list(z.object({ price: z.string() })),
    subscription_data: z.object({ trial_period_days: integer }).optional(),
    after_completion: z.object({ redirect: z.object({ url: z.string() }) }).optional(),
  })
  return {
    ...listRoute('/v1/prices', () => store.all('price')),
    'POST /v1/prices': (form) => {
      const { currency, unit_amount, lookup_key, recurring, metadata, product_data } = fieldsIn(form, NewPrice)
      const product = store.create('product', { active: true, name: product_data.name, metadata: {} })
      return store.create('price', {
        active: true,
        currency,
        lookup_key: lookup_key ?? null,
        metadata,
        product: product.id,
        recurring: { ...recurring, interval_count: 1 },
        type: 'recurring',
        unit_amount,
      })
    },
    'POST /v1/payment_links': (form) => {
      const { line_items, subscription_data, after_completion } = fieldsIn(form, NewLink)
      const id = store.newId('payment_link')
      return store.create('payment_link', {
        id,
        url: linkUrl(url(), id),
        _price: store.get('price', line_items[0]?.price ?? '').id,
        _trialDays: subscription_data?.trial_period_days ?? null,
        _redirect: after_completion?.redirect.url ?? null,
      })
    },
  }
}

function customerRoutes(machine: Machine): Routes {
  const { store, url } = machine
  const NewSession = z.object({
    line_items: list(z.object({ price: z.string() })),
    client_reference_id: z.string().regex(REFERENCE).optional(),
    customer: text,
    customer_email: text,
    success_url: z.string(),
    cancel_url: text,
  })
  return {
    ...listRoute('/v1/customers', () => store.all('customer')),
    'POST /v1/customers': (form) => createCustomer(machine, fieldsIn(form, z.object({ email: text })).email ?? null),
    'GET /v1/customers/:id': (_form, id) => store.get('customer', id),
    'POST /v1/customers/:id': (form, id) => {
      // Stripe accepts test cards by name, such as pm_card_visa; the stand-in, by number.
      const number = cardNumber(fieldsIn(form, z.object({ source: z.string() })).source)
      if (!number) throw PaymentsProblem.invalid('source', 'No such token.')
      attachCard(store, id, number)
      return store.get('customer', id)
    },
    ...listRoute('/v1/checkout/sessions', (form) => {
      const { subscription } = fieldsIn(form, z.object({ subscription: text }))
      return store.all('checkout.session').filter((one) => (subscription ?? one.subscription) === one.subscription)
    }),
    'POST /v1/checkout/sessions': (form) => {
      const session = fieldsIn(form, NewSession)
      return openSession(machine, {
        price: session.line_items[0]?.price ?? '',
        clientReferenceId: session.client_reference_id,
        customer: session.customer,
        customerEmail: session.customer_email,
        successUrl: session.success_url,
        cancelUrl: session.cancel_url,
      })
    },
    'POST /v1/billing_portal/sessions': (form) => {
      const { customer, return_url } = fieldsIn(form, z.object({ customer: z.string(), return_url: text }))
      const id = store.newId('billing_portal.session')
      return store.create('billing_portal.session', {
        id,
        customer: store.get('customer', customer).id,
        return_url: return_url ?? null,
        url: `${url()}/p/session/${id}`,
      })
    },
  }
}

function subscriptionRoutes(machine: Machine): Routes {
  const { store } = machine
  const Preview = z.object({ subscription: z.string(), subscription_details: SubscriptionChange })
  const NewSubscription = z.object({ customer: z.string(), items: list(z.object({ price: z.string() })) })
  return {
    ...listRoute('/v1/subscriptions', () => store.all('subscription').filter(({ status }) => status !== 'canceled')),
    'POST /v1/subscriptions': (form) => {
      const { customer, items } = fieldsIn(form, NewSubscription)
      return createSubscription(machine, {
        customer: store.get('customer', customer).id,
        price: items[0]?.price ?? '',
      })
    },
    'GET /v1/subscriptions/:id': (_form, id) => store.get('subscription', id),
    'POST /v1/subscriptions/:id': (form, id) => updateSubscription(machine, id, fieldsIn(form, SubscriptionChange)),
    'DELETE /v1/subscriptions/:id': (_form, id) => endNow(machine, id),
    ...listRoute('/v1/invoices', (form) => {
      const { customer } = fieldsIn(form, z.object({ customer: text }))
      return store.all('invoice').filter((one) => (customer ?? one.customer) === one.customer)
    }),
    'POST /v1/invoices/create_preview': (form) => {
      const { subscription, subscription_details } = fieldsIn(form, Preview)
      return previewChange(machine, subscription, subscription_details)
    },
    'POST /v1/invoices/:id/void': (_form, id) => {
      const voided = voidInvoice(machine, id)
      const subscription = subscriptionOf(store, voided)
      if (subscription.pending_update && subscription.latest_invoice === id) dropPending(machine, subscription.id)
      return voided
    },
    'GET /v1/payment_intents/:id': (_form, id) => store.get('payment_intent', id),
  }
}

function webhookRoutes({ store }: Machine, webhookSecret: string | undefined): Routes {
  const Filter = z.object({ types: list(z.string()), type: text })
  const NewEndpoint = z.object({ url: z.string(), enabled_events: list(z.string()).pipe(z.array(z.string()).min(1)) })
  const withoutSecret = ({ secret: _, ...endpoint }: WebhookEndpoint) => endpoint
  return {
    ...listRoute('/v1/events', (form) => {
      const { types, type } = fieldsIn(form, Filter)
      const wanted = type === undefined ? types : [type]
      return store.all('event').filter((one) => wanted.length === 0 || wanted.includes(one.type))
    }),
    'POST /v1/webhook_endpoints': (form) =>
      store.create('webhook_endpoint', {
        ...fieldsIn(form, NewEndpoint),
        status: 'enabled',
        secret: webhookSecret ?? `whsec_${randomBytes(24).toString('hex')}`,
      }),
    ...listRoute('/v1/webhook_endpoints', () => store.all('webhook_endpoint').map(withoutSecret)),
    'GET /v1/webhook_endpoints/:id': (_form, id) => withoutSecret(store.get('webhook_endpoint', id)),
    'DELETE /v1/webhook_endpoints/:id': (_form, id) => {
      store.get('webhook_endpoint', id)
      store.remove(id)
      return { id, object: 'webhook_endpoint', deleted: true }
    },
  }
}
