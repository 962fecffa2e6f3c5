import { useEffect, useEffectEvent } from 'react'

/** Asks before closing the tab while work is running in it. @param holds called then; false closes without asking */
export function useConfirmBeforeUnload(isUnderWay: boolean, holds: () => boolean = () => true): void {
  const ask = useEffectEvent((event: BeforeUnloadEvent) => {
    if (holds()) event.preventDefault()
  })
  useEffect(() => {
    if (!isUnderWay) return
    const listener = (event: BeforeUnloadEvent) => ask(event)
    addEventListener('beforeunload', listener)
    return () => removeEventListener('beforeunload', listener)
  }, [isUnderWay])
}
