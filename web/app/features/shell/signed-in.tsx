import { setLocale } from '@x-automated/contract/format'
import { useEffect } from 'react'
import { Navigate, Outlet, useLocation, useMatches } from 'react-router'
import { paths } from '../../paths'
import { saveReturnPath } from '../../return-path'
import { useSession } from '../../session'
import { TooltipProvider } from '../../ui/tooltip-provider'
import { BulkProgress } from '../leads/bulk-progress'
import { LoadingScreen } from './loading-screen'

// Public pages are prerendered in en-US and must hydrate so; signed-in pages follow the browser.
if (!import.meta.env.SSR) setLocale(navigator.language)

/** What a page may export as `handle`, where the specification gives it words of its own. */
export interface SignedInHandle {
  /** Said while it is not known yet who is signed in. */
  loading?: string
  /** After so long the page says that it takes long, where that is not 2 seconds. */
  slowAfterMs?: number
  /** Said on the login page to those who were sent there. */
  loginNotice?: string | ((query: URLSearchParams) => string | undefined)
}

/** Around every signed-in page: waits for the session, and sends guests to /login and back. */
export default function SignedIn() {
  const state = useSession()
  const page = useMatches().at(-1)?.handle as SignedInHandle | undefined
  const { pathname, search, hash } = useLocation()
  const from = pathname + search + hash
  // A stored session that nobody has answered for may still be good: whoever owns it is not sent away.
  const waiting = state.status === 'starting' || (state.status === 'signed-out' && state.reason === 'unanswered')
  const loginNotice = !waiting && state.status === 'signed-out' && state.reason !== 'chosen'
  useEffect(() => {
    if (loginNotice) saveReturnPath(from)
  }, [loginNotice, from])

  const notice =
    typeof page?.loginNotice === 'function' ? page.loginNotice(new URLSearchParams(search)) : page?.loginNotice
  if (waiting) return <LoadingScreen text={page?.loading ?? 'Loading dashboard...'} slowAfterMs={page?.slowAfterMs} />
  if (state.status === 'signed-out') {
    // Who signs out goes home; who is not signed in may do so, and comes back here.
    return state.reason === 'chosen' ? (
      <Navigate to={paths.home} replace />
    ) : (
      <Navigate to={paths.login} replace state={{ from, notice }} />
    )
  }
  return (
    <TooltipProvider>
      <div className="page-width fills-window py-8 md:py-10">
        <Outlet />
      </div>
      <BulkProgress />
    </TooltipProvider>
  )
}
