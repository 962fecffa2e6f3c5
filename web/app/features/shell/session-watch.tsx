import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { paths } from '../../paths'
import { rememberReturnPath } from '../../return-path'
import { attachSession, session } from '../../session'

/** Keeps the page true to the session: nobody sees the data of whoever was here before, and an ended session leads to /login. */
export function SessionWatch() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { pathname, search, hash } = useLocation()
  const here = pathname + search + hash

  useEffect(attachSession, [])

  useEffect(
    () =>
      session.onEvent((event, state) => {
        if (event === 'SIGNED_OUT' || event === 'SIGNED_IN') queries.clear()
        if (event === 'USER_UPDATED') void queries.invalidateQueries()
        if (event === 'SIGNED_OUT' && state.status === 'signed-out' && state.reason === 'expired') {
          rememberReturnPath(here)
          void navigate(paths.login, { state: { from: here } })
        }
      }),
    [queries, navigate, here],
  )
  return null
}
