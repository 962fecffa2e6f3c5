import type { ChangeEvent } from '@x-automated/contract/platform/events'
import { client } from '../../../api'

/**
 * Shows new replies through the Notification API, if the user wants that. All tabs may call it:
 * notifications with the same tag are shown once.
 */
export async function showReplies({ kind, ids }: ChangeEvent): Promise<void> {
  if (kind !== 'notification' || ids.length === 0 || window.Notification?.permission !== 'granted') return
  const { preferences } = await client.notifications.listPreferences()
  if (!preferences.some((one) => one.kind === 'lead_replied' && one.browser)) return
  const { notifications } = await client.notifications.list({})
  for (const { id, kind, title, text, path, readAt } of notifications) {
    if (kind !== 'lead_replied' || readAt || !ids.includes(id)) continue
    const shown = new Notification(title, { body: text, tag: id })
    shown.onclick = () => {
      window.focus()
      location.assign(path)
    }
  }
}
