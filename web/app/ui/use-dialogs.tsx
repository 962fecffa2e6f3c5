import { Fragment, type ReactNode, useState } from 'react'

/** Props of a dialog that `useDialogs` opens. */
export interface ControlledDialogProps {
  open: boolean
  onClose: () => void
}

/**
 * Opens one of several dialogs at a time. Each opening starts with fresh state. The content stays
 * during the closing animation.
 */
export function useDialogs<What>() {
  const [current, setCurrent] = useState<{ what: What; open: boolean; turn: number } | null>(null)
  return {
    show: (what: What) => setCurrent((now) => ({ what, open: true, turn: (now?.turn ?? 0) + 1 })),
    render(dialog: (what: What, props: ControlledDialogProps) => ReactNode): ReactNode {
      if (!current) return null
      const { what, open, turn } = current
      // A late call from a closed dialog must not close the next one.
      const onClose = () => setCurrent((now) => (now?.turn === turn ? { ...now, open: false } : now))
      return <Fragment key={turn}>{dialog(what, { open, onClose })}</Fragment>
    },
  }
}
