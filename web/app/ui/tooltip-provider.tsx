import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactNode } from 'react'

/** How long one rests on something until more is said of it. */
export const OPEN_AFTER_MS = 400

/** Lets tooltips that follow one another open without a wait. Stands once, around signed-in pages; apart from the tooltips, which most pages do without. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Base.Provider delay={OPEN_AFTER_MS}>{children}</Base.Provider>
}
