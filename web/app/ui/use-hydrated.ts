import { startTransition, useEffect, useState } from 'react'

/** Has the app taken over the page that was prerendered? */
let isTakenOver = false

/**
 * False while the page still has to be exactly what was prerendered, true from then on.
 * What is only known in the browser (the address's query, storage, the clock) waits for it.
 */
export function useHydrated(): boolean {
  const [isHydrated, setHydrated] = useState(isTakenOver)
  useEffect(() => {
    isTakenOver = true
    // Drawn in pieces, between which the page answers, and shown as one: all that waits for it changes together.
    startTransition(() => setHydrated(true))
  }, [])
  return isHydrated
}
