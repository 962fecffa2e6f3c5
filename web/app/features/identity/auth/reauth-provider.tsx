import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from 'react'
import { errorCode } from '../../../api'
import { ReauthCancelled, ReauthContext, type ReauthPrompt, type WithReauth } from '../../../reauthentication'

const ReauthDialog = lazy(() => import('./reauth-dialog'))

/** Provides `useReauthentication` and its dialog. */
export function ReauthProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false)
  // Incrementing it remounts the dialog, which clears its fields.
  const [round, setRound] = useState(0)
  const [question, setQuestion] = useState<ReauthPrompt>()
  const resolver = useRef<(proved: boolean) => void>(() => {})
  const settle = (proved: boolean) => {
    setOpen(false)
    resolver.current(proved)
  }

  const withReauthentication = useCallback<WithReauth>(async (call, questionOf) => {
    let prompt: ReauthPrompt | undefined
    try {
      return await call()
    } catch (error) {
      if (errorCode(error) !== 'REAUTHENTICATION_NEEDED') throw error
      prompt = questionOf?.(error)
    }
    // A new prompt cancels an open one.
    resolver.current(false)
    setQuestion(prompt)
    setRound((before) => before + 1)
    setOpen(true)
    const proved = await new Promise<boolean>((resolve) => {
      resolver.current = resolve
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
