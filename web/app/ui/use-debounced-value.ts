import { useEffect, useState } from 'react'

/**
 * The value once it hasn't changed for `delayMs` milliseconds, so that typing doesn't send a
 * request per letter.
 */
export function useDebouncedValue<T>(value: T, delayMs = 500): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return debounced
}
