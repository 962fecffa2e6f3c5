import { useEffect } from 'react'

/** While something is under way that ends with this tab, the browser asks before it closes or reloads it. */
export function useAskBeforeClosing(isUnderWay: boolean): void {
  useEffect(() => {
    if (!isUnderWay) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isUnderWay])
}
