import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useRef, useState } from 'react'

export interface Question {
  title: string
  /** What will happen, in a sentence. */
  body?: ReactNode
  /** What the body waits for: the button that does it waits, too. It never fails. */
  after?: Promise<unknown> | undefined
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

// Public pages ask nothing: the dialog comes with the first question.
const ConfirmDialog = lazy(() => import('./confirm-dialog'))

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
      {question && (
        <Suspense>
          <ConfirmDialog question={question} open={open} onAnswer={settle} />
        </Suspense>
      )}
    </ConfirmContext>
  )
}
