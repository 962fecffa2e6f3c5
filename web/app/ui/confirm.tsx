import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useRef, useState } from 'react'
import type { Question } from './confirm-dialog'

type Ask = (question: Question) => Promise<boolean>

const ConfirmContext = createContext<Ask | null>(null)

/** Returns a function that asks the user: `if (await confirm({ title, confirm: 'Delete list', danger: true })) …` */
export function useConfirm(): Ask {
  const ask = useContext(ConfirmContext)
  if (!ask) throw new Error('useConfirm needs a ConfirmProvider around it')
  return ask
}

// Loaded on first use; public pages never need it.
const ConfirmDialog = lazy(() => import('./confirm-dialog'))

/** Provides `useConfirm` and its dialog. Used once, in root.tsx. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question | null>(null)
  const [open, setOpen] = useState(false)
  const resolver = useRef<(yes: boolean) => void>(() => {})

  const ask = useCallback<Ask>((next) => {
    // A new question answers an open one with "no".
    resolver.current(false)
    setQuestion(next)
    setOpen(true)
    return new Promise((resolve) => {
      resolver.current = resolve
    })
  }, [])
  const settle = (yes: boolean) => {
    resolver.current(yes)
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
