import { formatDate } from '@x-automated/contract/format'

/** The first and the last day of a report. */
export function periodText({ from, to }: { from: string; to: string }): string {
  const day = (value: string) => formatDate(value, { dateStyle: 'long', timeZone: 'UTC' })
  return from === to ? day(from) : `${day(from)} to ${day(to)}`
}

/** The month of a day and the months before it, newest first: '2026-11', '2026-10'. */
export function monthsUntil(day: string, count: number): string[] {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return Array.from({ length: count }, (_, ago) => new Date(Date.UTC(year, month - 1 - ago)).toISOString().slice(0, 7))
}
