import { REPORT_DAYS_SHOWN } from '@x-automated/contract/overview/report-limits'
import type { SharedReport, Totals } from '@x-automated/contract/overview/reports'
import { type CampaignDay, dayAfter, everyDay, type Period } from '../analytics/rules.ts'

type Day = Omit<CampaignDay, 'campaignId' | 'name'>

export function totalsOf(days: readonly Day[]): Totals {
  const sum = (name: Exclude<keyof Day, 'day'>) => days.reduce((total, day) => total + day[name], 0)
  return {
    peopleMessaged: sum('peopleMessaged'),
    messagesSent: sum('sent'),
    read: sum('delivered'),
    peopleReplied: sum('peopleReplied'),
    peoplePositive: sum('peoplePositive'),
    optedOut: sum('optedOut'),
  }
}

/** Every day of a period, at most the latest REPORT_DAYS_SHOWN, over all campaigns. */
export function daysOf({ from, to }: Period, rows: readonly Day[]): SharedReport['days'] {
  const earliest = dayAfter(to, 1 - REPORT_DAYS_SHOWN)
  const byDay = new Map<string, { sent: number; replied: number; positive: number }>()
  for (const { day, sent, answered, positive } of rows) {
    const before = byDay.get(day) ?? { sent: 0, replied: 0, positive: 0 }
    byDay.set(day, {
      sent: before.sent + sent,
      replied: before.replied + answered,
      positive: before.positive + positive,
    })
  }
  return everyDay({ from: from < earliest ? earliest : from, to }, [], {}).map(({ day }) => ({
    day,
    ...(byDay.get(day) ?? { sent: 0, replied: 0, positive: 0 }),
  }))
}

/** The first and the last day of a month, up to today. @param month '2026-11' */
export function daysOfMonth(month: string, today: string): Period {
  const from = `${month}-01`
  const [year = 0, number = 0] = month.split('-').map(Number)
  const last = new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
  // In the workspace's time zone, today may still be in the previous month.
  const to = today < last ? today : last
  return { from, to: to < from ? from : to }
}
