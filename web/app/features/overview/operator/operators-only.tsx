import { setLocale } from '@x-automated/contract/format'
import { useEffect } from 'react'
import { Outlet } from 'react-router'
import { LoadingScreen } from '../shell/loading-screen'
import { NotFound } from '../shell/not-found'
import { useIsOperator } from '../shell/use-is-operator'

if (!import.meta.env.SSR) setLocale(navigator.language)

const TITLE = 'Operator · X-Automated'

/** Layout of operator pages; a 404 for everyone else. */
export default function OperatorsOnly() {
  const operates = useIsOperator()
  useEffect(() => {
    if (operates) document.title = TITLE
  }, [operates])
  if (operates === null) return <LoadingScreen text="Loading…" />
  if (!operates) return <NotFound />
  return (
    <div className="page-width fills-window py-6">
      <Outlet />
    </div>
  )
}
