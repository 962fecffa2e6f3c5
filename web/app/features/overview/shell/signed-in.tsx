import { setLocale } from '@x-automated/contract/format'
import { useEffect } from 'react'
import { type LinksFunction, Navigate, Outlet, useLocation, useMatches } from 'react-router'
import { paths } from '../../../paths'
import { saveReturnPath } from '../../../return-path'
import { consumeLostWorkspace, useSession } from '../../../session'
import { toast } from '../../../ui/toast'
import { useWorkspaces } from '../../identity/people/use-workspaces'
import { LiveUpdates } from './live-updates'
import { LoadingScreen } from './loading-screen'
import { SESSION_EXPIRED } from './session-watch'
import { useOfflineLinks } from './use-offline-links'

// Prerendered pages use en-US and must hydrate unchanged. Signed-in pages use the browser's locale.
if (!import.meta.env.SSR) setLocale(navigator.language)

/** A page's optional `handle` export. */
export interface SignedInHandle {
  /** Shown until it is known who is signed in. */
  loading?: string
  /** Defaults to 2 seconds. */
  slowAfterMs?: number
  /** Shown to redirected guests on the login page. */
  loginNotice?: string | ((query: URLSearchParams) => string | undefined)
  /** The page fills the panel, including the top bar, and scrolls within it. */
  fillsPanel?: boolean
}

/** Only signed-in pages can be installed as an app. Elsewhere, this request would delay the first paint. */
export const links: LinksFunction = () => [{ rel: 'manifest', href: '/manifest.webmanifest' }]

/** Layout of signed-in pages. Waits for the session, and sends guests to /login and back. */
export default function SignedIn() {
  const state = useSession()
  const page = useMatches().at(-1)?.handle as SignedInHandle | undefined
  const { pathname, search, hash } = useLocation()
  const from = pathname + search + hash
  useOfflineLinks()
  useLostWorkspace()
  // A stored session that has not been confirmed may still be valid, so don't redirect.
  const waiting = state.status === 'starting' || (state.status === 'signed-out' && state.reason === 'unanswered')
  const needsLogin = !waiting && state.status === 'signed-out' && state.reason !== 'signed-out-here'
  useEffect(() => {
    if (needsLogin) saveReturnPath(from)
  }, [needsLogin, from])

  const isExpired = state.status === 'signed-out' && state.reason === 'expired'
  const pageNotice =
    typeof page?.loginNotice === 'function' ? page.loginNotice(new URLSearchParams(search)) : page?.loginNotice
  const notice = isExpired ? SESSION_EXPIRED : pageNotice
  if (waiting) return <LoadingScreen text={page?.loading ?? 'Loading dashboard...'} slowAfterMs={page?.slowAfterMs} />
  if (state.status === 'signed-out') {
    // Signing out leads to the home page. Other guests log in and return here.
    return state.reason === 'signed-out-here' ? (
      <Navigate to={paths.home} replace />
    ) : (
      <Navigate to={paths.login} replace state={{ from, notice }} />
    )
  }
  return (
    <>
      <div className={page?.fillsPanel ? 'fills-panel' : 'page-width fills-window py-6'}>
        <Outlet />
      </div>
      <LiveUpdates />
    </>
  )
}

const NOTICE_MS = 60_000

/** Says that the user was removed from their workspace, and which one they are in now. */
function useLostWorkspace(): void {
  const name = useWorkspaces()?.current.name
  useEffect(() => {
    if (name === undefined || !consumeLostWorkspace()) return
    toast.info(`You no longer have access to your previous workspace. You're now in “${name}”.`, {
      duration: NOTICE_MS,
    })
  }, [name])
}
