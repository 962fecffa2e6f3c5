import { useEffect, useState } from 'react'

/** True once `isActive` has been true for `afterMs` milliseconds. False again when `isActive` is false. */
export function useSlow(isActive: boolean, afterMs: number): boolean {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    if (!isActive) return
    const timer = setTimeout(() => setSlow(true), afterMs)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [isActive, afterMs])
  return isSlow
}
