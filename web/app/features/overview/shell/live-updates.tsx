import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followEvents } from '../../../live-events'
import { refetchOnEvents } from '../../../live-queries'

/** Keeps the queries on screen up to date with the workspace's events. */
export function LiveUpdates() {
  const queries = useQueryClient()
  useEffect(() => {
    const { stop, ...handlers } = refetchOnEvents(queries)
    const leave = followEvents(handlers)
    return () => {
      leave()
      stop()
    }
  }, [queries])
  return null
}
