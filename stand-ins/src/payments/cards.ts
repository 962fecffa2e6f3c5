import type { Invoice, PaymentIntent, PaymentMethod } from './objects.ts'
import { newId, type Store } from './store.ts'

/** The outcome of a charge (docs.stripe.com/testing). */
type ChargeOutcome = { kind: 'paid' | 'confirm' } | { kind: 'declined'; code: string; message: string }

const DECLINED = { kind: 'declined', code: 'card_declined', message: 'Your card was declined.' } as const

/** Special test cards. Every other valid number works. */
const SPECIAL_CARDS: Record<string, ChargeOutcome | 'confirm-once' | 'fails-later'> = {
  4000000000000002: DECLINED,
  4000000000009995: { kind: 'declined', code: 'card_declined', message: 'Your card has insufficient funds.' },
  4000000000000069: { kind: 'declined', code: 'expired_card', message: 'Your card has expired.' },
  /** Must be confirmed once. After that, it can be charged without the cardholder. */
  4000002500003155: 'confirm-once',
  /** Must be confirmed for each charge. */
  4000002760003184: { kind: 'confirm' },
  /** Can be stored, but charges without the cardholder fail. */
  4000000000000341: 'fails-later',
}

/** Returns the outcome of charging a card. @param onSession whether the cardholder just entered or confirmed it */
export function chargeOutcome(
  card: Pick<PaymentMethod, '_number' | '_confirmed'> | undefined,
  onSession: boolean,
): ChargeOutcome {
  if (!card) return { ...DECLINED, message: 'This customer has no attached payment source.' }
  const behavior = SPECIAL_CARDS[card._number] ?? { kind: 'paid' }
  if (behavior === 'confirm-once') return { kind: card._confirmed ? 'paid' : 'confirm' }
  if (behavior === 'fails-later') return onSession ? { kind: 'paid' } : DECLINED
  if (behavior.kind === 'confirm' && onSession && card._confirmed) return { kind: 'paid' }
  return behavior
}

/** Returns the digits of a card number, or null if it is invalid (Luhn). */
export function cardNumber(typed = ''): string | null {
  const digits = typed.replace(/[\s-]/g, '')
  if (!/^\d{13,19}$/.test(digits)) return null
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0 ? digits : null
}

/** Brands by the first digit of a card number. */
const BRANDS: Record<number, string> = { 3: 'amex', 4: 'visa', 5: 'mastercard', 6: 'discover' }

/** Stores a customer's card as their default. */
export function attachCard(store: Store, customerId: string, number: string, confirmed = false): PaymentMethod {
  const card = store.create('payment_method', {
    customer: customerId,
    card: {
      brand: BRANDS[Number(number[0])] ?? 'unknown',
      checks: null,
      country: 'US',
      display_brand: BRANDS[Number(number[0])] ?? 'other',
      exp_month: 12,
      exp_year: new Date().getUTCFullYear() + 3,
      funding: 'credit',
      generated_from: null,
      last4: number.slice(-4),
      networks: null,
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    _number: number,
    _confirmed: confirmed,
  })
  const { invoice_settings, ...customer } = store.get('customer', customerId)
  store.put({ ...customer, invoice_settings: { ...invoice_settings, default_payment_method: card.id } })
  return card
}

const INTENT_STATUSES = { paid: 'succeeded', confirm: 'requires_action', declined: 'requires_payment_method' } as const

/** Stores the outcome of charging an invoice. */
export function keepIntent(
  store: Store,
  { amount_due: amount, currency, customer }: Invoice,
  card: string | null,
  outcome: ChargeOutcome,
): PaymentIntent {
  const id = store.newId('payment_intent')
  return store.create('payment_intent', {
    id,
    amount,
    amount_received: outcome.kind === 'paid' ? amount : 0,
    client_secret: newId(`${id}_secret`),
    currency,
    customer,
    payment_method: outcome.kind === 'declined' ? null : card,
    status: INTENT_STATUSES[outcome.kind],
    last_payment_error:
      outcome.kind === 'declined' ? { type: 'card_error', code: outcome.code, message: outcome.message } : null,
  })
}
