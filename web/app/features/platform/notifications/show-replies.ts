import type { ChangeEvent } from '@x-automated/contract/platform/events'
import { client } from '../../../api'

/** Shows new replies through the Notification API, if the user wants that. */
export async function showReplies({ kind, ids }: ChangeEvent): Promise<void> {
  if (kind !== 'notification' || ids.length === 0 || window.Notification?.permission !== 'granted') return
  const { notifications } = await client.notifications.list({ browser: true })
  for (const { id, title, text, path, readAt } of notifications) {
    if (readAt || !ids.includes(id)) continue
    const notification = new Notification(title, { body: text, tag: id })
    notification.onclick = () => {
      window.focus()
      location.assign(path)
    }
  }
}
