import type { ReactNode } from 'react'

/** Centers a popup. On narrow screens, it becomes a bottom sheet. */
export const popupFrame = 'fixed inset-0 z-50 flex items-end justify-center sm:items-center sm:p-6'

export const popupSheet =
  'popup flex max-h-[calc(100dvh-var(--spacing)*10)] w-full flex-col overflow-hidden rounded-t-xl pb-[env(safe-area-inset-bottom)] shadow-lg sm:rounded-xl'

/** A popup's buttons, the primary one last (on narrow screens, on top). */
export function PopupFoot({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-col-reverse gap-2 border-t border-line bg-sunken px-5 py-3 sm:flex-row sm:justify-end sm:px-6">
      {children}
    </div>
  )
}
