import { useEffect, useEffectEvent, useRef } from 'react'

/**
 * Calls `onEnded` when something ends while it is displayed, but not if it had already ended.
 * @returns a function that takes an item's id: `onEnded` is then called for this item even if it
 * was never seen in progress
 */
export function useEnded<T extends { id: string }>(
  item: T | undefined,
  inProgress: boolean,
  onEnded: (ended: T) => void,
): (id: string) => void {
  const watched = useRef<string>(null)
  const end = useEffectEvent(onEnded)
  useEffect(() => {
    if (inProgress) watched.current = item?.id ?? null
    else if (item) {
      if (watched.current === item.id) end(item)
      watched.current = null
    }
  }, [item, inProgress])
  return (id) => {
    watched.current = id
  }
}
