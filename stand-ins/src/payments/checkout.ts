import { attachCard, cardNumber, chargeOutcome } from './cards.ts'
import type { Machine } from './invoices.ts'
import type { CheckoutSession } from './objects.ts'
import type { Fields } from './store.ts'
import { createSubscription } from './subscriptions.ts'

/** Stripe's rule for a client_reference_id. */
export const REFERENCE = /^[\w-]{1,200}$/

const EXPIRES_SECONDS = 86_400
/** The text of an expired page. */
export const EXPIRED = 'This checkout page has expired.'

interface NewSession {
  price: string
  clientReferenceId?: string | undefined
  customer?: string | undefined
  customerEmail?: string | undefined
  successUrl: string | null
  cancelUrl?: string | undefined
  trialDays?: number | null | undefined
  paymentLink?: string
  metadata?: Record<string, string>
}

export function openSession({ store, url }: Machine, input: NewSession): CheckoutSession {
  const id = store.newId('checkout.session')
  const price = store.get('price', input.price)
  const trialDays = input.trialDays ?? null
  const amount = trialDays ? 0 : price.unit_amount
  return store.create('checkout.session', {
    id,
    amount_subtotal: amount,
    amount_total: amount,
    client_reference_id: input.clientReferenceId ?? null,
    currency: price.currency,
    customer: input.customer ? store.get('customer', input.customer).id : null,
    customer_email: input.customerEmail ?? null,
    expires_at: store.now() + EXPIRES_SECONDS,
    metadata: input.metadata ?? {},
    payment_link: input.paymentLink ?? null,
    success_url: input.successUrl?.replaceAll('{CHECKOUT_SESSION_ID}', id) ?? null,
    cancel_url: input.cancelUrl ?? null,
    url: `${url()}/c/pay/${id}`,
    _price: price.id,
    _trialDays: trialDays,
  })
}

/** The outcome of a payment. `confirm`: the bank must confirm it first. `refused`: nothing was bought. */
type Payment = { kind: 'paid' | 'confirm' } | { kind: 'refused'; message: string }

/**
 * Pays a session. If the card is declined, the session stays open.
 * @param confirmed whether the bank has confirmed the payment
 */
export function pay(
  machine: Machine,
  sessionId: string,
  { email = '', number: typed, confirmed }: { email?: string; number?: string; confirmed: boolean },
): Payment {
  const { store, emit } = machine
  const session = store.get('checkout.session', sessionId)
  if (session.status === 'expired') return { kind: 'refused', message: EXPIRED }
  if (session.status !== 'open') return { kind: 'paid' }
  const number = cardNumber(typed)
  if (!number) return { kind: 'refused', message: 'Your card number is invalid.' }
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) return { kind: 'refused', message: 'Your email is invalid.' }
  const outcome = chargeOutcome({ _number: number, _confirmed: confirmed }, true)
  if (outcome.kind === 'declined') return { kind: 'refused', message: outcome.message }
  if (outcome.kind === 'confirm') return { kind: 'confirm' }

  const customer = store.find('customer', session.customer) ?? createCustomer(machine, { email })
  const card = attachCard(store, customer.id, number, confirmed)
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
    customer: customer.id,
    customer_details: {
      address: null,
      business_name: null,
      email: customer.email ?? email,
      individual_name: null,
      name: customer.name ?? null,
      phone: customer.phone ?? null,
      tax_exempt: 'none',
      tax_ids: [],
    },
    invoice: subscription.latest_invoice,
    payment_status: session._trialDays ? 'no_payment_required' : 'paid',
    subscription: subscription.id,
    url: null,
  })
  emit('checkout.session.completed', complete)
  return { kind: 'paid' }
}

/** Stores a customer. */
export function createCustomer({ store, emit }: Machine, fields: Partial<Fields<'customer'>>) {
  const customer = store.create('customer', { email: null, metadata: {}, ...fields })
  emit('customer.created', customer)
  return customer
}
