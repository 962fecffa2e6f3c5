import type { Charge, Period, Price, Subscription } from './objects.ts'

/** Adds intervals to a time in Unix seconds. Keeps the day of the month, or uses the last day of a shorter month. */
export function after(from: number, { interval }: Price['recurring'], times = 1): number {
  const date = new Date(from * 1_000)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + (interval === 'year' ? 12 : 1) * times)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return Math.floor(date.getTime() / 1_000)
}

/**
 * Returns the end of the period that starts at `start`. Counting from the anchor keeps the day of
 * the month after short months.
 */
export function nextEnd(anchor: number, start: number, recurring: Price['recurring']): number {
  let times = 1
  while (after(anchor, recurring, times) <= start) times += 1
  return after(anchor, recurring, times)
}

/** Returns lines that prorate a price change, and the new period if the interval changes. Trials cost nothing. */
export function changeLines(
  subscription: Subscription,
  to: { price: Price; name: string; oldName: string },
  at: number,
): { lines: Charge[]; period: Period | null } {
  if (subscription.status === 'trialing') return { lines: [], period: null }
  const [{ current_period_start: start, current_period_end: end, price: old }] = subscription.items.data
  const left = Math.min(1, Math.max(0, (end - at) / (end - start)))
  const day = new Date(at * 1_000).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
  const rest = { start: at, end }
  const unused = {
    amount: -Math.round(old.unit_amount * left),
    description: `Unused time on ${to.oldName} after ${day}`,
    period: rest,
    price: old,
    proration: true,
  }
  if (old.recurring.interval === to.price.recurring.interval) {
    const amount = Math.round(to.price.unit_amount * left)
    const description = `Remaining time on ${to.name} after ${day}`
    const remaining = { amount, description, period: rest, price: to.price, proration: true }
    return { lines: [unused, remaining], period: null }
  }
  const period = { start: at, end: after(at, to.price.recurring) }
  return { lines: [unused, periodCharge(to.price, to.name, period)], period }
}

/** Returns the charge for a whole period. */
export function periodCharge(price: Price, name: string, period: Period): Charge {
  return { amount: price.unit_amount, description: `1 × ${name}`, period, price, proration: false }
}
