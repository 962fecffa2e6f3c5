import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useRef, useState } from 'react'
import { errorCode, errorText } from '../../api'
import { toast } from '../../ui/toast'

/** The person was asked who they are, and thought better of it: nothing was changed. */
export class ProofCancelled extends Error {}

/** What the dialog asks for, where it is not the usual sensitive change. */
export interface ProofQuestion {
  text: string
  /** Goes to the identity provider that may vouch for the person as well; the page is left. */
  singleSignOn?: () => Promise<void>
}

type WithProof = <T>(call: () => Promise<T>, questionOf?: (error: unknown) => ProofQuestion) => Promise<T>

const ProofContext = createContext<WithProof | null>(null)

/**
 * `const withReauthentication = useReauthentication()`, then `withReauthentication(() => client.secondFactors.remove({ id }))`:
 * where the call needs a fresh proof of who one is, asks for it and makes the call again.
 * @throws ProofCancelled where the person did not prove it, else as the call
 */
export function useReauthentication(): WithProof {
  const withReauthentication = useContext(ProofContext)
  if (!withReauthentication) throw new Error('useReauthentication needs a ProofProvider around it')
  return withReauthentication
}

/** Says what failed, unless the person called it off themselves. */
export function showFailure(error: unknown, fallback?: string): void {
  if (!(error instanceof ProofCancelled)) toast.error(errorText(error, fallback))
}

const ProofDialog = lazy(() => import('./proof-dialog'))

/** Holds the one dialog in which people prove who they are before a sensitive change. */
export function ProofProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false)
  // Each time anew, so that nothing typed before is still there.
  const [round, setRound] = useState(0)
  const [question, setQuestion] = useState<ProofQuestion>()
  const answer = useRef<(proved: boolean) => void>(() => {})
  const settle = (proved: boolean) => {
    setOpen(false)
    answer.current(proved)
  }

  const withReauthentication = useCallback<WithProof>(async (call, questionOf) => {
    let asked: ProofQuestion | undefined
    try {
      return await call()
    } catch (error) {
      if (errorCode(error) !== 'REAUTHENTICATION_NEEDED') throw error
      asked = questionOf?.(error)
    }
    // Of two questions at once the first is given up.
    answer.current(false)
    setQuestion(asked)
    setRound((before) => before + 1)
    setOpen(true)
    const proved = await new Promise<boolean>((resolve) => {
      answer.current = resolve
    })
    if (!proved) throw new ProofCancelled()
    return call()
  }, [])

  return (
    <ProofContext value={withReauthentication}>
      {children}
      {round > 0 && (
        <Suspense>
          <ProofDialog
            key={round}
            open={open}
            question={question}
            onProved={() => settle(true)}
            onCancel={() => settle(false)}
          />
        </Suspense>
      )}
    </ProofContext>
  )
}
