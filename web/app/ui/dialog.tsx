import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ComponentProps, type ReactNode, useRef } from 'react'
import { IconButton } from './button'
import { cn } from './cn'
import { PopupFoot, popupFrame, popupSheet } from './popup'
import { finalFocus } from './use-focus-fallback'

export interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  /** 'wide' is for tables. */
  size?: 'normal' | 'wide'
  /** Buttons, the primary one last. Always visible. */
  footer?: ReactNode
  children?: ReactNode
  /** Clicking outside does not close it. */
  staysOpen?: boolean
  /** The element to focus after closing, if the previously focused one is gone. */
  returnsTo?: () => HTMLElement | null | undefined
}

/** A modal. Focuses its first field. Escape or a click outside closes it. On narrow screens, a bottom sheet. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  size = 'normal',
  footer,
  children,
  staysOpen = false,
  returnsTo,
}: DialogProps) {
  const content = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={open} disablePointerDismissal={staysOpen} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Viewport className={popupFrame}>
          <Base.Popup
            className={cn(popupSheet, size === 'wide' ? 'sm:max-w-3xl' : 'sm:max-w-lg')}
            finalFocus={() => finalFocus(returnsTo)}
            // On touch devices, the keyboard would cover half of the dialog.
            initialFocus={(by) => by === 'touch' || (firstField(content.current) ?? true)}
          >
            <PopupHead
              title={<Base.Title className="text-lg wrap-anywhere">{title}</Base.Title>}
              description={
                description && <Base.Description className="text-muted wrap-anywhere">{description}</Base.Description>
              }
            />
            <div ref={content} className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 py-1 pb-5 sm:px-6">
              {children}
            </div>
            {footer && <PopupFoot>{footer}</PopupFoot>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/** The dialog's first control, if that is a text field. Segments don't count as controls. */
function firstField(content: HTMLElement | null): HTMLElement | null {
  const first = content?.querySelector<HTMLElement>('input, select, textarea, button:not([role=group] button), a[href]')
  return first?.matches(
    'input:not([type=checkbox], [type=radio], [type=file], [type=range], [type=date]):enabled, textarea:enabled',
  )
    ? first
    : null
}

/** A side panel for details. On narrow screens, it has the full width. */
export function Sheet({
  open,
  onClose,
  title,
  description,
  footer,
  children,
}: Omit<DialogProps, 'size' | 'returnsTo'>) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          finalFocus={() => finalFocus()}
          className="fixed inset-y-0 right-0 z-50 flex w-full max-w-md flex-col border-l border-line bg-raised shadow-lg outline-none transition-[opacity,translate] duration-slow ease-out data-ending-style:translate-x-8 data-ending-style:opacity-0 data-starting-style:translate-x-8 data-starting-style:opacity-0"
        >
          <PopupHead
            title={<Base.Title className="text-lg wrap-anywhere">{title}</Base.Title>}
            description={
              description && <Base.Description className="text-muted wrap-anywhere">{description}</Base.Description>
            }
          />
          <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 py-1 pb-5 sm:px-6">{children}</div>
          {footer && <PopupFoot>{footer}</PopupFoot>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface WideSheetProps extends Pick<DialogProps, 'open' | 'onClose' | 'children'> {
  /** Shown next to the button that closes the sheet. */
  bar: ReactNode
  onKeyDown: ComponentProps<'div'>['onKeyDown']
  /** The element to focus after closing. */
  returnsTo: () => HTMLElement | null
}

/** An 800 px side panel for working on one thing. Its content must include a SheetTitle. */
export function WideSheet({ open, onClose, bar, onKeyDown, returnsTo, children }: WideSheetProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          onKeyDown={onKeyDown}
          finalFocus={() => finalFocus(returnsTo)}
          className="fixed inset-y-0 right-0 z-50 flex w-full max-w-200 flex-col overflow-hidden border-line bg-canvas shadow-lg outline-none transition-[opacity,translate] duration-slow ease-out md:inset-y-2 md:right-2 md:rounded-lg md:border data-ending-style:translate-x-8 data-ending-style:opacity-0 data-starting-style:translate-x-8 data-starting-style:opacity-0"
        >
          <div className="flex h-bar shrink-0 items-center gap-1 border-b border-hair px-2 md:px-4">
            <Base.Close render={<IconButton icon={<X />} label="Close" title="Close (Esc)" size="sm" />} />
            {bar}
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

export const SheetTitle = Base.Title

function PopupHead({ title, description }: { title: ReactNode; description: ReactNode }) {
  return (
    <div className="flex items-start gap-4 px-5 pt-5 pb-3 sm:px-6">
      <div className="grid min-w-0 flex-1 gap-1">
        {title}
        {description}
      </div>
      <Base.Close render={<IconButton icon={<X />} label="Close" size="sm" className="-me-2 -mt-1" />} />
    </div>
  )
}
