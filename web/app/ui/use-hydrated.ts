import { useSyncExternalStore } from 'react'

const never = () => () => {}

/**
 * False while the page still has to be exactly what was prerendered, true from then on.
 * What is only known in the browser (the address's query, storage, the clock) waits for it.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
