import type { FastifyInstance, FastifyReply } from 'fastify'
import { escaped, OWN_POLICY, sendPage } from '../sign-in-page.ts'
import { attachCard, cardNumber } from './cards.ts'
import { afterCompletion, openSession, pay, REFERENCE } from './checkout.ts'
import { type Machine, tryToPay } from './invoices.ts'
import type { Invoice, PortalSession } from './objects.ts'
import { settle, updateSubscription } from './subscriptions.ts'
import { type Form, PaymentsProblem, readForm, textIn } from './wire.ts'

type Visit = { Params: { id: string }; Body: Form | null }

const CARDS = `<p>4242 4242 4242 4242 works, 4000 0000 0000 0002 is declined, 4000 0025 0000 3155 needs confirmation. This is a local stand-in for Stripe: no money moves.</p>`
const NOT_CONFIRMED =
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.'

/**
 * Stripe's hosted pages: payment links, checkout, invoices and the customer portal. Every form
 * redirects, as Stripe's do.
 */
export function addPages(app: FastifyInstance, machine: Machine): void {
  const { store, now } = machine
  const page = (reply: FastifyReply, title: string, body: string) => sendPage(reply, OWN_POLICY, escaped(title), body)
  const to = (reply: FastifyReply, path: string, problem?: string) =>
    reply.redirect(problem ? `${path}?problem=${encodeURIComponent(problem)}` : path, 303)

  app.get<Visit>('/buy/:id', (request, reply) => {
    const link = store.get('payment_link', request.params.id)
    const [line] = link.line_items
    if (!line) throw new PaymentsProblem(404, 'This payment link has no items.')
    const query = readForm(request.url.split('?')[1] ?? '')
    const reference = textIn(query, 'client_reference_id')
    const session = openSession(machine, {
      price: line.price,
      // Like Stripe, ignores an invalid reference.
      clientReferenceId: reference && REFERENCE.test(reference) ? reference : undefined,
      customerEmail: textIn(query, 'prefilled_email'),
      link,
      trialDays: link.subscription_data.trial_period_days,
    })
    return to(reply, `/c/pay/${session.id}`)
  })

  app.get<Visit>('/c/pay/:id', (request, reply) => {
    const session = store.get('checkout.session', request.params.id)
    if (session.status !== 'open') return to(reply, `/c/done/${session.id}`)
    const price = store.get('price', session._price)
    const customer = session.customer ? store.find('customer', session.customer) : undefined
    const email = customer?.email ?? session.customer_email ?? ''
    const back = session.cancel_url ? `<p><a href="${escaped(session.cancel_url)}">Back</a></p>` : ''
    return page(
      reply,
      `Subscribe to ${store.get('product', price.product).name}`,
      `<p>${money(price.unit_amount)} per ${price.recurring?.interval}${session._trialDays ? `, after ${session._trialDays} days free` : ''}</p>
${CARDS}${problemIn(request.url)}
<form method="post"><label>Email<input name="email" type="email" required value="${escaped(email)}" autocomplete="email"${customer ? ' readonly' : ''}></label>
${cardFields()}<div><button value="continue">Subscribe</button></div></form>${back}`,
    )
  })
  app.post<Visit>('/c/pay/:id', (request, reply) => {
    const { id } = request.params
    const form = request.body ?? {}
    const number = textIn(form, 'number') ?? ''
    const outcome = pay(machine, id, { email: textIn(form, 'email') ?? '', number, confirmed: false })
    if (outcome.kind === 'refused') return to(reply, `/c/pay/${id}`, outcome.message)
    if (outcome.kind === 'paid') return to(reply, `/c/done/${id}`)
    const carried = new URLSearchParams({ email: textIn(form, 'email') ?? '', number })
    return to(reply, `/c/confirm/${id}?${carried}`)
  })
  app.get<Visit>('/c/confirm/:id', (request, reply) => {
    const query = readForm(request.url.split('?')[1] ?? '')
    return page(
      reply,
      'Confirm your payment',
      `<p>Your bank asks you to confirm this payment.</p>
<form method="post"><input type="hidden" name="email" value="${escaped(textIn(query, 'email') ?? '')}"><input type="hidden" name="number" value="${escaped(textIn(query, 'number') ?? '')}">
<div><button name="answer" value="fail">Fail</button><button name="answer" value="continue">Complete</button></div></form>`,
    )
  })
  app.post<Visit>('/c/confirm/:id', (request, reply) => {
    const { id } = request.params
    const form = request.body ?? {}
    if (textIn(form, 'answer') !== 'continue') return to(reply, `/c/pay/${id}`, NOT_CONFIRMED)
    const outcome = pay(machine, id, {
      email: textIn(form, 'email') ?? '',
      number: textIn(form, 'number') ?? '',
      confirmed: true,
    })
    return outcome.kind === 'refused' ? to(reply, `/c/pay/${id}`, outcome.message) : to(reply, `/c/done/${id}`)
  })
  app.get<Visit>('/c/done/:id', (request, reply) => {
    const session = store.get('checkout.session', request.params.id)
    if (session.status !== 'complete') return to(reply, `/c/pay/${session.id}`)
    const next = afterCompletion(machine, session)
    // The policy forbids form redirects to other origins, so the page redirects itself.
    const continuation = next
      ? `<meta http-equiv="refresh" content="0; url=${escaped(next)}"><p><a href="${escaped(next)}">Continue</a></p>`
      : '<p>You can close this page.</p>'
    return page(
      reply,
      'Thanks for subscribing',
      `<p>A payment to X-Automated will appear on your statement.</p>${continuation}`,
    )
  })

  // Invoices
  app.get<Visit>('/i/:id', (request, reply) => {
    const invoice = store.get('invoice', request.params.id)
    const body =
      invoice.status === 'open' ? openInvoice(invoice, request.url) : `<p>This invoice is ${invoice.status}.</p>`
    return page(reply, `Invoice ${invoice.number ?? ''}`, `<p>${money(invoice.total)}</p>${linesOf(invoice)}${body}`)
  })
  app.get<Visit>('/i/:id/pdf', (request, reply) => {
    const invoice = store.get('invoice', request.params.id)
    return page(reply, `Invoice ${invoice.number ?? ''}`, `<p>${money(invoice.total)}</p>${linesOf(invoice)}`)
  })
  function openInvoice(invoice: Invoice, address: string): string {
    const { subscription } = invoice.parent.subscription_details
    const { default_payment_method: cardId } = store.get('subscription', subscription)
    const card = cardId ? store.find('payment_method', cardId) : undefined
    const kept = card
      ? `<form method="post"><div><button name="use" value="kept">Pay with •••• ${card.card.last4}</button></div></form>`
      : ''
    return `${CARDS}${problemIn(address)}${kept}<form method="post">${cardFields()}<div><button name="use" value="continue">Pay ${money(invoice.amount_due)}</button></div></form>`
  }
  app.post<Visit>('/i/:id', (request, reply) => {
    const { id } = request.params
    const form = request.body ?? {}
    const invoice = store.get('invoice', id)
    if (invoice.status !== 'open') return to(reply, `/i/${id}`)
    const subscription = store.get('subscription', invoice.parent.subscription_details.subscription)
    if (textIn(form, 'use') !== 'kept' && !textIn(form, 'answer')) {
      const number = cardNumber(textIn(form, 'number') ?? '')
      if (!number) return to(reply, `/i/${id}`, 'Your card number is invalid.')
      const card = attachCard(store, now(), invoice.customer, number)
      store.put({ ...subscription, default_payment_method: card.id })
    }
    if (textIn(form, 'answer') === 'fail') return to(reply, `/i/${id}`, NOT_CONFIRMED)
    if (textIn(form, 'answer') === 'continue') confirmCard(invoice)
    const paid = tryToPay(machine, id, true)
    settle(machine, paid)
    if (paid.status === 'paid') return to(reply, `/i/${id}`)
    const intentId = paid.payments.data.at(-1)?.payment.payment_intent
    const intent = intentId ? store.get('payment_intent', intentId) : undefined
    if (intent?.status === 'requires_action') return to(reply, `/i/${id}/confirm`)
    return to(reply, `/i/${id}`, intent?.last_payment_error?.message ?? 'Your card was declined.')
  })
  app.get<Visit>('/i/:id/confirm', (request, reply) =>
    page(
      reply,
      'Confirm your payment',
      `<p>Your bank asks you to confirm this payment.</p><form method="post" action="/i/${escaped(request.params.id)}">
<div><button name="answer" value="fail">Fail</button><button name="answer" value="continue">Complete</button></div></form>`,
    ),
  )
  function confirmCard(invoice: Invoice): void {
    const subscription = store.get('subscription', invoice.parent.subscription_details.subscription)
    const card = subscription.default_payment_method
      ? store.find('payment_method', subscription.default_payment_method)
      : undefined
    if (card) store.put({ ...card, _confirmed: true })
  }

  // The customer portal
  app.get<Visit>('/p/session/:id', (request, reply) => {
    const session = store.get('billing_portal.session', request.params.id)
    return page(reply, 'Manage your subscription', portalBody(session, request.url))
  })
  function portalBody(session: PortalSession, address: string): string {
    const subscriptions = store.all('subscription').filter((one) => one.customer === session.customer)
    const plans = subscriptions.map((one) => {
      const price = one.items.data[0]?.price
      const name = price ? store.get('product', price.product).name : ''
      const action = one.cancel_at_period_end ? 'renew' : 'cancel'
      const button =
        one.status === 'canceled'
          ? ''
          : `<form method="post"><input type="hidden" name="subscription" value="${one.id}"><div><button name="do" value="${action}">${action === 'renew' ? 'Renew plan' : 'Cancel plan'}</button></div></form>`
      return `<dt>${escaped(name)}</dt><dd>${one.status}${one.cancel_at_period_end ? ', ends at the end of its period' : ''}${button}</dd>`
    })
    const invoices = store
      .all('invoice')
      .filter((one) => one.customer === session.customer)
      .map(
        (one) =>
          `<dt><a href="/i/${one.id}">${escaped(one.number ?? one.id)}</a></dt><dd>${money(one.total)} ${one.status}</dd>`,
      )
    const back = session.return_url ? `<p><a href="${escaped(session.return_url)}">Return to X-Automated</a></p>` : ''
    return `${back}${problemIn(address)}<dl>${plans.join('')}</dl>${CARDS}
<form method="post">${cardFields()}<div><button name="do" value="card">Change card</button></div></form><dl>${invoices.join('')}</dl>`
  }
  app.post<Visit>('/p/session/:id', (request, reply) => {
    const session = store.get('billing_portal.session', request.params.id)
    const form = request.body ?? {}
    const path = `/p/session/${session.id}`
    const action = textIn(form, 'do')
    const own = store.all('subscription').filter((one) => one.customer === session.customer)
    if (action === 'card') {
      const number = cardNumber(textIn(form, 'number') ?? '')
      if (!number) return to(reply, path, 'Your card number is invalid.')
      const card = attachCard(store, now(), session.customer, number)
      // A card that is changed here counts as confirmed.
      store.put({ ...card, _confirmed: true })
      for (const one of own) if (one.status !== 'canceled') store.put({ ...one, default_payment_method: card.id })
      return to(reply, path)
    }
    const chosen = own.find((one) => one.id === textIn(form, 'subscription'))
    if (chosen)
      updateSubscription(machine, chosen.id, {
        cancelAtPeriodEnd: action === 'cancel',
        prorationBehavior: 'none',
        paymentBehavior: 'allow_incomplete',
      })
    return to(reply, path)
  })
}

function cardFields(): string {
  return `<label>Card number<input name="number" inputmode="numeric" required autocomplete="cc-number" placeholder="4242 4242 4242 4242"></label>
<label>Expiry<input name="expiry" autocomplete="cc-exp" placeholder="MM / YY"></label>
<label>CVC<input name="cvc" inputmode="numeric" autocomplete="cc-csc" placeholder="CVC"></label>`
}

function problemIn(address: string): string {
  const problem = textIn(readForm(address.split('?')[1] ?? ''), 'problem')
  return problem ? `<p role="alert">${escaped(problem)}</p>` : ''
}

function linesOf({ lines }: Invoice): string {
  return `<dl>${lines.data.map((line) => `<dt>${escaped(line.description)}</dt><dd>${money(line.amount)}</dd>`).join('')}</dl>`
}

function money(cents: number): string {
  return `${cents < 0 ? '−' : ''}$${(Math.abs(cents) / 100).toFixed(2)}`
}
