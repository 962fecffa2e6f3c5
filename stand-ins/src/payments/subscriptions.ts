import type Stripe from 'stripe'
import { z } from 'zod'
import { ITEM_DEFAULTS } from './defaults.ts'
import { draftInvoice, type Machine, makeInvoice, subscriptionOf, tryToPay, voidInvoice } from './invoices.ts'
import type { Invoice, Period, Price, Subscription, SubscriptionItem } from './objects.ts'
import { after, changeLines, nextEnd, periodCharge } from './periods.ts'
import { flag, innerList, integer, list, merged, metadata, PaymentsProblem, parameters, text } from './wire.ts'

/** Stripe's limit for pending changes and unconfirmed first payments: 23 hours. */
const PENDING_SECONDS = 23 * 3_600
const TRIAL_NOTICE_SECONDS = 3 * 86_400

interface NewSubscription {
  customer: string
  price: string
  trialDays?: number | null
  defaultCard?: string | undefined
  metadata?: Record<string, string>
  /** Whether the customer is present. */
  onSession?: boolean
}

/** Creates a subscription. Without a trial, it is `incomplete` until its first invoice is paid. */
export function createSubscription(machine: Machine, input: NewSubscription): Subscription {
  const { store, emit } = machine
  const price = store.get('price', input.price)
  const start = store.now()
  const trialEnd = input.trialDays ? start + input.trialDays * 86_400 : null
  const end = trialEnd ?? after(start, price.recurring)
  const id = store.newId('subscription')
  const item: SubscriptionItem = {
    ...ITEM_DEFAULTS,
    id: id.replace('sub', 'si'),
    object: 'subscription_item',
    livemode: false,
    created: start,
    current_period_start: start,
    current_period_end: end,
    ...ofPrice(price),
    subscription: id,
  }
  const made = store.create('subscription', {
    id,
    billing_cycle_anchor: trialEnd ?? start,
    currency: price.currency,
    customer: input.customer,
    default_payment_method: input.defaultCard ?? null,
    items: { ...innerList(`/v1/subscription_items?subscription=${id}`, []), data: [item] },
    metadata: input.metadata ?? {},
    start_date: start,
    status: trialEnd ? 'trialing' : 'incomplete',
    trial_end: trialEnd,
    trial_start: trialEnd && start,
  })
  const name = nameOf(machine, price)
  const period = { start, end }
  const line = trialEnd
    ? { amount: 0, description: `Trial period for ${name}`, period, price, proration: false }
    : periodCharge(price, name, period)
  const invoice = makeInvoice(machine, made, [line], 'subscription_create')
  emit('customer.subscription.created', store.put({ ...made, latest_invoice: invoice.id }))
  settle(machine, tryToPay(machine, invoice.id, input.onSession))
  return store.get('subscription', made.id)
}

/** Returns the fields of an item for a price. `plan` is Stripe's older form of `price`. */
function ofPrice(price: Price): Pick<SubscriptionItem, 'price' | 'plan'> {
  const { id, active, billing_scheme, created, currency, livemode, metadata, nickname, product } = price
  const plan = {
    object: 'plan' as const,
    id,
    active,
    billing_scheme,
    created,
    currency,
    livemode,
    metadata,
    nickname,
    product,
  }
  const amounts = { amount: price.unit_amount, amount_decimal: price.unit_amount_decimal }
  return { price, plan: { ...plan, ...amounts, ...price.recurring, tiers_mode: null, transform_usage: null } }
}

function withItem({ items }: Subscription, change: Partial<SubscriptionItem>): Subscription['items'] {
  return { ...items, data: [{ ...items.data[0], ...change }] }
}

function nameOf({ store }: Machine, price: Price): string {
  return store.get('product', price.product).name
}

function save({ store, emit }: Machine, subscription: Subscription): Subscription {
  emit('customer.subscription.updated', store.put(subscription))
  return subscription
}

function hasEnded({ status }: Subscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired'
}

/** Updates a subscription after one of its invoices was paid or its payment failed. */
export function settle(machine: Machine, invoice: Invoice): void {
  const subscription = subscriptionOf(machine.store, invoice)
  const { status, latest_invoice, _pending: change, ...rest } = subscription
  if (hasEnded(subscription)) return
  const isPaid = invoice.status === 'paid'
  const isNewest = latest_invoice === invoice.id
  if (change && isNewest) {
    if (!isPaid) return
    const applied = save(machine, atPrice({ ...rest, status, latest_invoice, pending_update: null }, change))
    machine.emit('customer.subscription.pending_update_applied', applied)
  } else if (isPaid) {
    if (status === 'incomplete' || (status === 'past_due' && isNewest))
      save(machine, { ...subscription, status: 'active' })
  } else if (invoice.billing_reason === 'subscription_cycle') {
    if (invoice.next_payment_attempt === null) endNow(machine, subscription.id)
    else if (status !== 'past_due') save(machine, { ...subscription, status: 'past_due' })
  }
}

/** Returns the subscription with another price, in its current period or a new one. */
function atPrice(subscription: Subscription, { price, period }: { price: Price; period: Period | null }): Subscription {
  const [item] = subscription.items.data
  const { start, end } = period ?? { start: item.current_period_start, end: item.current_period_end }
  return {
    ...subscription,
    billing_cycle_anchor: period?.start ?? subscription.billing_cycle_anchor,
    // If a new period starts, the cancellation moves to its end.
    cancel_at: subscription.cancel_at_period_end ? end : subscription.cancel_at,
    items: withItem(subscription, { ...ofPrice(price), current_period_start: start, current_period_end: end }),
  }
}

const changes = {
  items: list(z.strictObject({ id: text, price: text, quantity: z.literal('1').optional() })),
  proration_behavior: z.literal('always_invoice').optional(),
  proration_date: integer.optional(),
  cancel_at_period_end: flag.optional(),
  /** An empty string removes the date. */
  cancel_at: z.union([z.literal('').transform(() => null), integer]).optional(),
}
export const PreviewedChange = parameters<Stripe.InvoiceCreatePreviewParams.SubscriptionDetails>()(changes)
export const SubscriptionChange = parameters<Stripe.SubscriptionUpdateParams>()({
  ...changes,
  payment_behavior: z.enum(['allow_incomplete', 'pending_if_incomplete']).optional(),
  default_payment_method: text,
  metadata,
})
type SubscriptionChange = Partial<z.output<typeof SubscriptionChange>>

/** Returns the effect of a price change; null if the price stays the same. */
function planChange(machine: Machine, subscription: Subscription, { items, proration_date }: SubscriptionChange) {
  const [item] = subscription.items.data
  const [changed] = items ?? []
  if (changed?.id && changed.id !== item.id)
    throw PaymentsProblem.invalid('items[0][id]', `No such subscription item: '${changed.id}'`, 'resource_missing')
  const priceId = changed?.price
  if (!priceId || priceId === item.price.id) return null
  const price = machine.store.get('price', priceId)
  const at = proration_date ?? machine.store.now()
  if (at < item.current_period_start || at > item.current_period_end)
    throw PaymentsProblem.invalid('proration_date', 'The proration date is not within the current period.')
  const names = { name: nameOf(machine, price), oldName: nameOf(machine, item.price) }
  return { price, ...changeLines(subscription, { price, ...names }, at) }
}

/** Returns the invoice that a change would create. */
export function previewChange(machine: Machine, id: string, change: SubscriptionChange): Invoice {
  const subscription = machine.store.get('subscription', id)
  const planned = planChange(machine, subscription, change)
  const invoice = draftInvoice(machine.store, subscription, planned?.lines ?? [], 'upcoming')
  return { ...invoice, period_end: planned?.period?.end ?? invoice.period_end }
}

export function updateSubscription(machine: Machine, id: string, change: SubscriptionChange): Subscription {
  const { store } = machine
  const before = store.get('subscription', id)
  if (hasEnded(before))
    throw new PaymentsProblem(400, 'A canceled subscription can only update its cancellation_details and metadata.')
  const { cancel_at_period_end: cancels, cancel_at: cancelAt, default_payment_method: card, metadata } = change
  const isPending = change.payment_behavior === 'pending_if_incomplete'
  if (isPending && (cancels !== undefined || cancelAt !== undefined))
    throw PaymentsProblem.invalid('payment_behavior', '`cancel_at_period_end` may not be passed with it.')
  const next: Subscription = {
    ...before,
    ...(card !== undefined && { default_payment_method: card }),
    metadata: merged(before.metadata, metadata),
    ...(cancelAt !== undefined && { cancel_at: cancelAt, cancel_at_period_end: false }),
    ...(cancels !== undefined && {
      cancel_at_period_end: cancels,
      cancel_at: cancels ? before.items.data[0].current_period_end : null,
    }),
    ...(cancels !== undefined || cancelAt !== undefined
      ? cancellation(store.now(), cancels === true || cancelAt != null)
      : {}),
  }
  const planned = planChange(machine, next, change)
  if (!planned) return save(machine, next)
  const applied = atPrice(next, planned)
  if (planned.lines.length === 0) return save(machine, applied)
  const invoice = makeInvoice(machine, next, planned.lines, 'subscription_update')
  const isPaid = tryToPay(machine, invoice.id).status === 'paid'
  if (isPaid || !isPending)
    return save(machine, { ...applied, latest_invoice: invoice.id, status: isPaid ? applied.status : 'past_due' })
  return save(machine, {
    ...next,
    latest_invoice: invoice.id,
    pending_update: {
      billing_cycle_anchor: planned.period?.start ?? null,
      cancel_at_period_end: null,
      discount: null,
      discounts: null,
      expires_at: store.now() + PENDING_SECONDS,
      metadata: null,
      subscription_items: applied.items.data,
      trial_end: null,
      trial_from_plan: null,
    },
    _pending: { price: planned.price, period: planned.period },
  })
}

/** Returns the fields that say when and why a subscription was canceled. They are null if it was not. */
function cancellation(now: number, isCanceled: boolean): Pick<Subscription, 'canceled_at' | 'cancellation_details'> {
  const reason = isCanceled ? 'cancellation_requested' : null
  const details = { comment: null, feedback: null, feedback_option: null, reason }
  return { canceled_at: isCanceled ? now : null, cancellation_details: details }
}

/** Discards a pending change. */
export function dropPending(machine: Machine, id: string): void {
  const { _pending: _, ...subscription } = machine.store.get('subscription', id)
  const dropped = save(machine, { ...subscription, pending_update: null })
  machine.emit('customer.subscription.pending_update_expired', dropped)
}

/** Ends a subscription immediately. */
export function endNow({ store, emit }: Machine, id: string): Subscription {
  const { _pending: _, ...subscription } = store.get('subscription', id)
  if (subscription.status === 'canceled') throw PaymentsProblem.missing('subscription', id)
  const ended = store.put<Subscription>({
    ...subscription,
    status: subscription.status === 'incomplete' ? 'incomplete_expired' : 'canceled',
    pending_update: null,
    ...(subscription.canceled_at ? {} : cancellation(store.now(), true)),
    ended_at: store.now(),
  })
  emit('customer.subscription.deleted', ended)
  return ended
}

/** Returns the next change that happens without a request: when it is due (Unix seconds), and what it does. */
export function nextDue(machine: Machine, subscription: Subscription): { at: number; run(): void } | undefined {
  const { store, emit } = machine
  const { id, status, created, trial_end, latest_invoice, _trialTold } = subscription
  if (hasEnded(subscription)) return undefined
  if (status === 'incomplete') return { at: created + PENDING_SECONDS, run: () => endNow(machine, id) }
  const invoice = store.find('invoice', latest_invoice)
  const isNoticeDue = status === 'trialing' && trial_end && !_trialTold
  const due = [
    {
      at: subscription.pending_update?.expires_at,
      run() {
        if (latest_invoice) voidInvoice(machine, latest_invoice)
        dropPending(machine, id)
      },
    },
    {
      at: isNoticeDue ? Math.max(created, trial_end - TRIAL_NOTICE_SECONDS) : null,
      run: () => emit('customer.subscription.trial_will_end', store.put({ ...subscription, _trialTold: true })),
    },
    { at: subscription.cancel_at, run: () => endNow(machine, id) },
    {
      at: invoice?.status === 'open' ? invoice.next_payment_attempt : null,
      run: () => settle(machine, tryToPay(machine, invoice?.id ?? '')),
    },
    { at: subscription.items.data[0].current_period_end, run: () => renew(machine, subscription) },
  ]
  // If several are due at the same time, the first in the list wins.
  return due.flatMap(({ at, run }) => (at == null ? [] : { at, run })).sort((a, b) => a.at - b.at)[0]
}

function renew(machine: Machine, subscription: Subscription): void {
  const [item] = subscription.items.data
  const { price, current_period_end: start } = item
  const end = nextEnd(subscription.billing_cycle_anchor, start, price.recurring)
  const renewed: Subscription = {
    ...subscription,
    status: subscription.status === 'trialing' ? 'active' : subscription.status,
    items: withItem(subscription, { current_period_start: start, current_period_end: end }),
  }
  const line = periodCharge(price, nameOf(machine, price), { start, end })
  const invoice = makeInvoice(machine, renewed, [line], 'subscription_cycle')
  save(machine, { ...renewed, latest_invoice: invoice.id })
  settle(machine, tryToPay(machine, invoice.id))
}
