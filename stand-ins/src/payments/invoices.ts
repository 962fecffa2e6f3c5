import { chargeOutcome, keepIntent } from './cards.ts'
import type { Invoice, InvoiceLine, Subscription } from './objects.ts'
import type { Store } from './store.ts'
import { PaymentsProblem } from './wire.ts'

/** Shared by all parts of the stand-in. */
export interface Machine {
  store: Store
  /** Stores an event and sends it to webhooks. */
  emit(type: string, object: unknown): void
  url(): string
}

/** Days between payment attempts of an open invoice. After the last one the subscription ends. */
const RETRY_AFTER_DAYS = [3, 5, 7]

/** Creates an open invoice, due now, less the customer's credit. */
export function makeInvoice(
  { store, emit, url }: Machine,
  subscription: Subscription,
  lines: InvoiceLine[],
  reason: Invoice['billing_reason'],
): Invoice {
  const draft = draftInvoice(store, subscription, lines, reason)
  const customer = store.get('customer', draft.customer)
  const count = store.all('invoice').filter((one) => one.customer === customer.id).length
  const invoice = store.put<Invoice>({
    ...draft,
    status: 'open',
    number: `${customer.id.slice(-8).toUpperCase()}-${String(count + 1).padStart(4, '0')}`,
    hosted_invoice_url: `${url()}/i/${draft.id}`,
    invoice_pdf: `${url()}/i/${draft.id}/pdf`,
    status_transitions: { finalized_at: store.now() },
  })
  store.put({ ...customer, balance: invoice.ending_balance })
  emit('invoice.created', invoice)
  emit('invoice.finalized', invoice)
  return invoice
}

/** A draft that is not stored, also used for previews. */
export function draftInvoice(
  store: Store,
  subscription: Subscription,
  lines: InvoiceLine[],
  reason: Invoice['billing_reason'],
): Invoice {
  const [item] = subscription.items.data
  const { balance } = store.get('customer', subscription.customer)
  const total = lines.reduce((sum, { amount }) => sum + amount, 0)
  return {
    id: store.newId('invoice'),
    object: 'invoice',
    created: store.now(),
    livemode: false,
    amount_due: Math.max(0, balance + total),
    attempt_count: 0,
    billing_reason: reason,
    currency: item.price.currency,
    customer: subscription.customer,
    hosted_invoice_url: null,
    invoice_pdf: null,
    lines: { object: 'list', data: lines },
    next_payment_attempt: null,
    number: null,
    parent: { type: 'subscription_details', subscription_details: { subscription: subscription.id } },
    payments: { object: 'list', data: [] },
    period_end: item.current_period_end,
    starting_balance: balance,
    ending_balance: Math.min(0, balance + total),
    status: 'draft',
    status_transitions: { finalized_at: null },
    total,
  }
}

/** The subscription that an invoice belongs to. */
export function subscriptionOf(store: Store, invoice: Invoice): Subscription {
  return store.get('subscription', invoice.parent.subscription_details.subscription)
}

/**
 * Charges an open invoice to the stored card. The caller updates the subscription.
 * @param onSession whether the customer is present
 */
export function tryToPay({ store, emit }: Machine, invoiceId: string, onSession = false): Invoice {
  const invoice = openInvoice(store, invoiceId)
  const customer = store.get('customer', invoice.customer)
  const card = subscriptionOf(store, invoice).default_payment_method ?? customer.invoice_settings.default_payment_method
  const isFree = invoice.amount_due === 0
  const outcome = isFree ? ({ kind: 'paid' } as const) : chargeOutcome(store.find('payment_method', card), onSession)
  const payment = () => ({ type: 'payment_intent' as const, payment_intent: keepIntent(store, outcome).id })
  const tried: Invoice = {
    ...invoice,
    attempt_count: invoice.attempt_count + 1,
    payments: { ...invoice.payments, data: [...invoice.payments.data, ...(isFree ? [] : [{ payment: payment() }])] },
  }
  if (outcome.kind === 'paid') {
    const paid = store.put<Invoice>({ ...tried, status: 'paid', next_payment_attempt: null })
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
  const voided = store.put<Invoice>({ ...invoice, status: 'void', next_payment_attempt: null })
  emit('invoice.voided', voided)
  return voided
}

function openInvoice(store: Store, id: string): Invoice {
  const invoice = store.get('invoice', id)
  if (invoice.status === 'open') return invoice
  throw new PaymentsProblem(400, `Invoice is ${invoice.status}`, { code: 'invoice_not_editable' })
}
