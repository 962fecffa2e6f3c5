import { type ActivityDay, ANALYTICS_DAYS_MAX, daysBetween, WEEK_DAYS } from '@x-automated/contract/analytics'

const DAY_MS = 86_400_000

/** A share in percent with one decimal, 100 at most; null of nothing. */
export function rateOf(part: number, whole: number): number | null {
  return whole > 0 ? Math.min(100, Math.round((part / whole) * 1000) / 10) : null
}

/** The days that are shown: those asked for, and where an end is missing, the week up to the last of them. */
export function daysShown({ from, to }: { from?: string; to?: string }, today: string): { from: string; to: string } {
  if (from && to) return { from, to }
  if (to) return { from: dayAfter(to, 1 - WEEK_DAYS), to }
  if (!from) return { from: dayAfter(today, 1 - WEEK_DAYS), to: today }
  // A day to come has nothing behind it yet; one long past shows as much as one call may ask for.
  const last = today < from ? from : today
  return { from, to: daysBetween(from, last) < ANALYTICS_DAYS_MAX ? last : dayAfter(from, ANALYTICS_DAYS_MAX - 1) }
}

/** The day so many days later; earlier where negative. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Every day from one to the other, with zeros where nothing was sent. */
export function everyDay({ from, to }: { from: string; to: string }, known: readonly ActivityDay[]): ActivityDay[] {
  const byDay = new Map(known.map((row) => [row.day, row]))
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => {
    const day = dayAfter(from, index)
    return byDay.get(day) ?? { day, sent: 0, delivered: 0, replied: 0 }
  })
}

export function totalOf(days: readonly ActivityDay[]): Omit<ActivityDay, 'day'> {
  const total = { sent: 0, delivered: 0, replied: 0 }
  for (const { sent, delivered, replied } of days) {
    total.sent += sent
    total.delivered += delivered
    total.replied += replied
  }
  return total
}
