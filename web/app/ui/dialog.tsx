import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { Button, IconButton } from './button'
import { cx } from './cx'

export interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  /** 'wide' is for tables. */
  size?: 'normal' | 'wide'
  /** Buttons, the main one last. They stay in sight while the content scrolls. */
  footer?: ReactNode
  children?: ReactNode
}

const frame = 'fixed inset-0 z-50 flex items-end justify-center sm:items-center sm:p-6'
const sheet =
  'popup flex max-h-[calc(100dvh-var(--spacing)*10)] w-full flex-col overflow-hidden rounded-t-xl pb-[env(safe-area-inset-bottom)] shadow-lg sm:rounded-xl'

/** A task of its own above the page. Focus stays inside, Escape and a press outside close it. On narrow screens it rises from below. */
export function Dialog({ open, onClose, title, description, size = 'normal', footer, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Viewport className={frame}>
          <Base.Popup className={cx(sheet, size === 'wide' ? 'sm:max-w-3xl' : 'sm:max-w-lg')}>
            <PopupHead
              title={<Base.Title className="text-lg">{title}</Base.Title>}
              description={description && <Base.Description className="text-muted">{description}</Base.Description>}
            />
            <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 py-1 pb-5 sm:px-6">{children}</div>
            {footer && <PopupFoot>{footer}</PopupFoot>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/** A panel at the side, for details beside what the page shows. Takes the whole width on narrow screens. */
export function Sheet({ open, onClose, title, description, footer, children }: Omit<DialogProps, 'size'>) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="fixed inset-y-0 right-0 z-50 flex w-full max-w-md flex-col border-l border-line bg-raised shadow-lg outline-none transition-[opacity,translate] duration-slow ease-out data-ending-style:translate-x-8 data-ending-style:opacity-0 data-starting-style:translate-x-8 data-starting-style:opacity-0">
          <PopupHead
            title={<Base.Title className="text-lg">{title}</Base.Title>}
            description={description && <Base.Description className="text-muted">{description}</Base.Description>}
          />
          <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 py-1 pb-5 sm:px-6">{children}</div>
          {footer && <PopupFoot>{footer}</PopupFoot>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

function PopupHead({ title, description }: { title: ReactNode; description: ReactNode }) {
  return (
    <div className="flex items-start gap-4 px-5 pt-5 pb-3 sm:px-6">
      <div className="grid min-w-0 flex-1 gap-1">
        {title}
        {description}
      </div>
      <Base.Close
        render={
          <IconButton label="Close" size="sm" className="-me-2 -mt-1">
            <X aria-hidden />
          </IconButton>
        }
      />
    </div>
  )
}

function PopupFoot({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-col-reverse gap-2 border-t border-line bg-sunken px-5 py-3 sm:flex-row sm:justify-end sm:px-6">
      {children}
    </div>
  )
}

export interface Question {
  title: string
  /** What will happen, in a sentence. */
  body?: ReactNode
  /** The word on the button that does it: 'Delete list'. */
  confirm: string
  cancel?: string
  /** For what cannot be taken back. */
  danger?: boolean
}

type Ask = (question: Question) => Promise<boolean>

const ConfirmContext = createContext<Ask | null>(null)

/** `const confirm = useConfirm()`, then `if (await confirm({ title, body, confirm: 'Delete list', danger: true })) …` */
export function useConfirm(): Ask {
  const ask = useContext(ConfirmContext)
  if (!ask) throw new Error('useConfirm needs a ConfirmProvider around it')
  return ask
}

/** Holds the one dialog that `useConfirm` opens. Stands once, in root.tsx. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question | null>(null)
  const [open, setOpen] = useState(false)
  const answer = useRef<(yes: boolean) => void>(() => {})

  const ask = useCallback<Ask>((next) => {
    // A question that is still open is answered with no by the one that follows it.
    answer.current(false)
    setQuestion(next)
    setOpen(true)
    return new Promise((resolve) => {
      answer.current = resolve
    })
  }, [])
  const settle = (yes: boolean) => {
    answer.current(yes)
    setOpen(false)
  }

  return (
    <ConfirmContext value={ask}>
      {children}
      <AlertDialog.Root open={open} onOpenChange={(next) => !next && settle(false)}>
        <AlertDialog.Portal>
          <AlertDialog.Backdrop className="backdrop" />
          <AlertDialog.Viewport className={frame}>
            <AlertDialog.Popup className={cx(sheet, 'sm:max-w-md')}>
              <div className="grid gap-2 p-5 sm:p-6">
                <AlertDialog.Title className="text-lg">{question?.title}</AlertDialog.Title>
                {question?.body && (
                  <AlertDialog.Description className="text-muted">{question.body}</AlertDialog.Description>
                )}
              </div>
              <PopupFoot>
                <Button onClick={() => settle(false)}>{question?.cancel ?? 'Cancel'}</Button>
                <Button variant={question?.danger ? 'danger' : 'primary'} onClick={() => settle(true)}>
                  {question?.confirm}
                </Button>
              </PopupFoot>
            </AlertDialog.Popup>
          </AlertDialog.Viewport>
        </AlertDialog.Portal>
      </AlertDialog.Root>
    </ConfirmContext>
  )
}
