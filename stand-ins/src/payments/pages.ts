import type { FastifyInstance, FastifyReply } from 'fastify'
import { escaped, hiddenFields, sendPage } from '../page.ts'
import { attachCard, cardNumber } from './cards.ts'
import { EXPIRED, openSession, pay, REFERENCE } from './checkout.ts'
import { type Machine, subscriptionOf, tryToPay } from './invoices.ts'
import type { Invoice, PortalSession } from './objects.ts'
import { settle, updateSubscription } from './subscriptions.ts'

type Fields = Record<string, string | undefined>
type Visit = { Params: { id: string }; Querystring: Fields; Body: Fields | null }

const CARDS = `<p>4242 4242 4242 4242 works, 4000 0000 0000 0002 is declined, 4000 0025 0000 3155 needs confirmation. This is a local stand-in for Stripe: no money moves.</p>`
const CARD_FIELDS = `<label>Card number<input name="number" inputmode="numeric" required autocomplete="cc-number" placeholder="4242 4242 4242 4242"></label>
<label>Expiry<input name="expiry" autocomplete="cc-exp" placeholder="MM / YY"></label>
<label>CVC<input name="cvc" inputmode="numeric" autocomplete="cc-csc" placeholder="CVC"></label>`
const INVALID_NUMBER = 'Your card number is invalid.'
const NOT_CONFIRMED =
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.'

/** Adds Stripe's hosted pages. As at Stripe, every form redirects. */
export function addPages(app: FastifyInstance, machine: Machine): void {
  addCheckoutPages(app, machine)
  addInvoicePages(app, machine)
  addPortalPages(app, machine)
}

/** Adds payment links and checkout. */
function addCheckoutPages(app: FastifyInstance, machine: Machine): void {
  const { store } = machine

  app.get<Visit>('/buy/:id', (request, reply) => {
    const link = store.get('payment_link', request.params.id)
    const { client_reference_id: reference = '', prefilled_email } = request.query
    const session = openSession(machine, {
      price: link._price,
      paymentLink: link.id,
      // Like Stripe, ignores an invalid reference.
      clientReferenceId: REFERENCE.test(reference) ? reference : undefined,
      customerEmail: prefilled_email,
      successUrl: link._redirect,
      trialDays: link._trialDays,
    })
    return redirect(reply, `/c/pay/${session.id}`)
  })

  app.get<Visit>('/c/pay/:id', (request, reply) => {
    const session = store.get('checkout.session', request.params.id)
    if (session.status === 'expired')
      return sendPage(reply, EXPIRED, `<p>${EXPIRED}</p>${linkTo(session.cancel_url, 'Back')}`)
    if (session.status !== 'open') return redirect(reply, `/c/done/${session.id}`)
    const price = store.get('price', session._price)
    const customer = store.find('customer', session.customer)
    const email = customer?.email ?? session.customer_email ?? ''
    const trial = session._trialDays ? `, after ${session._trialDays} days free` : ''
    return sendPage(
      reply,
      `Subscribe to ${store.get('product', price.product).name}`,
      `<p>${money(price.unit_amount)} per ${price.recurring.interval}${trial}</p>
${CARDS}${problemIn(request.query)}
<form method="post"><label>Email<input name="email" type="email" required value="${escaped(email)}" autocomplete="email"${customer ? ' readonly' : ''}></label>
${CARD_FIELDS}<div><button value="continue">Subscribe</button></div></form>${linkTo(session.cancel_url, 'Back')}`,
    )
  })
  for (const path of ['/c/pay/:id', '/c/confirm/:id'])
    app.post<Visit>(path, (request, reply) => {
      const { id } = request.params
      const { email = '', number = '', answer } = request.body ?? {}
      if (answer === 'fail') return redirect(reply, `/c/pay/${id}`, { problem: NOT_CONFIRMED })
      const outcome = pay(machine, id, { email, number, confirmed: answer === 'continue' })
      if (outcome.kind === 'refused') return redirect(reply, `/c/pay/${id}`, { problem: outcome.message })
      return outcome.kind === 'paid'
        ? redirect(reply, `/c/done/${id}`)
        : redirect(reply, `/c/confirm/${id}`, { email, number })
    })
  app.get<Visit>('/c/confirm/:id', (request, reply) => {
    const { email, number } = request.query
    return confirmPage(reply, `/c/confirm/${request.params.id}`, { email, number })
  })
  app.get<Visit>('/c/done/:id', (request, reply) => {
    const session = store.get('checkout.session', request.params.id)
    if (session.status !== 'complete') return redirect(reply, `/c/pay/${session.id}`)
    // The policy forbids form redirects to other origins, so the page navigates itself.
    const next = session.success_url
      ? `<meta http-equiv="refresh" content="0; url=${escaped(session.success_url)}">${linkTo(session.success_url, 'Continue')}`
      : '<p>You can close this page.</p>'
    const body = `<p>A payment to X-Automated will appear on your statement.</p>${next}`
    return sendPage(reply, 'Thanks for subscribing', body)
  })
}

function addInvoicePages(app: FastifyInstance, machine: Machine): void {
  const { store } = machine
  const cardOf = (invoice: Invoice) =>
    store.find('payment_method', subscriptionOf(store, invoice).default_payment_method)
  const paymentForms = (invoice: Invoice) => {
    const card = cardOf(invoice)
    const savedCardForm = card
      ? `<form method="post"><div><button name="use" value="kept">Pay with •••• ${card._number.slice(-4)}</button></div></form>`
      : ''
    return `${savedCardForm}<form method="post">${CARD_FIELDS}<div><button name="use" value="continue">Pay ${money(invoice.amount_due)}</button></div></form>`
  }
  const page = (reply: FastifyReply, invoice: Invoice, body: string) => {
    const lines = invoice.lines.data.map(
      (line) => `<dt>${escaped(line.description)}</dt><dd>${money(line.amount)}</dd>`,
    )
    const content = `<p>${money(invoice.total)}</p><dl>${lines.join('')}</dl>${body}`
    return sendPage(reply, `Invoice ${invoice.number ?? ''}`, content)
  }

  app.get<Visit>('/i/:id', (request, reply) => {
    const invoice = store.get('invoice', request.params.id)
    return invoice.status === 'open'
      ? page(reply, invoice, `${CARDS}${problemIn(request.query)}${paymentForms(invoice)}`)
      : page(reply, invoice, `<p>This invoice is ${invoice.status}.</p>`)
  })
  app.get<Visit>('/i/:id/pdf', (request, reply) => page(reply, store.get('invoice', request.params.id), ''))
  app.get<Visit>('/i/:id/confirm', (request, reply) => confirmPage(reply, `/i/${request.params.id}`, {}))
  app.post<Visit>('/i/:id', (request, reply) => {
    const path = `/i/${request.params.id}`
    const { use, answer, number: typed } = request.body ?? {}
    const invoice = store.get('invoice', request.params.id)
    if (invoice.status !== 'open') return redirect(reply, path)
    if (answer === 'fail') return redirect(reply, path, { problem: NOT_CONFIRMED })
    const card = cardOf(invoice)
    if (answer === 'continue' && card) store.put({ ...card, _confirmed: true })
    if (use !== 'kept' && !answer) {
      const number = cardNumber(typed)
      if (!number) return redirect(reply, path, { problem: INVALID_NUMBER })
      const { id } = attachCard(store, invoice.customer, number)
      store.put({ ...subscriptionOf(store, invoice), default_payment_method: id })
    }
    const tried = tryToPay(machine, invoice.id, true)
    settle(machine, tried)
    if (tried.status === 'paid') return redirect(reply, path)
    const intent = store.get('payment_intent', tried.payments.data.at(-1)?.payment.payment_intent ?? '')
    return intent.status === 'requires_action'
      ? redirect(reply, `${path}/confirm`)
      : redirect(reply, path, { problem: intent.last_payment_error?.message })
  })
}

/** Adds the customer portal. */
function addPortalPages(app: FastifyInstance, machine: Machine): void {
  const { store } = machine
  const subscriptionsOf = ({ customer }: PortalSession) =>
    store.all('subscription').filter((subscription) => subscription.customer === customer)

  app.get<Visit>('/p/session/:id', (request, reply) => {
    const session = store.get('billing_portal.session', request.params.id)
    const plans = subscriptionsOf(session).map(({ id, items, status, cancel_at_period_end: ends }) => {
      const name = store.get('product', items.data[0].price.product).name
      const action = ends ? 'renew' : 'cancel'
      const button =
        status === 'canceled'
          ? ''
          : `<form method="post">${hiddenFields({ subscription: id })}<div><button name="do" value="${action}">${ends ? 'Renew' : 'Cancel'} plan</button></div></form>`
      return `<dt>${escaped(name)}</dt><dd>${status}${ends ? ', ends at the end of its period' : ''}${button}</dd>`
    })
    const invoices = store
      .all('invoice')
      .filter(({ customer }) => customer === session.customer)
      .map(({ id, number, total, status }) => {
        return `<dt><a href="/i/${id}">${escaped(number ?? id)}</a></dt><dd>${money(total)} ${status}</dd>`
      })
    return sendPage(
      reply,
      'Manage your subscription',
      `${linkTo(session.return_url, 'Return to X-Automated')}${problemIn(request.query)}<dl>${plans.join('')}</dl>${CARDS}
<form method="post">${CARD_FIELDS}<div><button name="do" value="card">Change card</button></div></form><dl>${invoices.join('')}</dl>`,
    )
  })
  app.post<Visit>('/p/session/:id', (request, reply) => {
    const session = store.get('billing_portal.session', request.params.id)
    const form = request.body ?? {}
    const path = `/p/session/${session.id}`
    const own = subscriptionsOf(session).filter(({ status }) => status !== 'canceled')
    if (form.do === 'card') {
      const number = cardNumber(form.number)
      if (!number) return redirect(reply, path, { problem: INVALID_NUMBER })
      // A card added here counts as confirmed.
      const { id } = attachCard(store, session.customer, number, true)
      for (const subscription of own) store.put({ ...subscription, default_payment_method: id })
    } else {
      const chosen = own.find(({ id }) => id === form.subscription)
      if (chosen) updateSubscription(machine, chosen.id, { cancel_at_period_end: form.do === 'cancel' })
    }
    return redirect(reply, path)
  })
}

function confirmPage(reply: FastifyReply, action: string, carried: Fields) {
  return sendPage(
    reply,
    'Confirm your payment',
    `<p>Your bank asks you to confirm this payment.</p>
<form method="post" action="${escaped(action)}">${hiddenFields(carried)}
<div><button name="answer" value="continue">Complete</button><button name="answer" value="fail">Fail</button></div></form>`,
  )
}

function redirect(reply: FastifyReply, path: string, query: Fields = {}) {
  const parameters = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return reply.redirect(parameters.length > 0 ? `${path}?${new URLSearchParams(parameters)}` : path, 303)
}

function problemIn({ problem }: Fields): string {
  return problem ? `<p role="alert">${escaped(problem)}</p>` : ''
}

function linkTo(url: string | null, text: string): string {
  return url ? `<p><a href="${escaped(url)}">${text}</a></p>` : ''
}

function money(cents: number): string {
  return `${cents < 0 ? '−' : ''}$${(Math.abs(cents) / 100).toFixed(2)}`
}
