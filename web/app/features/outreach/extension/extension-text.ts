import { formatDate } from '@x-automated/contract/format'
import type { ExtensionHere } from '../real-send/extension-link'

/** What the extension in this browser is doing, in one sentence. */
export function activityText({ activity, paused, pageChanged, pairedWith, sendsInBackground }: ExtensionHere): string {
  if (paused) return 'Paused in its popup.'
  if (pageChanged !== null) return 'Not sending.'
  if (activity === null) return "Installed. This page can't tell what it's doing."
  switch (activity.doing) {
    case 'sending':
      return `Sending to @${activity.handle}…`
    case 'waiting':
      return `Waiting until ${formatDate(activity.until, { hour: 'numeric', minute: '2-digit' })} to send the next one.`
    case 'stopped':
      return `Sending has stopped: ${activity.error}`
    case 'nothing':
      if (!pairedWith) return 'Ready. Start sending on the Campaigns page.'
      return sendsInBackground
        ? 'Ready. Queued messages are sent even when no page is open.'
        : 'Ready. Messages are sent while the Campaigns page is open.'
  }
}

/** Shown if the page and the extension have different versions. Either one may be older. */
export function otherVersionText({ version }: Pick<ExtensionHere, 'version'>): string {
  const which = version === null ? 'the version' : `version ${version}`
  return `This page doesn't fully support ${which} of the extension in this browser. Reload the page. If this message stays, update the extension.`
}
