import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { client } from '../api'
import { LoadingScreen } from '../features/shell/loading-screen'
import { pageMeta } from '../features/shell/page-meta'
import { paths, signedInHome } from '../paths'
import { takeReturnPath } from '../return-path'
import { session } from '../session'

export const meta = () => pageMeta('Signing you in', 'One moment.')

/** A code works once, and React may run an effect twice: each code is exchanged by one call. */
const exchanges = new Map<string, ReturnType<typeof client.auth.exchange>>()

function exchange(code: string) {
  const running = exchanges.get(code) ?? client.auth.exchange({ code })
  exchanges.set(code, running)
  return running
}

/** Where mailed confirmations (and later other ways to sign in) end: trades the code in the address for a session. */
export default function AuthCallback() {
  const navigate = useNavigate()
  useEffect(() => {
    const query = new URLSearchParams(location.search)
    const code = query.get('code')
    if (query.has('error')) {
      void navigate(paths.login, { replace: true, state: { problem: 'This link is invalid or has expired.' } })
      return
    }
    if (!code) {
      void navigate(signedInHome(), { replace: true })
      return
    }
    let here = true
    exchange(code).then(
      (answer) => {
        if (!here) return
        session.signIn(answer)
        void navigate(takeReturnPath() ?? signedInHome(), { replace: true })
      },
      () => here && void navigate(paths.login, { replace: true, state: { notice: 'Email confirmed' } }),
    )
    return () => {
      here = false
    }
  }, [navigate])
  return <LoadingScreen words="Signing you in..." />
}
