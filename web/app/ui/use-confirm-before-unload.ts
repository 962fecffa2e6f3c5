import { useEffect, useEffectEvent } from 'react'

/**
 * While something is under way that ends with this tab, the browser asks before it closes or reloads it.
 * @param holds asked at that moment: does it still matter?
 */
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
