import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followEvents } from '../../../live-events'
import { refetchOnEvents } from '../../../live-queries'
import { showReplies } from '../../platform/notifications/show-replies'

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
