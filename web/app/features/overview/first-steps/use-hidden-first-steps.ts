import { useNavigate } from 'react-router'
import { paths } from '../../../paths'
import { useIsOffered } from '../../identity/people/use-role'
import { hasVisibleSteps, useFirstSteps } from './use-first-steps'

/** A function that shows hidden first steps again; null if none are hidden. */
export function useHiddenFirstSteps(): (() => void) | null {
  const mayWork = useIsOffered('member')
  const navigate = useNavigate()
  const { found: firstSteps, bringBack } = useFirstSteps()
  if (!mayWork || !firstSteps?.dismissed || !hasVisibleSteps({ ...firstSteps, dismissed: false })) return null
  return () => {
    bringBack()
    void navigate(paths.dashboard)
  }
}
