import type { SecondFactorNeeded } from '@x-automated/contract/identity/auth'
import { providerProblem } from '@x-automated/contract/identity/provider-problems'
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { client } from '../../../api'
import { paths } from '../../../paths'
import { session, useSession } from '../../../session'
import { storePlace } from '../../../stored-place'
import { toast } from '../../../ui/toast'
import { takeCodeVerifier } from '../../identity/auth/pkce'
import { googleFlag } from './google-flag'

/** Codes work once, and React may run effects twice. */
const handled = new Set<string>()

/** Signs in with the code that Google returned, and stores the waitlist position. */
export function useGoogleReturn(): void {
  const navigate = useNavigate()
  const isSignedIn = useSession().status === 'signed-in'
  useEffect(() => {
    const query = new URLSearchParams(location.search)
    const code = query.get('code')
    const problem = providerProblem(query.get('error'))
    if (!code && !problem) {
      if (isSignedIn && googleFlag.isSet()) void storeOwnPlace().catch(() => googleFlag.clear())
      return
    }
    if (code && handled.has(code)) return
    if (code) handled.add(code)
    // Removes the parameters from the URL.
    void navigate(paths.waitlist, { replace: true })
    const askMore = (needed: SecondFactorNeeded) =>
      void navigate(paths.login, { state: { needed, from: paths.waitlist } })
    const failed = problem ? Promise.resolve(problem) : code ? finish(code, askMore) : Promise.resolve(null)
    void failed.then((text) => {
      if (!text) return
      googleFlag.clear()
      toast.error(text)
    })
  }, [navigate, isSignedIn])
}

/** Stores the signed-in user's waitlist position, if any. */
async function storeOwnPlace(): Promise<void> {
  const state = session.state()
  if (state.status !== 'signed-in') return
  const { position, referralCode } = await client.waitlist.dashboard()
  if (position > 0) storePlace({ email: state.user.email, position, referralCode })
  else googleFlag.clear()
}

/** @param askMore called if a second factor is required @returns an error message, or null */
async function finish(code: string, askMore: (needed: SecondFactorNeeded) => void): Promise<string | null> {
  try {
    const codeVerifier = takeCodeVerifier('google')
    const result = await client.auth.exchange({ code, ...(codeVerifier ? { codeVerifier } : {}) })
    if (!('token' in result)) {
      askMore(result)
      return null
    }
    const { email } = result.user
    if (!email) return providerProblem('no_email')
    session.signIn(result)
    await storeOwnPlace()
    toast.success(`Signed in as ${email}`)
    return null
  } catch (error) {
    console.warn('Could not finish the sign-in with Google', error)
    return providerProblem('failed')
  }
}
