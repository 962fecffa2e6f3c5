import { useEffect, useState } from 'react'

/** Whole seconds until a time, counting down to 0. @param until in milliseconds since 1970 */
export function useSecondsUntil(until: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.ceil((until - now) / 1_000))
}
