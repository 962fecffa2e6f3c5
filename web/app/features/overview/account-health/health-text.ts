import type { AccountHealth } from '@x-automated/contract/overview/account-health'
import { DAYS } from '../../outreach/sending-settings/limits-text'

/** Whether replies are detected, in a word and a sentence. */
export function detectionText(detection: AccountHealth['detection']): { state: string; hint: string } {
  switch (detection) {
    case 'live':
      return { state: 'Live', hint: 'X reports replies instantly' }
    case 'starting':
      return { state: 'Starting', hint: 'The account was just connected' }
    case 'degraded':
      return { state: 'Delayed', hint: 'We check for replies every 90 seconds' }
    case 'off':
      return { state: 'Off', hint: 'The account is not connected' }
  }
}

/** When the account sends: '9:00–18:00' and 'Mon–Fri, Europe/Berlin'. */
export function windowText({ hours, workDays, timeZone }: AccountHealth['window']): { hours: string; days: string } {
  return {
    hours: hours ? `${hours.start}–${hours.end}` : 'All day',
    days: `${daysText(workDays)}, ${timeZone.replaceAll('_', ' ')}`,
  }
}

/** 'Mon–Fri', 'Mon, Wed', 'Every day'. */
function daysText(workDays: readonly number[]): string {
  if (workDays.length === DAYS.length) return 'Every day'
  const names = workDays.map((day) => DAYS[day - 1])
  const isRun =
    workDays.length > 2 && workDays.every((day, index) => index === 0 || day === (workDays[index - 1] ?? 0) + 1)
  return isRun ? `${names[0]}–${names.at(-1)}` : names.join(', ')
}
