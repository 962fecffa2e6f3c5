import { lazy, Suspense } from 'react'
import { useLocation } from 'react-router'
import { localStorage } from '../../../browser-storage'
import { paths } from '../../../paths'
import { useIsOffered } from '../../identity/people/use-role'
import { HIDDEN_KEY } from './hidden-key'

const DockedSteps = lazy(() => import('./docked-steps'))

/** Loads the checklist for users who may still have steps to do. Not on Home, which shows the steps as a card. */
export function DockedStepsOnDemand({ onFollow }: { onFollow?: () => void }) {
  const mayWork = useIsOffered('member')
  const { pathname } = useLocation()
  if (!mayWork || pathname === paths.dashboard || localStorage.getItem(HIDDEN_KEY) !== null) return null
  return (
    <Suspense>
      {/* Remounted on each page to refetch, because steps are completed on other pages. */}
      <DockedSteps key={pathname} onFollow={onFollow} />
    </Suspense>
  )
}
