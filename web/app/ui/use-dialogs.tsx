import { Fragment, type ReactNode, useState } from 'react'

/** The props of a dialog that `useDialogs` shows. */
export interface ShownDialog {
  open: boolean
  onClose: () => void
}

/**
 * One of several dialogs at a time. Each opening starts with fresh state, and the content stays
 * during the closing animation.
 */
export function useDialogs<What>() {
  const [shown, setShown] = useState<{ what: What; open: boolean; turn: number } | null>(null)
  return {
    show: (what: What) => setShown((now) => ({ what, open: true, turn: (now?.turn ?? 0) + 1 })),
    render(dialog: (what: What, props: ShownDialog) => ReactNode): ReactNode {
      if (!shown) return null
      const { what, open, turn } = shown
      // A late response to a closed dialog never closes the next one.
      const onClose = () => setShown((now) => (now?.turn === turn ? { ...now, open: false } : now))
      return <Fragment key={turn}>{dialog(what, { open, onClose })}</Fragment>
    },
  }
}
