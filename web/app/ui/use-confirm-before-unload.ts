import { useEffect } from 'react'

/** Asks before closing the tab while work is running. */
export function useConfirmBeforeUnload(isUnderWay: boolean): void {
  useEffect(() => {
    if (!isUnderWay) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isUnderWay])
}
