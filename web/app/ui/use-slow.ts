import { useEffect, useState } from 'react'

/** Has something been going on for so long without an end? No again as soon as it ends. */
export function useSlow(isGoingOn: boolean, afterMs: number): boolean {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    if (!isGoingOn) return
    const timer = setTimeout(() => setSlow(true), afterMs)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [isGoingOn, afterMs])
  return isSlow
}
