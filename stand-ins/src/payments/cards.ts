import type { PaymentIntent, PaymentMethod } from './objects.ts'
import type { Store } from './store.ts'

/** The outcome of a charge (docs.stripe.com/testing). */
export type ChargeOutcome = { kind: 'paid' } | { kind: 'confirm' } | { kind: 'declined'; code: string; message: string }

const DECLINED = { kind: 'declined', code: 'card_declined', message: 'Your card was declined.' } as const

/** Special test cards. Every other valid number works. */
const SPECIAL_CARDS: Record<string, ChargeOutcome | 'confirm-once' | 'fails-later'> = {
  4000000000000002: DECLINED,
  4000000000009995: { kind: 'declined', code: 'card_declined', message: 'Your card has insufficient funds.' },
  4000000000000069: { kind: 'declined', code: 'expired_card', message: 'Your card has expired.' },
  /** Must be confirmed once, and can then be charged without its owner. */
  4000002500003155: 'confirm-once',
  /** Must be confirmed for every charge. */
  4000002760003184: { kind: 'confirm' },
  /** Can be stored, but charges without its owner fail. */
  4000000000000341: 'fails-later',
}

/** @param onSession whether the owner has just entered or confirmed the card */
export function chargeOutcome(card: PaymentMethod | undefined, onSession: boolean): ChargeOutcome {
  if (!card) return { ...DECLINED, message: 'This customer has no attached payment source.' }
  const behavior = SPECIAL_CARDS[card._number] ?? { kind: 'paid' }
  if (behavior === 'confirm-once') return card._confirmed ? { kind: 'paid' } : { kind: 'confirm' }
  if (behavior === 'fails-later') return onSession ? { kind: 'paid' } : DECLINED
  if (behavior.kind === 'confirm' && onSession && card._confirmed) return { kind: 'paid' }
  return behavior
}

/** The digits of a card number, or null if it is invalid (Luhn). */
export function cardNumber(typed: string): string | null {
  const digits = typed.replace(/[\s-]/g, '')
  if (!/^\d{13,19}$/.test(digits)) return null
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0 ? digits : null
}

/** Stores a card for a customer. */
export function attachCard(store: Store, created: number, customerId: string, number: string): PaymentMethod {
  const card = store.put<PaymentMethod>({
    id: store.newId('pm'),
    object: 'payment_method',
    created,
    livemode: false,
    type: 'card',
    customer: customerId,
    card: {
      brand: number.startsWith('5') ? 'mastercard' : 'visa',
      last4: number.slice(-4),
      exp_month: 12,
      exp_year: new Date(created * 1_000).getUTCFullYear() + 5,
    },
    _number: number,
    _confirmed: false,
  })
  const customer = store.get('customer', customerId)
  store.put({ ...customer, invoice_settings: { default_payment_method: card.id } })
  return card
}

/** Stores the outcome of a charge. */
export function keepIntent(
  store: Store,
  created: number,
  { customer, amount, currency }: { customer: string; amount: number; currency: string },
  outcome: ChargeOutcome,
): PaymentIntent {
  return store.put<PaymentIntent>({
    id: store.newId('pi'),
    object: 'payment_intent',
    created,
    livemode: false,
    amount,
    currency,
    customer,
    status:
      outcome.kind === 'paid'
        ? 'succeeded'
        : outcome.kind === 'confirm'
          ? 'requires_action'
          : 'requires_payment_method',
    last_payment_error:
      outcome.kind === 'declined' ? { type: 'card_error', code: outcome.code, message: outcome.message } : null,
  })
}
