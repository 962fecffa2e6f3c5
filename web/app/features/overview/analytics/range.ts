import { DAY_MS } from '@x-automated/contract/time'
export const RANGES = [
  { value: 'all', label: 'All time' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '365', label: 'Last 12 months' },
  { value: 'custom', label: 'Custom range' },
] as const
export type RangeValue = (typeof RANGES)[number]['value']

/** The days to request, or {} for all time. */
export interface Days {
  from?: string
  to?: string
}

/** The contract's ANALYTICS_DAYS_MAX. */
const DAYS_MAX = 366

/** The day `days` days earlier. */
export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10)
}

/** The days to request for a range, or {} for all time. */
export function daysOf(range: RangeValue, today: string, custom: { from: string; to: string }): Days {
  if (range === 'all') return {}
  if (range === 'custom') return custom
  return { from: daysBefore(today, Number(range) - 1), to: today }
}

/** What is wrong with a custom range, or null. */
export function daysProblem({ from, to }: { from: string; to: string }): string | null {
  if (!from || !to) return 'Choose the first and last day.'
  if (from > to) return 'The last day must not be before the first.'
  return (Date.parse(to) - Date.parse(from)) / DAY_MS >= DAYS_MAX ? `Choose at most ${DAYS_MAX} days.` : null
}
