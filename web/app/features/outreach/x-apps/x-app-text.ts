import { formatCount, formatList, formatNumber } from '@x-automated/contract/format'
import type { SendingSettings } from '@x-automated/contract/outreach/sending-settings'

/** "All accounts of this app sent 312 of 1,440 messages in 24 hours." */
export function appUseText({
  sentInDay,
  dailyLimit,
}: Pick<SendingSettings['xApp'], 'sentInDay' | 'dailyLimit'>): string {
  if (dailyLimit === null) return `All accounts of this app sent ${formatCount(sentInDay, 'message')} in 24 hours.`
  return `All accounts of this app sent ${formatNumber(sentInDay)} of ${formatCount(dailyLimit, 'message')} in 24 hours.`
}

/** What changing the app does to the connected accounts: "@ann and @bob will be disconnected. …" */
export function disconnectText(handles: readonly string[]): string {
  const names = formatList(handles.map((handle) => `@${handle}`))
  return `${names} will be disconnected, because X ties each connection to the app that made it. Their campaigns keep their queue and wait until you connect again.`
}
