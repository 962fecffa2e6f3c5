import { useEffect } from 'react'

/** Asks before the user closes the tab while something is in progress. */
export function useConfirmBeforeUnload(isUnderWay: boolean): void {
  useEffect(() => {
    if (!isUnderWay) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isUnderWay])
}
