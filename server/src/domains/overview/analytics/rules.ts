import { type ActivityDay, ANALYTICS_DAYS_MAX, daysBetween, WEEK_DAYS } from '@x-automated/contract/overview/analytics'
import { DAY_MS } from '@x-automated/contract/time'

/** The first and the last day. */
export interface Period {
  from: string
  to: string
}

/** A campaign's figures for one day. */
export type CampaignDay = {
  campaignId: string
  name: string
  day: string
  sent: number
  delivered: number
  /** Messages with a reply that was not automatic. */
  answered: number
  positive: number
  peopleMessaged: number
  peopleReplied: number
  peoplePositive: number
  optedOut: number
}

/** A percentage with one decimal, at most 100; null if `total` is 0. */
export function rateOf(part: number, total: number): number | null {
  return total > 0 ? Math.min(100, Math.round((part / total) * 1000) / 10) : null
}

/** The days to show. Without a start, the week up to the end. Without an end, up to today. */
export function daysShown({ from, to }: { from?: string; to?: string }, today: string): Period {
  if (from && to) return { from, to }
  if (to) return { from: dayAfter(to, 1 - WEEK_DAYS), to }
  if (!from) return { from: dayAfter(today, 1 - WEEK_DAYS), to: today }
  // A start in the future returns only that day. A start long ago returns as many days as a call may request.
  const last = today < from ? from : today
  return { from, to: daysBetween(from, last) < ANALYTICS_DAYS_MAX ? last : dayAfter(from, ANALYTICS_DAYS_MAX - 1) }
}

/** The date `days` later, or earlier if negative. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** All days of the range. @param empty the figures of a day without a row */
export function everyDay<Row extends { day: string }>(
  { from, to }: Period,
  rows: readonly Row[],
  empty: Omit<Row, 'day'>,
): (Omit<Row, 'day'> & { day: string })[] {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => {
    const day = dayAfter(from, index)
    return byDay.get(day) ?? { ...empty, day }
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
