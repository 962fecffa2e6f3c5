import { SSO_PROBLEMS, ssoProblem } from '@x-automated/contract/sso-problems'
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { client } from '../api'
import { googleProblem } from '../features/auth/google-problems'
import { takeCodeVerifier } from '../features/auth/pkce'
import { LoadingScreen } from '../features/shell/loading-screen'
import { pageMeta } from '../features/shell/page-meta'
import { paths } from '../paths'
import { takeReturnPath } from '../return-path'
import { session } from '../session'
import { toast } from '../ui/toast'

export const meta = () => pageMeta('Signing you in', 'One moment.')

/** A code works once, and React may run an effect twice: each code is exchanged by one call. */
const exchanges = new Map<string, ReturnType<typeof client.auth.exchange>>()

/** Null where this browser has no verifier: whoever signed up did so in another one, and logs in there or here by password. */
function exchange(code: string, begun: 'signUp' | 'sso' | 'google') {
  const running = exchanges.get(code)
  if (running) return running
  const codeVerifier = takeCodeVerifier(begun)
  if (!codeVerifier) return null
  const exchanging = client.auth.exchange({ code, codeVerifier })
  exchanges.set(code, exchanging)
  return exchanging
}

/** Where mailed confirmations and sign-ins with Google or by single sign-on end: trades the code in the address for a session. */
export default function AuthCallback() {
  const navigate = useNavigate()
  useEffect(() => {
    const query = new URLSearchParams(location.search)
    const code = query.get('code')
    const provider = query.get('provider')
    if (query.has('error')) {
      const key = query.get('error')
      const known = provider === 'google' ? googleProblem(key) : ssoProblem(key)
      const problem = known ?? 'This link is invalid or has expired.'
      // Somebody who is signed in wanted to go on in another workspace; the log-in page would send them away.
      if (session.hasStoredToken()) {
        toast.error(problem)
        void navigate(paths.dashboard, { replace: true })
      } else void navigate(paths.login, { replace: true, state: { problem } })
      return
    }
    const state =
      provider === 'sso'
        ? { problem: SSO_PROBLEMS.sso_failed }
        : provider === 'google'
          ? { problem: googleProblem('failed') }
          : { notice: 'Email confirmed' }
    const logIn = () => void navigate(paths.login, { replace: true, state })
    if (!code) {
      if (query.has('confirmed')) logIn()
      else void navigate(paths.dashboard, { replace: true })
      return
    }
    const exchanging = exchange(code, provider === 'sso' || provider === 'google' ? provider : 'signUp')
    if (!exchanging) {
      logIn()
      return
    }
    let here = true
    exchanging.then(
      (answer) => {
        if (!here) return
        if (!('token' in answer)) {
          // The log-in page redirects anyone who is still signed in.
          void session.signOut()
          void navigate(paths.login, { replace: true, state: { needed: answer } })
          return
        }
        session.signIn(answer)
        void navigate(takeReturnPath() ?? paths.dashboard, { replace: true })
      },
      () => here && logIn(),
    )
    return () => {
      here = false
    }
  }, [navigate])
  return <LoadingScreen text="Signing you in..." />
}
