import { attachCard, cardNumber, chargeOutcome } from './cards.ts'
import type { Machine } from './invoices.ts'
import type { CheckoutSession, Customer, PaymentLink } from './objects.ts'
import { createSubscription } from './subscriptions.ts'
import { PaymentsProblem } from './wire.ts'

export interface NewSession {
  price: string
  clientReferenceId?: string | undefined
  customer?: string | undefined
  customerEmail?: string | undefined
  successUrl?: string | null
  cancelUrl?: string | null
  link?: PaymentLink
  trialDays?: number | null
  metadata?: Record<string, string>
}

/** Stripe's rule for a client_reference_id. */
export const REFERENCE = /^[\w-]{1,200}$/

export function openSession({ store, now, url }: Machine, input: NewSession): CheckoutSession {
  const price = store.get('price', input.price)
  const id = store.newId('cs_test')
  const reference = input.clientReferenceId
  if (reference !== undefined && !REFERENCE.test(reference))
    throw PaymentsProblem.invalid('client_reference_id', 'Only letters, digits, dashes and underscores are allowed.')
  return store.put<CheckoutSession>({
    id,
    object: 'checkout.session',
    created: now(),
    livemode: false,
    mode: 'subscription',
    status: 'open',
    payment_status: 'unpaid',
    client_reference_id: reference ?? null,
    customer: input.customer ? store.get('customer', input.customer).id : null,
    customer_email: input.customerEmail ?? null,
    customer_details: null,
    subscription: null,
    invoice: null,
    payment_link: input.link?.id ?? null,
    success_url: input.successUrl ?? null,
    cancel_url: input.cancelUrl ?? null,
    url: `${url()}/c/pay/${id}`,
    amount_total: input.trialDays ? 0 : price.unit_amount,
    currency: price.currency,
    metadata: input.metadata ?? {},
    _price: price.id,
    _trialDays: input.trialDays ?? null,
  })
}

export type Payment =
  | { kind: 'paid' }
  | { kind: 'confirm' }
  /** Nothing was bought, with a message for the page. */
  | { kind: 'refused'; message: string }

/**
 * Pays a session. A declined card leaves it open. @param confirmed whether the bank has confirmed
 * the payment
 */
export function pay(
  machine: Machine,
  sessionId: string,
  { email, number: typed, confirmed }: { email: string; number: string; confirmed: boolean },
): Payment {
  const { store, now, emit } = machine
  const session = store.get('checkout.session', sessionId)
  if (session.status !== 'open') return { kind: 'paid' }
  const number = cardNumber(typed)
  if (!number) return { kind: 'refused', message: 'Your card number is invalid.' }
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) return { kind: 'refused', message: 'Your email is invalid.' }
  const outcome = chargeOutcome({ _number: number, _confirmed: confirmed } as Parameters<typeof chargeOutcome>[0], true)
  if (outcome.kind === 'declined') return { kind: 'refused', message: outcome.message }
  if (outcome.kind === 'confirm') return { kind: 'confirm' }

  const customer = session.customer
    ? store.get('customer', session.customer)
    : store.put<Customer>({
        id: store.newId('cus'),
        object: 'customer',
        created: now(),
        livemode: false,
        email,
        name: null,
        balance: 0,
        invoice_settings: { default_payment_method: null },
        metadata: {},
      })
  if (!session.customer) emit('customer.created', customer)
  const card = attachCard(store, now(), customer.id, number)
  if (confirmed) store.put({ ...card, _confirmed: true })
  const subscription = createSubscription(machine, {
    customer: customer.id,
    price: session._price,
    trialDays: session._trialDays,
    defaultCard: card.id,
    onSession: true,
  })
  const complete = store.put<CheckoutSession>({
    ...session,
    status: 'complete',
    payment_status: session._trialDays ? 'no_payment_required' : 'paid',
    customer: customer.id,
    customer_details: { email: customer.email ?? email, name: null },
    subscription: subscription.id,
    invoice: subscription.latest_invoice,
    url: null,
  })
  emit('checkout.session.completed', complete)
  return { kind: 'paid' }
}

/** Where a completed session redirects, or null for the stand-in's own page. */
export function afterCompletion({ store }: Machine, session: CheckoutSession): string | null {
  const link = session.payment_link ? store.find('payment_link', session.payment_link) : undefined
  const to = link?.after_completion.redirect?.url ?? session.success_url
  return to?.replaceAll('{CHECKOUT_SESSION_ID}', session.id) ?? null
}
