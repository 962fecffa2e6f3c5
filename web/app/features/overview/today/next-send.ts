import { formatDate } from '@x-automated/contract/format'

/** When the next message is sent, for short cells: '0:41', '14:05', 'Mon 09:00', 'Dec 8' or 'Now'. */
export function nextSendText(at: Date, seconds: number): string {
  if (seconds <= 0) return 'Now'
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  const time = formatDate(at.toISOString(), { hour: '2-digit', minute: '2-digit' })
  if (seconds < 24 * 3_600) return time
  if (seconds >= 6 * 24 * 3_600) return formatDate(at.toISOString(), { month: 'short', day: 'numeric' })
  return `${formatDate(at.toISOString(), { weekday: 'short' })} ${time}`
}

/** 'Due at 2:05 PM' today, or 'Due on Nov 30'. @param seconds until then */
export function dueText(at: Date, seconds: number): string {
  if (seconds < 24 * 3_600) return `Due at ${formatDate(at.toISOString(), { timeStyle: 'short' })}`
  return `Due on ${formatDate(at.toISOString(), { month: 'short', day: 'numeric' })}`
}
