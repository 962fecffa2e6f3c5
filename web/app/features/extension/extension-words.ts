import type { ExtensionStatus } from '@x-automated/contract/extension'

/** What the extension of this browser is about, in one sentence. */
export function activityWords({ activity, paused, pageChanged, pairedWith, sendsAlone }: ExtensionStatus): string {
  if (paused) return 'Paused in its popup.'
  if (pageChanged !== null) return 'Not sending.'
  switch (activity.doing) {
    case 'sending':
      return `Sending to @${activity.handle}…`
    case 'waiting':
      return `Waiting until ${new Date(activity.until).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })} to send the next one.`
    case 'stopped':
      return `Sending has stopped: ${activity.error}`
    case 'nothing':
      if (!pairedWith) return 'Ready for the messages that you start on the campaigns page.'
      return sendsAlone
        ? 'Ready. It sends what you queue, with or without a page.'
        : 'Ready. It sends while the campaigns page is open.'
  }
}
