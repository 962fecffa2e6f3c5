import type { InvoiceLine, Price, Subscription, SubscriptionItem } from './objects.ts'

type Interval = NonNullable<Price['recurring']>

/**
 * Adds intervals, keeping the day of the month or using the last day of a shorter one. Unix
 * seconds.
 */
export function after(from: number, { interval, interval_count }: Interval, times = 1): number {
  const date = new Date(from * 1_000)
  const count = interval_count * times
  if (interval === 'day' || interval === 'week') return from + count * (interval === 'week' ? 7 : 1) * 86_400
  const months = interval === 'year' ? 12 * count : count
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return Math.floor(date.getTime() / 1_000)
}

/** The end of the period from `start`. Uses the anchor so that short months do not shift it. */
export function nextEnd(anchor: number, start: number, interval: Interval): number {
  let times = 1
  while (after(anchor, interval, times) <= start) times += 1
  return after(anchor, interval, times)
}

export type NewLine = Pick<InvoiceLine, 'amount' | 'description' | 'period'> & { proration: boolean }

/**
 * The proration lines and the period after a price change. A new interval starts a new period; a
 * trial costs nothing.
 */
export function changeLines(
  subscription: Subscription,
  item: SubscriptionItem,
  to: { price: Price; name: string; oldName: string },
  at: number,
): { lines: NewLine[]; period: { start: number; end: number }; anchor: number } {
  const { current_period_start: start, current_period_end: end } = item
  const old = item.price.recurring
  const next = to.price.recurring
  const unchanged = { period: { start, end }, anchor: subscription.billing_cycle_anchor }
  if (!old || !next || subscription.status === 'trialing') return { lines: [], ...unchanged }
  const left = Math.min(1, Math.max(0, (end - at) / (end - start)))
  const day = new Date(at * 1_000).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  })
  const unused: NewLine = {
    amount: -Math.round(item.price.unit_amount * left),
    description: `Unused time on ${to.oldName} after ${day}`,
    period: { start: at, end },
    proration: true,
  }
  const isSameCycle = old.interval === next.interval && old.interval_count === next.interval_count
  if (isSameCycle) {
    const rest: NewLine = {
      amount: Math.round(to.price.unit_amount * left),
      description: `Remaining time on ${to.name} after ${day}`,
      period: { start: at, end },
      proration: true,
    }
    return { lines: [unused, rest], ...unchanged }
  }
  const period = { start: at, end: after(at, next) }
  const whole: NewLine = { amount: to.price.unit_amount, description: `1 × ${to.name}`, period, proration: false }
  return { lines: [unused, whole], period, anchor: at }
}
