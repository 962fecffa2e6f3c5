import { chargeOutcome, keepIntent } from './cards.ts'
import type { Customer, Invoice, InvoiceLine, Subscription } from './objects.ts'
import type { NewLine } from './periods.ts'
import type { Store } from './store.ts'
import { PaymentsProblem } from './wire.ts'

/** Shared by all parts of the stand-in. */
export interface Machine {
  store: Store
  /** Unix seconds: now, or the time of the event being processed while the clock is advanced. */
  now(): number
  /** Stores an event and sends it to webhooks. */
  emit(type: string, object: unknown): void
  url(): string
}

/** Days between payment attempts of an open invoice. After the last one the subscription ends. */
const RETRY_AFTER_DAYS = [3, 5, 7]

/** Creates an open invoice, due now, less the customer's credit. */
export function makeInvoice(
  { store, now, emit, url }: Machine,
  subscription: Subscription,
  lines: NewLine[],
  reason: Invoice['billing_reason'],
): Invoice {
  const customer = store.get('customer', subscription.customer)
  const invoice = draftInvoice({ id: store.newId('in'), now: now(), url: url() }, subscription, customer, lines, reason)
  const count = store.all('invoice').filter((one) => one.customer === customer.id).length
  const finalized: Invoice = {
    ...invoice,
    status: 'open',
    number: `${customer.id.slice(-8).toUpperCase()}-${String(count + 1).padStart(4, '0')}`,
    hosted_invoice_url: `${url()}/i/${invoice.id}`,
    invoice_pdf: `${url()}/i/${invoice.id}/pdf`,
    status_transitions: { ...invoice.status_transitions, finalized_at: now() },
  }
  if (invoice.ending_balance !== customer.balance) store.put({ ...customer, balance: invoice.ending_balance ?? 0 })
  store.put(finalized)
  emit('invoice.created', finalized)
  emit('invoice.finalized', finalized)
  return finalized
}

/** A draft invoice, also used for previews. */
export function draftInvoice(
  at: { id: string; now: number; url: string },
  subscription: Subscription,
  customer: Customer,
  lines: NewLine[],
  reason: Invoice['billing_reason'],
): Invoice {
  const total = lines.reduce((sum, { amount }) => sum + amount, 0)
  const balance = customer.balance + total
  const due = Math.max(0, balance)
  const item = subscription.items.data[0]
  return {
    id: at.id,
    object: 'invoice',
    created: at.now,
    livemode: false,
    amount_due: due,
    amount_paid: 0,
    amount_remaining: due,
    attempt_count: 0,
    attempted: false,
    billing_reason: reason,
    collection_method: 'charge_automatically',
    currency: subscription.currency,
    customer: customer.id,
    customer_email: customer.email,
    hosted_invoice_url: null,
    invoice_pdf: null,
    lines: {
      object: 'list',
      has_more: false,
      url: `/v1/invoices/${at.id}/lines`,
      data: lines.map(
        ({ amount, description, period, proration }, i): InvoiceLine => ({
          id: `il_${at.id.slice(3)}${i}`,
          object: 'line_item',
          amount,
          currency: subscription.currency,
          description,
          period,
          parent: {
            type: 'subscription_item_details',
            subscription_item_details: { proration, subscription: subscription.id, subscription_item: item?.id ?? '' },
          },
        }),
      ),
    },
    metadata: {},
    next_payment_attempt: null,
    number: null,
    parent: { type: 'subscription_details', subscription_details: { subscription: subscription.id, metadata: {} } },
    payments: { object: 'list', data: [], has_more: false, url: '/v1/invoice_payments' },
    period_start: item?.current_period_start ?? at.now,
    period_end: item?.current_period_end ?? at.now,
    starting_balance: customer.balance,
    ending_balance: Math.min(0, balance),
    status: 'draft',
    status_transitions: { finalized_at: null, paid_at: null, voided_at: null, marked_uncollectible_at: null },
    subtotal: total,
    total,
  }
}

/**
 * Charges an open invoice to the stored card. The caller updates the subscription.
 * @param onSession whether the customer is present
 */
export function tryToPay(machine: Machine, invoiceId: string, onSession: boolean): Invoice {
  const { store, now, emit } = machine
  const invoice = store.get('invoice', invoiceId)
  if (invoice.status !== 'open')
    throw new PaymentsProblem(400, `Invoice is ${invoice.status}`, { code: 'invoice_not_editable' })
  const customer = store.get('customer', invoice.customer)
  const subscription = store.get('subscription', invoice.parent.subscription_details.subscription)
  const cardId = subscription.default_payment_method ?? customer.invoice_settings.default_payment_method
  const card = cardId ? store.find('payment_method', cardId) : undefined
  const outcome = invoice.amount_due === 0 ? ({ kind: 'paid' } as const) : chargeOutcome(card, onSession)
  const payments = { ...invoice.payments, data: [...invoice.payments.data] }
  if (invoice.amount_due > 0) {
    const intent = keepIntent(
      store,
      now(),
      { customer: customer.id, amount: invoice.amount_due, currency: invoice.currency },
      outcome,
    )
    payments.data.push({
      object: 'invoice_payment',
      id: store.newId('inpay'),
      status: outcome.kind === 'paid' ? 'paid' : 'open',
      payment: { type: 'payment_intent', payment_intent: intent.id },
    })
  }
  const attempts = invoice.attempt_count + 1
  if (outcome.kind === 'paid') {
    const paid = store.put<Invoice>({
      ...invoice,
      payments,
      status: 'paid',
      attempted: true,
      attempt_count: attempts,
      amount_paid: invoice.amount_due,
      amount_remaining: 0,
      next_payment_attempt: null,
      status_transitions: { ...invoice.status_transitions, paid_at: now() },
    })
    emit('invoice.paid', paid)
    emit('invoice.payment_succeeded', paid)
    return paid
  }
  const days = RETRY_AFTER_DAYS[attempts - 1]
  const isRetried = invoice.billing_reason === 'subscription_cycle' && days !== undefined
  const failed = store.put<Invoice>({
    ...invoice,
    payments,
    attempted: true,
    attempt_count: attempts,
    next_payment_attempt: isRetried ? now() + days * 86_400 : null,
  })
  emit('invoice.payment_failed', failed)
  if (outcome.kind === 'confirm') emit('invoice.payment_action_required', failed)
  return failed
}

export function voidInvoice({ store, now, emit }: Machine, id: string): Invoice {
  const invoice = store.get('invoice', id)
  if (invoice.status !== 'open')
    throw new PaymentsProblem(400, `You can only pass in open invoices. This invoice isn't open.`)
  // Returns the credit that the invoice used.
  const customer = store.get('customer', invoice.customer)
  const used = (invoice.ending_balance ?? 0) - invoice.starting_balance
  if (used !== 0) store.put({ ...customer, balance: customer.balance - used })
  const voided = store.put<Invoice>({
    ...invoice,
    status: 'void',
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, voided_at: now() },
  })
  emit('invoice.voided', voided)
  return voided
}
