import type { ReactNode } from 'react'
import { useHydrated } from '../../../ui/use-hydrated'

/**
 * Content for referred visitors. CSS shows it before hydration, because the server marks pages with
 * a valid code.
 */
export function ForReferred({ code, children }: { code: string | null; children: ReactNode }) {
  const isHydrated = useHydrated()
  const isKnown = isHydrated && code !== null && document.documentElement.dataset.referrer === code
  if (isHydrated && !isKnown) return null
  return <div data-referred-only={isKnown ? undefined : ''}>{children}</div>
}
