import { useRef, useState } from 'react'
import { client, refusalText } from '../../api'
import { toast } from '../../ui/toast'
import { usePageRestored } from '../../ui/use-page-restored'
import { newCodeChallenge } from './pkce'

/** After this long the attempt has failed, and the button can be pressed again. */
const BUSY_MS = 30_000
const FAILED = 'Failed to sign in with Google. Please try again.'

/**
 * For what is there only where the server offers Google: it says so in its pages (its edges/page-head.ts), so that nobody has to ask
 * and nothing moves.
 */
export const whereGoogleIsOffered = '[[data-without~=google]_&]:hidden'

export interface GoogleSignInOptions {
  /** Where Google leads back to: the log-in's callback, or the waitlist, which is joined too. */
  intent: 'login' | 'waitlist'
  /** The code of the friend whose link led here. */
  referralCode: string | null
  /** Called as soon as it is pressed. */
  onBegin?: () => void
  /** Called when the attempt fails; the toast is shown already. */
  onFailed?: () => void
}

/** The way to Google's page: `begin` goes there, and `busy` says that it is on its way. */
export function useGoogleSignIn({ intent, referralCode, onBegin, onFailed }: GoogleSignInOptions) {
  const [busy, setBusy] = useState(false)
  // A second press may come before the first has drawn the button anew, and would void the first one's verifier.
  const attempt = useRef<{ call: AbortController; deadline: ReturnType<typeof setTimeout> } | null>(null)
  const end = () => {
    clearTimeout(attempt.current?.deadline)
    attempt.current = null
    setBusy(false)
  }
  usePageRestored(end)
  const fail = (text: string) => {
    end()
    onFailed?.()
    toast.error(text)
  }

  const begin = async () => {
    if (attempt.current) return
    const call = new AbortController()
    const deadline = setTimeout(() => {
      // A late answer would lead away without a press.
      call.abort()
      fail(FAILED)
    }, BUSY_MS)
    attempt.current = { call, deadline }
    setBusy(true)
    onBegin?.()
    try {
      const codeChallenge = await newCodeChallenge('google')
      if (!codeChallenge) throw new Error('This page needs HTTPS: the browser offers no cryptography.')
      const { url } = await client.identities.authorize(
        { provider: 'google', intent, codeChallenge, ...(referralCode ? { referralCode } : {}) },
        { signal: call.signal },
      )
      location.assign(url)
    } catch (error) {
      if (!call.signal.aborted) fail(refusalText(error, FAILED))
    }
  }
  return { busy, begin }
}
