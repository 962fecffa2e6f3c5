import { attachCard, cardNumber, chargeOutcome } from './cards.ts'
import type { Machine } from './invoices.ts'
import type { CheckoutSession } from './objects.ts'
import { createSubscription } from './subscriptions.ts'

/** Stripe's rule for a client_reference_id. */
export const REFERENCE = /^[\w-]{1,200}$/

export interface NewSession {
  price: string
  clientReferenceId?: string | undefined
  customer?: string | undefined
  customerEmail?: string | undefined
  successUrl: string | null
  cancelUrl?: string | undefined
  trialDays?: number | null
}

export function openSession({ store, url }: Machine, input: NewSession): CheckoutSession {
  const id = store.newId('checkout.session')
  return store.create('checkout.session', {
    id,
    status: 'open',
    client_reference_id: input.clientReferenceId ?? null,
    customer: input.customer ? store.get('customer', input.customer).id : null,
    customer_email: input.customerEmail ?? null,
    customer_details: null,
    subscription: null,
    success_url: input.successUrl?.replaceAll('{CHECKOUT_SESSION_ID}', id) ?? null,
    cancel_url: input.cancelUrl ?? null,
    url: `${url()}/c/pay/${id}`,
    _price: store.get('price', input.price).id,
    _trialDays: input.trialDays ?? null,
  })
}

/** Why nothing was bought, or whether the bank must confirm it first. */
export type Payment = { kind: 'paid' | 'confirm' } | { kind: 'refused'; message: string }

/**
 * Pays a session. A declined card leaves it open. @param confirmed whether the bank has confirmed
 * the payment
 */
export function pay(
  machine: Machine,
  sessionId: string,
  { email = '', number: typed, confirmed }: { email?: string; number?: string; confirmed: boolean },
): Payment {
  const { store, emit } = machine
  const session = store.get('checkout.session', sessionId)
  if (session.status !== 'open') return { kind: 'paid' }
  const number = cardNumber(typed)
  if (!number) return { kind: 'refused', message: 'Your card number is invalid.' }
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) return { kind: 'refused', message: 'Your email is invalid.' }
  const outcome = chargeOutcome({ _number: number, _confirmed: confirmed }, true)
  if (outcome.kind === 'declined') return { kind: 'refused', message: outcome.message }
  if (outcome.kind === 'confirm') return { kind: 'confirm' }

  const customer = store.find('customer', session.customer) ?? createCustomer(machine, email)
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
    customer_details: { email: customer.email ?? email },
    subscription: subscription.id,
    url: null,
  })
  emit('checkout.session.completed', complete)
  return { kind: 'paid' }
}

export function createCustomer({ store, emit }: Machine, email: string | null) {
  const customer = store.create('customer', { email, balance: 0, invoice_settings: { default_payment_method: null } })
  emit('customer.created', customer)
  return customer
}
