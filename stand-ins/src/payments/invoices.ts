import { chargeOutcome, keepIntent } from './cards.ts'
import type { Charge, EventType, Invoice, InvoiceLine, Subscription } from './objects.ts'
import { newId, type Store } from './store.ts'
import { innerList, PaymentsProblem } from './wire.ts'

/** State that all parts of the payments stand-in share. */
export interface Machine {
  store: Store
  /** Stores an event and sends it to webhooks. */
  emit(type: EventType, object: unknown): void
  url(): string
}

/** Days between payment attempts of an open invoice. After the last attempt, the subscription ends. */
const RETRY_AFTER_DAYS = [3, 5, 7]

/** Creates an open invoice, due now. The customer's credit is subtracted. */
export function makeInvoice(
  { store, emit, url }: Machine,
  subscription: Subscription,
  lines: Charge[],
  reason: Invoice['billing_reason'],
): Invoice {
  const draft = draftInvoice(store, subscription, lines, reason)
  const customer = store.get('customer', draft.customer)
  const count = store.all('invoice').filter((other) => other.customer === customer.id).length
  const invoice = store.put<Invoice>({
    ...draft,
    status: 'open',
    number: `${customer.id.slice(-8).toUpperCase()}-${String(count + 1).padStart(4, '0')}`,
    hosted_invoice_url: `${url()}/i/${draft.id}`,
    invoice_pdf: `${url()}/i/${draft.id}/pdf`,
    effective_at: store.now(),
    status_transitions: { ...draft.status_transitions, finalized_at: store.now() },
  })
  store.put({ ...customer, balance: invoice.ending_balance })
  emit('invoice.created', invoice)
  emit('invoice.finalized', invoice)
  return invoice
}

/** Builds a draft without storing it. Also used for previews. */
export function draftInvoice(
  store: Store,
  subscription: Subscription,
  lines: Charge[],
  reason: Invoice['billing_reason'],
): Invoice {
  const [item] = subscription.items.data
  const customer = store.get('customer', subscription.customer)
  const { balance } = customer
  const total = lines.reduce((sum, { amount }) => sum + amount, 0)
  const due = Math.max(0, balance + total)
  const id = store.newId('invoice')
  return store.make('invoice', {
    id,
    amount_due: due,
    amount_paid: 0,
    amount_remaining: due,
    billing_reason: reason,
    currency: subscription.currency,
    customer: customer.id,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    lines: innerList(
      `/v1/invoices/${id}/lines`,
      lines.map((line) => invoiceLine(id, subscription, line)),
    ),
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
    },
    payments: innerList(`/v1/invoice_payments?invoice=${id}`, []),
    period_start: item.current_period_start,
    period_end: item.current_period_end,
    starting_balance: balance,
    ending_balance: Math.min(0, balance + total),
    subtotal: total,
    subtotal_excluding_tax: total,
    total,
    total_excluding_tax: total,
  })
}

function invoiceLine(invoice: string, { id, items }: Subscription, charge: Charge): InvoiceLine {
  const { amount, description, period, price, proration } = charge
  const priceDetails = { price: price.id, product: price.product }
  return {
    id: newId('il'),
    object: 'line_item',
    livemode: false,
    amount,
    currency: price.currency,
    description,
    discount_amounts: [],
    discountable: !proration,
    discounts: [],
    invoice,
    metadata: {},
    parent: {
      type: 'subscription_item_details',
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration,
        proration_details: { credited_items: null },
        subscription: id,
        subscription_item: items.data[0].id,
      },
    },
    period,
    pretax_credit_amounts: [],
    pricing: { type: 'price_details', price_details: priceDetails, unit_amount_decimal: price.unit_amount_decimal },
    quantity: 1,
    quantity_decimal: '1',
    subscription: id,
    subtotal: amount,
    taxes: [],
  }
}

/** Returns the subscription that an invoice belongs to. */
export function subscriptionOf(store: Store, invoice: Invoice): Subscription {
  return store.get('subscription', invoice.parent.subscription_details.subscription)
}

/**
 * Charges an open invoice to the stored card. The caller must update the subscription.
 * @param onSession whether the customer is present
 */
export function tryToPay({ store, emit }: Machine, invoiceId: string, onSession = false): Invoice {
  const invoice = openInvoice(store, invoiceId)
  const customer = store.get('customer', invoice.customer)
  const card = subscriptionOf(store, invoice).default_payment_method ?? customer.invoice_settings.default_payment_method
  const isFree = invoice.amount_due === 0
  const outcome = isFree ? ({ kind: 'paid' } as const) : chargeOutcome(store.find('payment_method', card), onSession)
  const isPaid = outcome.kind === 'paid'
  const paidAt = isPaid ? store.now() : null
  const payment = () => ({
    id: newId('inpay'),
    object: 'invoice_payment' as const,
    created: store.now(),
    livemode: false as const,
    amount_paid: isPaid ? invoice.amount_due : null,
    amount_requested: invoice.amount_due,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    payment: { type: 'payment_intent' as const, payment_intent: keepIntent(store, invoice, card, outcome).id },
    status: isPaid ? 'paid' : 'open',
    status_transitions: { canceled_at: null, paid_at: paidAt },
  })
  const tried: Invoice = {
    ...invoice,
    attempt_count: invoice.attempt_count + 1,
    attempted: true,
    payments: { ...invoice.payments, data: [...invoice.payments.data, ...(isFree ? [] : [payment()])] },
  }
  if (isPaid) {
    const paid = store.put<Invoice>({
      ...tried,
      amount_paid: invoice.amount_due,
      amount_remaining: 0,
      status: 'paid',
      status_transitions: { ...tried.status_transitions, paid_at: paidAt },
      next_payment_attempt: null,
    })
    emit('invoice.paid', paid)
    emit('invoice.payment_succeeded', paid)
    return paid
  }
  const days = invoice.billing_reason === 'subscription_cycle' && RETRY_AFTER_DAYS[invoice.attempt_count]
  const failed = store.put<Invoice>({ ...tried, next_payment_attempt: days ? store.now() + days * 86_400 : null })
  emit('invoice.payment_failed', failed)
  if (outcome.kind === 'confirm') emit('invoice.payment_action_required', failed)
  return failed
}

/** Voids an open invoice and returns the credit that it used. */
export function voidInvoice({ store, emit }: Machine, id: string): Invoice {
  const invoice = openInvoice(store, id)
  const customer = store.get('customer', invoice.customer)
  store.put({ ...customer, balance: customer.balance - invoice.ending_balance + invoice.starting_balance })
  const voided = store.put<Invoice>({
    ...invoice,
    status: 'void',
    status_transitions: { ...invoice.status_transitions, voided_at: store.now() },
    next_payment_attempt: null,
  })
  emit('invoice.voided', voided)
  return voided
}

function openInvoice(store: Store, id: string): Invoice {
  const invoice = store.get('invoice', id)
  if (invoice.status === 'open') return invoice
  throw new PaymentsProblem(400, `Invoice is ${invoice.status}`, { code: 'invoice_not_editable' })
}
