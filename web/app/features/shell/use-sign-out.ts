import { useCallback } from 'react'
import { useNavigate } from 'react-router'
import { paths } from '../../paths'
import { session } from '../../session'

/** Signs out and goes home, from whatever page (specification §2). */
export function useSignOut(): () => void {
  const navigate = useNavigate()
  return useCallback(() => {
    void session.signOut()
    // Signed-in pages lead home by themselves as well: replacing makes one step of the two.
    void navigate(paths.home, { replace: true })
  }, [navigate])
}
