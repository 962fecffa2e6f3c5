import { formatDate, formatDay, formatNumber } from '../format.ts'
import { DAY_MS } from '../time.ts'

/** The dates of a rehearsal. */
export interface RehearsedDates {
  /** Days on which messages are sent, such as '2026-11-20'. */
  perDay: readonly { date: string; count: number; followUps: number }[]
  /** Null if sending never ends at these limits. */
  lastSendAt: Date | null
}

/**
 * Returns a rehearsal in one line: "About 14 a day, follow-ups from Tuesday, done on Dec 4". Null if
 * nothing is sent.
 * @param timeZone the time zone of the X account
 */
export function rehearsalText({ perDay, lastSendAt }: RehearsedDates, timeZone: string, now: Date): string | null {
  if (perDay.length === 0) return null
  const today = formatDay(now, timeZone)
  const counts = perDay.map(({ count }) => count).sort((a, b) => a - b)
  const typical = counts[Math.floor(counts.length / 2)] ?? 0
  const followUps = perDay.length > 1 ? perDay.find((day) => day.followUps > 0) : undefined
  return [
    perDay.length === 1 ? `All ${formatNumber(typical)} in one day` : `About ${formatNumber(typical)} a day`,
    followUps && `follow-ups from ${dayText(followUps.date, today, 'weekday')}`,
    lastSendAt ? `done ${doneText(formatDay(lastSendAt, timeZone), today)}` : 'never done at these limits',
  ]
    .filter((part) => part !== undefined)
    .join(', ')
}

function doneText(date: string, today: string): string {
  const day = dayText(date, today, 'date')
  return day === 'today' || day === 'tomorrow' ? day : `on ${day}`
}

/** Formats a day as "today", "tomorrow", "Tuesday" within a week, "Dec 4", or "Dec 4, 2027" in another year. */
function dayText(date: string, today: string, near: 'weekday' | 'date'): string {
  const daysAhead = Math.round((Date.parse(date) - Date.parse(today)) / DAY_MS)
  if (daysAhead <= 0) return 'today'
  if (daysAhead === 1) return 'tomorrow'
  const options = { timeZone: 'UTC' } as const
  if (near === 'weekday' && daysAhead < 7) return formatDate(date, { ...options, weekday: 'long' })
  const isThisYear = date.slice(0, 4) === today.slice(0, 4)
  return formatDate(date, { ...options, month: 'short', day: 'numeric', year: isThisYear ? undefined : 'numeric' })
}
