import type { ReactNode } from 'react'
import { useHydrated } from '../../../ui/use-hydrated'

/** Content for referred visitors. Before hydration, CSS shows it on pages that the server has marked. */
export function ForReferred({ code, children }: { code: string | null; children: ReactNode }) {
  const isHydrated = useHydrated()
  const isKnown = isHydrated && code !== null && document.documentElement.dataset.referrer === code
  if (isHydrated && !isKnown) return null
  return <div data-referred-only={isKnown ? undefined : ''}>{children}</div>
}
