import { AlertDialog } from '@base-ui/react/alert-dialog'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from './button'
import { cn } from './cn'
import { PopupFoot, popupFrame, popupSheet } from './popup'
import { finalFocus } from './use-focus-fallback'

export interface Question {
  title: string
  /** Says what will happen. */
  body?: ReactNode
  /** Until this settles, the confirm button is disabled. Must not reject. */
  after?: Promise<unknown> | undefined
  /** The confirm button's label: 'Delete list'. */
  confirm: string
  cancel?: string
  /** For actions that cannot be undone. */
  danger?: boolean
}

interface ConfirmDialogProps {
  question: Question
  open: boolean
  onAnswer: (yes: boolean) => void
}

/** The dialog behind `useConfirm`. Escape means no. Clicking outside does nothing. */
export default function ConfirmDialog({ question, open, onAnswer }: ConfirmDialogProps) {
  const isWaiting = useIsWaiting(question.after)
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onAnswer(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Viewport className={popupFrame}>
          <AlertDialog.Popup className={cn(popupSheet, 'sm:max-w-md')} finalFocus={() => finalFocus()}>
            <div className="grid gap-2 p-5 sm:p-6">
              <AlertDialog.Title className="text-lg wrap-anywhere">{question.title}</AlertDialog.Title>
              {question.body && (
                <AlertDialog.Description className="text-muted wrap-anywhere">{question.body}</AlertDialog.Description>
              )}
            </div>
            <PopupFoot>
              <Button onClick={() => onAnswer(false)}>{question.cancel ?? 'Cancel'}</Button>
              <Button
                variant={question.danger ? 'danger' : 'primary'}
                loading={isWaiting}
                onClick={() => onAnswer(true)}
              >
                {question.confirm}
              </Button>
            </PopupFoot>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

function useIsWaiting(awaited: Promise<unknown> | undefined): boolean {
  const [settled, setSettled] = useState<Promise<unknown>>()
  useEffect(() => {
    let isOver = false
    void awaited?.then(() => !isOver && setSettled(awaited))
    return () => {
      isOver = true
    }
  }, [awaited])
  return awaited !== settled && awaited !== undefined
}
