import type { SecondFactorNeeded } from '@x-automated/contract/auth'
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { client } from '../../api'
import { paths } from '../../paths'
import { session, useSession } from '../../session'
import { toast } from '../../ui/toast'
import { googleProblem } from '../auth/google-problems'
import { takeCodeVerifier } from '../auth/pkce'
import { googleFlag } from './google-flag'
import { storePlace } from './stored-place'

/** A code works once, and React may run an effect twice: what was taken up is not taken up again. */
const takenUp = new Set<string>()

/**
 * Takes up where Google sends back to /waitlist: signs in with the one-time code and stores the place, or says why not.
 * Where the account asks for a second factor, that is done on the login page, which leads back here.
 */
export function useGoogleReturn(): void {
  const navigate = useNavigate()
  const isSignedIn = useSession().status === 'signed-in'
  useEffect(() => {
    const query = new URLSearchParams(location.search)
    const code = query.get('code')
    const problem = googleProblem(query.get('error'))
    if (!code && !problem) {
      if (isSignedIn && googleFlag.isSet()) void storeOwnPlace().catch(() => googleFlag.clear())
      return
    }
    if (code && takenUp.has(code)) return
    if (code) takenUp.add(code)
    // The address keeps neither.
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

/** Stores the place of who is signed in, if they have one. */
async function storeOwnPlace(): Promise<void> {
  const state = session.state()
  if (state.status !== 'signed-in') return
  const { position, referralCode } = await client.waitlist.dashboard()
  if (position > 0) storePlace({ email: state.user.email, position, referralCode })
  else googleFlag.clear()
}

/**
 * @param askMore called where the account asks for a second factor, which is done on the login page
 * @returns what went wrong, in words to show; null where the place is stored, or more is asked for
 */
async function finish(code: string, askMore: (needed: SecondFactorNeeded) => void): Promise<string | null> {
  try {
    const codeVerifier = takeCodeVerifier('google')
    const answer = await client.auth.exchange({ code, ...(codeVerifier ? { codeVerifier } : {}) })
    if (!('token' in answer)) {
      askMore(answer)
      return null
    }
    const { email } = answer.user
    if (!email) return googleProblem('no_email')
    session.signIn(answer)
    await storeOwnPlace()
    toast.success(`Signed in as ${email}`)
    return null
  } catch (error) {
    console.warn('Could not finish the sign-in with Google', error)
    return googleProblem('failed')
  }
}
