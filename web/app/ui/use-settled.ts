import { useEffect, useState } from 'react'

/** Whoever types is not asked about at every letter. */
const SETTLES_AFTER_MS = 500

/** A value as it was when it had not changed for half a second, or so long. */
export function useSettled<T>(value: T, afterMs = SETTLES_AFTER_MS): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return settled
}
