import { useRef, useState } from 'react'
import { client, refusalText } from '../../../api'
import { toast } from '../../../ui/toast'
import { usePageRestored } from '../../../ui/use-page-restored'
import { requireCodeChallenge } from './pkce'

/** After this time, the attempt counts as failed. */
const BUSY_MS = 30_000
const FAILED = 'Failed to sign in with Google. Please try again.'

/** Hides elements if Google isn't offered. The server marks its pages, so nothing shifts. */
export const whereGoogleIsOffered = '[[data-without~=google]_&]:hidden'

interface GoogleSignInOptions {
  /** Where Google redirects to: the login callback, or the waitlist, which the user then joins. */
  intent: 'login' | 'waitlist'
  /** The referral code of the link that led here. */
  referralCode: string | null
  /** Called on press. */
  onBegin?: () => void
  /** Called on failure, before the toast. */
  onFailed?: () => void
}

/** Signs in with Google: `begin` redirects to Google, and `busy` is true until then. */
export function useGoogleSignIn({ intent, referralCode, onBegin, onFailed }: GoogleSignInOptions) {
  const [busy, setBusy] = useState(false)
  // A second press before the rerender must not replace the first one's verifier.
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
      // A late response must not redirect unexpectedly.
      call.abort()
      fail(FAILED)
    }, BUSY_MS)
    attempt.current = { call, deadline }
    setBusy(true)
    onBegin?.()
    try {
      const codeChallenge = await requireCodeChallenge('google')
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
