import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement, ReactNode, RefObject } from 'react'

interface PopoverProps {
  /** The button that opens it: a Button or IconButton. */
  trigger: ReactElement
  /** For screen readers. */
  label: string
  open: boolean
  onOpenChange: (open: boolean) => void
  /** The element to focus after closing. Defaults to the button. */
  finalFocus?: RefObject<HTMLElement | null>
  children: ReactNode
}

/** A small panel with fields, next to its button. Focuses its first control. Escape closes it. */
export function Popover({ trigger, label, open, onOpenChange, finalFocus, children }: PopoverProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="end" collisionPadding={8} className="z-50">
          <Base.Popup
            aria-label={label}
            finalFocus={finalFocus}
            className="popup w-74 max-w-[calc(100vw-var(--spacing)*4)] rounded-lg p-1"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
