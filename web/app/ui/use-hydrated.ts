import { startTransition, useEffect, useState } from 'react'

/** Dispatched on the document once the app has hydrated. */
export const HYDRATED = 'hydrated'

let isAppHydrated = false

/** False until hydrated. Content that depends on the URL's query, storage or time must wait for hydration. */
export function useHydrated(): boolean {
  const [isHydrated, setHydrated] = useState(isAppHydrated)
  useEffect(() => {
    isAppHydrated = true
    // A transition keeps the page responsive, and applies all dependent changes together.
    startTransition(() => setHydrated(true))
  }, [])
  return isHydrated
}
