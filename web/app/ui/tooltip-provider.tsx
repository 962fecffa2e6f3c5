import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactNode } from 'react'

/** Hover delay in milliseconds. */
export const OPEN_AFTER_MS = 400

/**
 * Lets consecutive tooltips open without delay. Separate from Tooltip, which many pages don't load.
 */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Base.Provider delay={OPEN_AFTER_MS}>{children}</Base.Provider>
}
