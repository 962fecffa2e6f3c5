import { useCallback } from 'react'
import { useNavigate } from 'react-router'
import { paths } from '../../../paths'
import { session } from '../../../session'

/** Signs out and navigates home. */
export function useSignOut(): () => void {
  const navigate = useNavigate()
  return useCallback(() => {
    void session.signOut()
    // Signed-in pages redirect home, too, so replace avoids a second history entry.
    void navigate(paths.home, { replace: true })
  }, [navigate])
}
