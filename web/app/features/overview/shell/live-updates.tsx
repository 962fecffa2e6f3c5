import { useQueryClient } from '@tanstack/react-query'
import type { ChangeEvent } from '@x-automated/contract/platform/events'
import { useEffect } from 'react'
import { client } from '../../../api'
import { followEvents } from '../../../live-events'
import { refetchOnEvents } from '../../../live-queries'

/** Keeps the queries on screen up to date with the workspace's events. */
export function LiveUpdates() {
  const queries = useQueryClient()
  useEffect(() => {
    const { stop, onChange, onReset } = refetchOnEvents(queries)
    const leave = followEvents({
      onReset,
      onChange,
      onRead(event) {
        showReplies(event).catch(() => {})
      },
    })
    return () => {
      leave()
      stop()
    }
  }, [queries])
  return null
}

/** Shows new replies through the Notification API, if the user has enabled that. */
async function showReplies({ kind, ids }: ChangeEvent): Promise<void> {
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
