import type { ReactNode } from 'react'
import { useHydrated } from '../../ui/use-hydrated'

/**
 * What is said to whoever comes by a friend's link. It stands in the prerendered page, and style shows it from the first moment
 * where the address has a code (wake-script.ts), so that nothing moves when the app takes over.
 * @param code as useReferralCode() says it
 */
export function ForReferred({ code, children }: { code: string | null; children: ReactNode }) {
  if (useHydrated() && !code) return null
  return <div data-referred-only={code ? undefined : ''}>{children}</div>
}
