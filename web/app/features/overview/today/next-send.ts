import { formatDate } from '@x-automated/contract/format'

const DAY_SECONDS = 24 * 3_600

/** When the next message will be sent, for narrow cells: '0:41', '2:05 PM', 'Dec 8' or 'Now'. */
export function nextSendText(at: Date, seconds: number): string {
  if (seconds <= 0) return 'Now'
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  if (seconds < DAY_SECONDS) return formatDate(at.toISOString(), { timeStyle: 'short' })
  return formatDate(at.toISOString(), { month: 'short', day: 'numeric' })
}

/** 'Due at 2:05 PM', 'Due tomorrow at 2:05 PM' within a day, or 'Due on Mon 2:05 PM'. @param seconds until then */
export function dueText(at: Date, seconds: number): string {
  const time = formatDate(at.toISOString(), { timeStyle: 'short' })
  if (seconds < DAY_SECONDS) return `Due ${isTomorrow(at, seconds) ? 'tomorrow ' : ''}at ${time}`
  return `Due on ${formatDate(at.toISOString(), { weekday: 'short' })} ${time}`
}

/** Whether a time within 24 hours is tomorrow. @param seconds until then */
export function isTomorrow(at: Date, seconds: number): boolean {
  return new Date(at.getTime() - seconds * 1_000).toDateString() !== at.toDateString()
}
