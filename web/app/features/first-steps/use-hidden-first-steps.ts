import { useNavigate } from 'react-router'
import { paths } from '../../paths'
import { useIsOffered } from '../settings/use-role'
import { isShown, useFirstSteps } from './use-first-steps'

/** The way back to first steps that were hidden; null where there is nothing to bring back. */
export function useHiddenFirstSteps(): (() => void) | null {
  const mayWork = useIsOffered('member')
  const navigate = useNavigate()
  const { found, bringBack } = useFirstSteps()
  if (!mayWork || !found?.dismissed || !isShown({ ...found, dismissed: false })) return null
  return () => {
    bringBack()
    void navigate(paths.dashboard)
  }
}
