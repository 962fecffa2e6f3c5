import { formatDate } from '@x-automated/contract/format'

const DAY_SECONDS = 24 * 3_600

/** When the next message is sent, for short cells: '0:41', '14:05', 'Dec 8' or 'Now'. */
export function nextSendText(at: Date, seconds: number): string {
  if (seconds <= 0) return 'Now'
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  if (seconds < DAY_SECONDS) return formatDate(at.toISOString(), { hour: '2-digit', minute: '2-digit' })
  return formatDate(at.toISOString(), { month: 'short', day: 'numeric' })
}

/** 'Due at 2:05 PM' within a day, or 'Due on Mon 2:05 PM'. @param seconds until then */
export function dueText(at: Date, seconds: number): string {
  const time = formatDate(at.toISOString(), { timeStyle: 'short' })
  if (seconds < DAY_SECONDS) return `Due at ${time}`
  return `Due on ${formatDate(at.toISOString(), { weekday: 'short' })} ${time}`
}
