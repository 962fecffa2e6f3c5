import type { ReactNode } from 'react'
import { useHydrated } from '../../ui/use-hydrated'

/**
 * What is said to visitors who came by a member's link. The server marks the page with the code if a member has it
 * (its edges/page-head.ts), so style shows this from the first moment, and nothing moves when the app takes over.
 * @param code as useReferralCode() says it
 */
export function ForReferred({ code, children }: { code: string | null; children: ReactNode }) {
  const isHydrated = useHydrated()
  const isKnown = isHydrated && code !== null && document.documentElement.dataset.referrer === code
  if (isHydrated && !isKnown) return null
  return <div data-referred-only={isKnown ? undefined : ''}>{children}</div>
}
