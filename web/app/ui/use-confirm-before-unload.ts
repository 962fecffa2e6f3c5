import { useEffect, useEffectEvent } from 'react'

/** Asks before closing the tab while work is running. @param isStillUnderWay asked on closing */
export function useConfirmBeforeUnload(isUnderWay: boolean, isStillUnderWay: () => boolean = () => true): void {
  const ask = useEffectEvent((event: BeforeUnloadEvent) => {
    if (isStillUnderWay()) event.preventDefault()
  })
  useEffect(() => {
    if (!isUnderWay) return
    const listener = (event: BeforeUnloadEvent) => ask(event)
    addEventListener('beforeunload', listener)
    return () => removeEventListener('beforeunload', listener)
  }, [isUnderWay])
}
