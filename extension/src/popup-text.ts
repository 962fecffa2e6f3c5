import { formatCount, formatDate, formatNumber, formatRelative } from '@x-automated/contract/format'
import type { ExtensionActivity } from '@x-automated/contract/outreach/extension'
import type { State } from './state.ts'

type PopupState = Pick<State, 'paused' | 'pairing' | 'sendsInBackground' | 'remote'> & {
  changed: boolean
  activity: ExtensionActivity
}

/** Describes the extension's state in one sentence. @param now in milliseconds since 1970 */
export function stateText(
  { paused, pairing, sendsInBackground, remote, changed, activity }: PopupState,
  now: number,
): string {
  if (paused) return 'Paused. Turn sending on to continue.'
  if (changed || activity.doing === 'stopped') return 'Not sending.'
  if (activity.doing === 'sending') return `Sending to @${activity.handle}…`
  if (activity.doing === 'waiting' && activity.until > now)
    return `Waiting until ${clock(activity.until)} to send the next one.`
  if (!pairing) return 'Ready. Start sending on the Campaigns page.'
  if (!sendsInBackground) return 'Ready. Messages are sent while the Campaigns page is open.'
  return remote && remote.queued > 0
    ? `${formatNumber(remote.queued)} queued in ${formatCount(remote.campaigns, 'campaign')}.`
    : 'Ready. Nothing is queued.'
}

/** Describes the result of the last message. */
export function resultText({ handle, error, at }: NonNullable<State['lastResult']>, now: number): string {
  const when = ago(at, now)
  return error === null ? `Sent to @${handle}, ${when}` : `Not sent to @${handle}, ${when}. ${error}`
}

/** Describes how much of the daily cap is used. */
export function usageText(remote: State['remote']): string {
  return remote
    ? `${formatNumber(remote.sentToday)} of ${formatNumber(remote.dailyCap)} messages`
    : 'Pair the extension to see this'
}

function clock(at: number): string {
  return formatDate(at, { hour: '2-digit', minute: '2-digit' })
}

const UNITS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const

/** Formats a past time as 'just now' or '5 minutes ago'. Both times are in milliseconds since 1970. */
export function ago(then: number, now: number): string {
  const passed = now - then
  const fitting = UNITS.find(({ ms }) => passed >= ms)
  if (!fitting) return 'just now'
  return formatRelative(-Math.floor(passed / fitting.ms), fitting.unit)
}
