import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { paths } from '../../../paths'
import { safeReturnPath, takeReturnPath } from '../../../return-path'
import { useSession } from '../../../session'

/** Redirects signed-in users to the page that they requested, or else to the dashboard. */
export function useLeaveWhenSignedIn(): void {
  const { status } = useSession()
  const navigate = useNavigate()
  const { state } = useLocation()
  useEffect(() => {
    if (status !== 'signed-in') return
    const remembered = takeReturnPath()
    const from = safeReturnPath((state as { from?: unknown } | null)?.from, location.origin)
    void navigate(from ?? remembered ?? paths.dashboard, { replace: true })
  }, [status, state, navigate])
}
