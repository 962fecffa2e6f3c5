import { useEffect, useRef } from 'react'

/** Calls back when the browser's Back shows this very page again as it was left: what was on its way elsewhere is not any more. */
export function usePageRestored(onBack: () => void): void {
  const latest = useRef(onBack)
  useEffect(() => {
    latest.current = onBack
  })
  useEffect(() => {
    const shown = (event: PageTransitionEvent) => {
      if (event.persisted) latest.current()
    }
    addEventListener('pageshow', shown)
    return () => removeEventListener('pageshow', shown)
  }, [])
}
