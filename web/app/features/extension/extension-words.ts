import type { ExtensionHere } from '../real-send/extension-link'

/** What the extension of this browser is about, in one sentence. */
export function activityWords({ activity, paused, pageChanged, pairedWith, sendsInBackground }: ExtensionHere): string {
  if (paused) return 'Paused in its popup.'
  if (pageChanged !== null) return 'Not sending.'
  if (activity === null) return 'Installed. This page cannot tell what it is doing.'
  switch (activity.doing) {
    case 'sending':
      return `Sending to @${activity.handle}…`
    case 'waiting':
      return `Waiting until ${new Date(activity.until).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })} to send the next one.`
    case 'stopped':
      return `Sending has stopped: ${activity.error}`
    case 'nothing':
      if (!pairedWith) return 'Ready for the messages that you start on the campaigns page.'
      return sendsInBackground
        ? 'Ready. It sends what you queue, with or without a page.'
        : 'Ready. It sends while the campaigns page is open.'
  }
}

/** What is said if page and extension are of different versions: either may be the older one. */
export function otherVersionWords({ version }: Pick<ExtensionHere, 'version'>): string {
  const which = version === null ? 'the version' : `version ${version}`
  return `This page does not fully understand ${which} of the extension in this browser. Reload the page. If this message stays, update the extension.`
}
