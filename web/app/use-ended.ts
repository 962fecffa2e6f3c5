import { useEffect, useEffectEvent, useRef } from 'react'

/**
 * Calls `onEnded` if something ends while it is shown, not if it had ended before.
 * @returns call with an id: it ends after this, even if it is never seen in progress
 */
export function useEnded<T extends { id: string }>(
  shown: T | undefined,
  inProgress: boolean,
  onEnded: (ended: T) => void,
): (id: string) => void {
  const watched = useRef<string>(null)
  const end = useEffectEvent(onEnded)
  useEffect(() => {
    if (inProgress) watched.current = shown?.id ?? null
    else if (shown) {
      if (watched.current === shown.id) end(shown)
      watched.current = null
    }
  }, [shown, inProgress])
  return (id) => {
    watched.current = id
  }
}
