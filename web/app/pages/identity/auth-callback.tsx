import { providerProblem } from '@x-automated/contract/identity/provider-problems'
import { SSO_PROBLEMS, ssoProblem } from '@x-automated/contract/identity/sso-problems'
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { client } from '../../api'
import { takeCodeVerifier } from '../../features/identity/auth/pkce'
import { LoadingScreen } from '../../features/overview/shell/loading-screen'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { paths } from '../../paths'
import { takeReturnPath } from '../../return-path'
import { session } from '../../session'
import { toast } from '../../ui/toast'

export const meta = () => pageMeta('Signing you in', 'One moment.')

/** One exchange per code: codes work once, and React may run effects twice. */
const exchanges = new Map<string, ReturnType<typeof client.auth.exchange>>()

/**
 * Exchanges a code for a session. Null without a verifier: the sign-up began in another browser, so
 * the user must log in.
 */
function exchange(code: string, begun: 'signUp' | 'sso' | 'google') {
  const running = exchanges.get(code)
  if (running) return running
  const codeVerifier = takeCodeVerifier(begun)
  if (!codeVerifier) return null
  const exchanging = client.auth.exchange({ code, codeVerifier })
  exchanges.set(code, exchanging)
  return exchanging
}

/** Where email confirmations, Google and single sign-on redirect to. Exchanges the code for a session. */
export default function AuthCallback() {
  const navigate = useNavigate()
  useEffect(() => {
    const query = new URLSearchParams(location.search)
    const code = query.get('code')
    const provider = query.get('provider')
    if (query.has('error')) {
      const key = query.get('error')
      const specific = provider === 'google' ? providerProblem(key) : ssoProblem(key)
      const problem = specific ?? 'This link is invalid or has expired.'
      // Signed-in users came here to switch workspaces. The login page would redirect them.
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
          ? { problem: providerProblem('failed') }
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
      (result) => {
        if (!here) return
        if (!('token' in result)) {
          // Sign out first, because the login page would redirect a signed-in user.
          void session.signOut()
          void navigate(paths.login, { replace: true, state: { needed: result } })
          return
        }
        session.signIn(result)
        void navigate(takeReturnPath() ?? paths.dashboard, { replace: true })
      },
      () => here && logIn(),
    )
    return () => {
      here = false
    }
  }, [navigate])
  return <LoadingScreen text="Signing you in…" />
}
