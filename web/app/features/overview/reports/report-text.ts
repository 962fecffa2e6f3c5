import { formatDate } from '@x-automated/contract/format'

/** The first and the last day of a report. */
export function periodText({ from, to }: { from: string; to: string }): string {
  const day = (value: string) => formatDate(value, { dateStyle: 'long', timeZone: 'UTC' })
  return from === to ? day(from) : `${day(from)} to ${day(to)}`
}
