import { draftInvoice, type Machine, makeInvoice, tryToPay, voidInvoice } from './invoices.ts'
import type { Invoice, Price, Subscription } from './objects.ts'
import { after, changeLines, nextEnd } from './periods.ts'
import { PaymentsProblem } from './wire.ts'

/** Stripe's limit for pending changes and unconfirmed first payments: 23 hours. */
const PENDING_SECONDS = 23 * 3_600
const TRIAL_NOTICE_SECONDS = 3 * 86_400

export interface NewSubscription {
  customer: string
  price: string
  trialDays?: number | null
  defaultCard?: string | null
  metadata?: Record<string, string>
  /** Whether the customer is present. */
  onSession: boolean
}

/** Creates a subscription, `incomplete` until its first invoice is paid. */
export function createSubscription(machine: Machine, input: NewSubscription): Subscription {
  const { store, now, emit } = machine
  const price = store.get('price', input.price)
  if (!price.recurring) throw PaymentsProblem.invalid('items', 'The price is not recurring.')
  const id = store.newId('sub')
  const start = now()
  const trialEnd = input.trialDays ? start + input.trialDays * 86_400 : null
  const end = trialEnd ?? after(start, price.recurring)
  const made = store.put<Subscription>({
    id,
    object: 'subscription',
    created: start,
    livemode: false,
    billing_cycle_anchor: end === trialEnd ? end : start,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    collection_method: 'charge_automatically',
    currency: price.currency,
    customer: input.customer,
    default_payment_method: input.defaultCard ?? null,
    ended_at: null,
    items: {
      object: 'list',
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
      data: [
        {
          id: store.newId('si'),
          object: 'subscription_item',
          created: start,
          current_period_start: start,
          current_period_end: end,
          metadata: {},
          price,
          quantity: 1,
          subscription: id,
        },
      ],
    },
    latest_invoice: null,
    metadata: input.metadata ?? {},
    pending_update: null,
    start_date: start,
    status: trialEnd ? 'trialing' : 'incomplete',
    trial_start: trialEnd && start,
    trial_end: trialEnd,
  })
  const invoice = makeInvoice(
    machine,
    made,
    [
      {
        amount: trialEnd ? 0 : price.unit_amount,
        description: trialEnd ? `Trial period for ${nameOf(machine, price)}` : `1 × ${nameOf(machine, price)}`,
        period: { start, end },
        proration: false,
      },
    ],
    'subscription_create',
  )
  store.put({ ...made, latest_invoice: invoice.id })
  emit('customer.subscription.created', store.get('subscription', id))
  settle(machine, tryToPay(machine, invoice.id, input.onSession))
  return store.get('subscription', id)
}

function nameOf({ store }: Machine, price: Price): string {
  return store.find('product', price.product)?.name ?? 'Plan'
}

function save({ store, emit }: Machine, subscription: Subscription): Subscription {
  store.put(subscription)
  emit('customer.subscription.updated', subscription)
  return subscription
}

/** Updates a subscription after an attempt to charge its invoice. */
export function settle(machine: Machine, invoice: Invoice): void {
  const { store, emit } = machine
  const subscription = store.get('subscription', invoice.parent.subscription_details.subscription)
  if (subscription.status === 'canceled' || subscription.status === 'incomplete_expired') return
  const isPaid = invoice.status === 'paid'
  if (subscription.pending_update && subscription.latest_invoice === invoice.id) {
    if (!isPaid) return
    const applied = applyPending(subscription)
    save(machine, applied)
    emit('customer.subscription.pending_update_applied', applied)
    return
  }
  if (isPaid && (subscription.status === 'incomplete' || subscription.status === 'past_due')) {
    const isNewest = subscription.latest_invoice === invoice.id
    if (subscription.status === 'incomplete' || isNewest) save(machine, { ...subscription, status: 'active' })
    return
  }
  if (isPaid || invoice.billing_reason !== 'subscription_cycle') return
  if (invoice.next_payment_attempt === null) endNow(machine, subscription.id)
  else if (subscription.status !== 'past_due') save(machine, { ...subscription, status: 'past_due' })
}

function applyPending(subscription: Subscription): Subscription {
  const [item] = subscription.items.data
  const [next] = subscription.pending_update?.subscription_items ?? []
  if (!item || !next) return subscription
  const { _pending: waiting, ...rest } = subscription
  const isNewPeriod = waiting !== undefined && waiting.anchor !== null
  const changed = {
    ...item,
    price: next.price,
    ...(isNewPeriod && next.price.recurring
      ? { current_period_start: waiting.at, current_period_end: after(waiting.at, next.price.recurring) }
      : {}),
  }
  return {
    ...rest,
    pending_update: null,
    billing_cycle_anchor: waiting?.anchor ?? subscription.billing_cycle_anchor,
    items: { ...subscription.items, data: [changed] },
  }
}

export interface SubscriptionChange {
  price?: string
  prorationDate?: number
  prorationBehavior: 'create_prorations' | 'always_invoice' | 'none'
  paymentBehavior: 'allow_incomplete' | 'pending_if_incomplete' | 'error_if_incomplete' | 'default_incomplete'
  cancelAtPeriodEnd?: boolean
  /** Null removes the date. */
  cancelAt?: number | null
  defaultCard?: string
  metadata?: Record<string, string>
}

function planChange(machine: Machine, subscription: Subscription, priceId: string, at: number) {
  const [item] = subscription.items.data
  if (!item) throw PaymentsProblem.invalid('items', 'The subscription has no item.')
  const price = machine.store.get('price', priceId)
  if (at < item.current_period_start || at > item.current_period_end)
    throw PaymentsProblem.invalid(
      'proration_date',
      'The subscription proration date specified is not within the current period.',
    )
  const names = { name: nameOf(machine, price), oldName: nameOf(machine, item.price) }
  return { item, price, ...changeLines(subscription, item, { price, ...names }, at) }
}

/** The invoice that a change would create. */
export function previewChange(machine: Machine, id: string, { price, prorationDate }: SubscriptionChange): Invoice {
  const { store, now, url } = machine
  const subscription = store.get('subscription', id)
  const customer = store.get('customer', subscription.customer)
  const at = prorationDate ?? now()
  const upcoming = { id: store.newId('upcoming_in'), now: now(), url: url() }
  if (!price) return draftInvoice(upcoming, subscription, customer, [], 'upcoming')
  const { lines, period } = planChange(machine, subscription, price, at)
  const invoice = draftInvoice(upcoming, subscription, customer, lines, 'upcoming')
  return { ...invoice, period_end: period.end }
}

/**
 * @throws PaymentsProblem 402 if the payment fails with `error_if_incomplete`; nothing is changed
 * then
 */
export function updateSubscription(machine: Machine, id: string, change: SubscriptionChange): Subscription {
  const { store, now } = machine
  const before = store.get('subscription', id)
  if (before.status === 'canceled' || before.status === 'incomplete_expired')
    throw new PaymentsProblem(400, 'A canceled subscription can only update its cancellation_details and metadata.')
  let next: Subscription = {
    ...before,
    ...(change.metadata ? { metadata: { ...before.metadata, ...change.metadata } } : {}),
    ...(change.defaultCard ? { default_payment_method: change.defaultCard } : {}),
    ...(change.cancelAt === undefined ? {} : { cancel_at: change.cancelAt, cancel_at_period_end: false }),
  }
  if (change.cancelAtPeriodEnd !== undefined) {
    next = {
      ...next,
      cancel_at_period_end: change.cancelAtPeriodEnd,
      cancel_at: change.cancelAtPeriodEnd ? (next.items.data[0]?.current_period_end ?? null) : null,
      canceled_at: change.cancelAtPeriodEnd ? now() : null,
    }
  }
  const [item] = next.items.data
  if (!change.price || change.price === item?.price.id) return save(machine, next)
  const at = change.prorationDate ?? now()
  const { item: changed, price, lines, period, anchor } = planChange(machine, next, change.price, at)
  const isNewPeriod = anchor !== next.billing_cycle_anchor
  const applied: Subscription = {
    ...next,
    billing_cycle_anchor: anchor,
    // If a new period starts, the cancellation moves to its end.
    cancel_at: next.cancel_at_period_end ? period.end : next.cancel_at,
    items: {
      ...next.items,
      data: [{ ...changed, price, current_period_start: period.start, current_period_end: period.end }],
    },
  }
  const isInvoiced = (change.prorationBehavior === 'always_invoice' || isNewPeriod) && lines.length > 0
  if (!isInvoiced) return save(machine, applied)
  const invoice = makeInvoice(machine, next, lines, 'subscription_update')
  const tried = tryToPay(machine, invoice.id, false)
  if (tried.status === 'paid' || change.paymentBehavior === 'allow_incomplete')
    return save(machine, {
      ...applied,
      latest_invoice: invoice.id,
      status: tried.status === 'paid' ? applied.status : 'past_due',
    })
  if (change.paymentBehavior === 'error_if_incomplete') {
    voidInvoice(machine, invoice.id)
    throw new PaymentsProblem(402, 'Your card was declined.', { type: 'card_error', code: 'card_declined' })
  }
  return save(machine, {
    ...next,
    latest_invoice: invoice.id,
    pending_update: { expires_at: now() + PENDING_SECONDS, subscription_items: [{ id: changed.id, price }] },
    _pending: { at, anchor: isNewPeriod ? anchor : null },
  })
}

/** Reverts a pending change. */
export function dropPending(machine: Machine, id: string): void {
  const { _pending: _, ...subscription } = machine.store.get('subscription', id)
  const dropped = save(machine, { ...subscription, pending_update: null })
  machine.emit('customer.subscription.pending_update_expired', dropped)
}

/** Ends a subscription immediately. */
export function endNow({ store, now, emit }: Machine, id: string): Subscription {
  const subscription = store.get('subscription', id)
  if (subscription.status === 'canceled') throw PaymentsProblem.missing('subscription', id)
  const { _pending: _, ...rest } = subscription
  const ended = store.put<Subscription>({
    ...rest,
    status: subscription.status === 'incomplete' ? 'incomplete_expired' : 'canceled',
    pending_update: null,
    canceled_at: subscription.canceled_at ?? now(),
    ended_at: now(),
  })
  emit('customer.subscription.deleted', ended)
  return ended
}

/** When the subscription next changes without a request, or Infinity. Unix seconds. */
export function dueAt({ store }: Machine, subscription: Subscription): number {
  const { status, items, cancel_at, pending_update, trial_end, created, latest_invoice } = subscription
  if (status === 'canceled' || status === 'incomplete_expired') return Number.POSITIVE_INFINITY
  if (status === 'incomplete') return created + PENDING_SECONDS
  const invoice = latest_invoice ? store.find('invoice', latest_invoice) : undefined
  return Math.min(
    items.data[0]?.current_period_end ?? Number.POSITIVE_INFINITY,
    cancel_at ?? Number.POSITIVE_INFINITY,
    pending_update?.expires_at ?? Number.POSITIVE_INFINITY,
    (invoice?.status === 'open' && invoice.next_payment_attempt) || Number.POSITIVE_INFINITY,
    status === 'trialing' && trial_end && !subscription._trialTold
      ? Math.max(created, trial_end - TRIAL_NOTICE_SECONDS)
      : Number.POSITIVE_INFINITY,
  )
}

/** Processes the next due event of a subscription, with the clock at its time. */
export function processDueEvent(machine: Machine, id: string): void {
  const { store, now, emit } = machine
  const subscription = store.get('subscription', id)
  const [item] = subscription.items.data
  if (!item) return
  if (subscription.status === 'incomplete') {
    endNow(machine, id)
    return
  }
  if (subscription.pending_update && subscription.pending_update.expires_at <= now()) {
    if (subscription.latest_invoice) voidInvoice(machine, subscription.latest_invoice)
    dropPending(machine, id)
    return
  }
  if (subscription.status === 'trialing' && !subscription._trialTold && (subscription.trial_end ?? 0) > now()) {
    const notified = store.put<Subscription>({ ...subscription, _trialTold: true })
    emit('customer.subscription.trial_will_end', notified)
    return
  }
  if (subscription.cancel_at !== null && subscription.cancel_at <= now()) {
    endNow(machine, id)
    return
  }
  const invoice = subscription.latest_invoice ? store.find('invoice', subscription.latest_invoice) : undefined
  if (invoice?.status === 'open' && invoice.next_payment_attempt !== null && invoice.next_payment_attempt <= now()) {
    settle(machine, tryToPay(machine, invoice.id, false))
    return
  }
  if (item.current_period_end > now() || !item.price.recurring) return
  const start = item.current_period_end
  const end = nextEnd(subscription.billing_cycle_anchor, start, item.price.recurring)
  const renewed: Subscription = {
    ...subscription,
    status: subscription.status === 'trialing' ? 'active' : subscription.status,
    items: { ...subscription.items, data: [{ ...item, current_period_start: start, current_period_end: end }] },
  }
  const line = {
    amount: item.price.unit_amount,
    description: `1 × ${nameOf(machine, item.price)}`,
    period: { start, end },
    proration: false,
  }
  const next = makeInvoice(machine, renewed, [line], 'subscription_cycle')
  save(machine, { ...renewed, latest_invoice: next.id })
  settle(machine, tryToPay(machine, next.id, false))
}
