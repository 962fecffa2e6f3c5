import { useEffect } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { paths } from '../../paths'
import { rememberReturnPath } from '../../return-path'
import { useSession } from '../../session'
import { TooltipProvider } from '../../ui/tooltip'
import { LoadingScreen } from './loading-screen'

/** Around every signed-in page: waits for the session, and sends guests to /login and back. */
export default function SignedIn() {
  const state = useSession()
  const { pathname, search, hash } = useLocation()
  const from = pathname + search + hash
  const turnedAway = state.status === 'signed-out' && state.reason !== 'chosen'
  useEffect(() => {
    if (turnedAway) rememberReturnPath(from)
  }, [turnedAway, from])

  if (state.status === 'starting') return <LoadingScreen words="Loading dashboard..." />
  if (state.status === 'signed-out') {
    // Who signs out goes home; who is not signed in may do so, and comes back here.
    return state.reason === 'chosen' ? (
      <Navigate to={paths.home} replace />
    ) : (
      <Navigate to={paths.login} replace state={{ from }} />
    )
  }
  return (
    <TooltipProvider>
      <div className="page-width py-8 md:py-10">
        <Outlet />
      </div>
    </TooltipProvider>
  )
}
