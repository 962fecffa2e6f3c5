import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { sessionStorage } from '../../../browser-storage'
import { consumeRefresh, RECHECK_SESSION_AFTER_MS, recordPageLeave, recordVisit } from '../../../page-refresh'
import { paths } from '../../../paths'
import { saveReturnPath } from '../../../return-path'
import { attachSession, session } from '../../../session'
import { attachTypedText } from '../../../typed-text'
import { discardRun } from '../../outreach/messenger/saved-run'

/** Tells users why they suddenly see the login page. */
export const SESSION_EXPIRED = 'Session expired. Please log in again.'

/** Clears cached data when the user changes, and redirects to /login when the session expires. */
export function SessionWatch() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { pathname, search, hash } = useLocation()
  const here = pathname + search + hash

  useEffect(attachTypedText, [])
  useEffect(attachSession, [])
  useRefresh(here)

  useEffect(
    () =>
      session.onEvent((event, state) => {
        if (event === 'SIGNED_OUT' || event === 'SIGNED_IN') queries.clear()
        if (event === 'SIGNED_OUT') discardRun(sessionStorage)
        if (event === 'USER_UPDATED') void queries.invalidateQueries()
        if (event === 'SIGNED_OUT' && state.status === 'signed-out' && state.reason === 'expired') {
          saveReturnPath(here)
          void navigate(paths.login, { state: { from: here, notice: SESSION_EXPIRED } })
        }
      }),
    [queries, navigate, here],
  )
  return null
}

/** After a reload, checks the session again and returns to the previous page. */
function useRefresh(here: string): void {
  const navigate = useNavigate()
  const now = useRef(here)
  useEffect(() => {
    const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    const before = consumeRefresh(sessionStorage, entry?.type === 'reload', location.origin)
    const left = new AbortController()
    const { signal } = left
    const leave = () =>
      recordPageLeave(sessionStorage, location.pathname + location.search + location.hash, location.origin)
    addEventListener('pagehide', leave, { signal })
    if (before) {
      setTimeout(async () => {
        await session.syncFromOtherTab()
        if (session.state().status !== 'signed-in' || before === now.current) return
        void navigate(before, { replace: true })
      }, RECHECK_SESSION_AFTER_MS)
    }
    return () => left.abort()
  }, [navigate])
  useEffect(() => {
    now.current = here
    recordVisit(sessionStorage, here, location.origin)
  }, [here])
}
