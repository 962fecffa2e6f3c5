import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement, ReactNode } from 'react'

/** Hover delay in milliseconds. */
const OPEN_AFTER_MS = 400

/** Extra text on hover or focus. Must not be the only source of information: touch screens cannot hover. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactElement }) {
  return (
    <Base.Root>
      <Base.Trigger delay={OPEN_AFTER_MS} render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} collisionPadding={8} className="z-60">
          <Base.Popup className="popup max-w-xs rounded-md border-transparent! bg-ink! px-2 py-1 text-xs text-inverse! wrap-anywhere">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
