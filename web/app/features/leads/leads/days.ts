import { isMoment } from '@x-automated/contract/fields'
import { formatDate } from '@x-automated/contract/format'

/** The start of a day (`2026-01-31`) in the user's time zone. Null if the API does not accept that time. */
export function startOfDay(day: string): string | null {
  const at = new Date(`${day}T00:00`)
  if (Number.isNaN(at.getTime())) return null
  const moment = at.toISOString()
  return isMoment(moment) ? moment : null
}

/** The day of a time in the user's time zone, as date fields need it. */
export function dayOf(moment: string): string {
  const at = new Date(moment)
  const part = (number: number, length = 2) => String(number).padStart(length, '0')
  return `${part(at.getFullYear(), 4)}-${part(at.getMonth() + 1)}-${part(at.getDate())}`
}

/** 'Jan 31, 2026' */
export function dayText(moment: string): string {
  return formatDate(moment, { year: 'numeric', month: 'short', day: 'numeric' })
}
