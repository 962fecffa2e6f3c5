import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useRef, useState } from 'react'
import { errorCode, errorText } from '../../../api'
import { toast } from '../../../ui/toast'
import type { ReauthPrompt } from './reauth-dialog'

/** The user canceled reauthentication; nothing was changed. */
export class ReauthCancelled extends Error {}

type WithReauth = <T>(call: () => Promise<T>, questionOf?: (error: unknown) => ReauthPrompt) => Promise<T>

// Without a provider, calls that require reauthentication fail.
const ReauthContext = createContext<WithReauth>((call) => call())

/**
 * `withReauthentication(() => client.x())` asks the user to reauthenticate if the call requires it,
 * then repeats it. @throws ReauthCancelled if the user cancels, else what the call throws
 */
export function useReauthentication(): WithReauth {
  return useContext(ReauthContext)
}

/** Shows an error toast, unless the user canceled. */
export function showFailure(error: unknown, fallback?: string): void {
  if (!(error instanceof ReauthCancelled)) toast.error(errorText(error, fallback))
}

const ReauthDialog = lazy(() => import('./reauth-dialog'))

/** Provides `useReauthentication` and its dialog. */
export function ReauthProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false)
  // Remounts the dialog each time, to clear its inputs.
  const [round, setRound] = useState(0)
  const [question, setQuestion] = useState<ReauthPrompt>()
  const answer = useRef<(proved: boolean) => void>(() => {})
  const settle = (proved: boolean) => {
    setOpen(false)
    answer.current(proved)
  }

  const withReauthentication = useCallback<WithReauth>(async (call, questionOf) => {
    let asked: ReauthPrompt | undefined
    try {
      return await call()
    } catch (error) {
      if (errorCode(error) !== 'REAUTHENTICATION_NEEDED') throw error
      asked = questionOf?.(error)
    }
    // A new prompt cancels an open one.
    answer.current(false)
    setQuestion(asked)
    setRound((before) => before + 1)
    setOpen(true)
    const proved = await new Promise<boolean>((resolve) => {
      answer.current = resolve
    })
    if (!proved) throw new ReauthCancelled()
    return call()
  }, [])

  return (
    <ReauthContext value={withReauthentication}>
      {children}
      {round > 0 && (
        <Suspense>
          <ReauthDialog
            key={round}
            open={open}
            question={question}
            onVerified={() => settle(true)}
            onCancel={() => settle(false)}
          />
        </Suspense>
      )}
    </ReauthContext>
  )
}
