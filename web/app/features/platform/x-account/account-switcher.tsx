import { ChevronsUpDown, CircleAlert, Link2 } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { paths } from '../../../paths'
import { Avatar } from '../../../ui/avatar'
import { MenuOnDemand } from '../../../ui/menu-on-demand'
import { useIsOffered } from '../../identity/people/use-role'
import { useAccounts } from './use-accounts'

const SwitchKey = lazy(() => import('./account-key'))
const loadMenu = () => import('./account-menu')

/** The current X account, with a menu to switch. Alt+X switches to the next account. */
export function AccountSwitcher() {
  const accounts = useAccounts()
  const mayChoose = useIsOffered('admin')
  const all = accounts.data?.accounts ?? []
  const current = all[0]
  const hasKey = mayChoose && all.length > 1
  if (!accounts.data) return null
  if (!current)
    return (
      <Link to={paths.xAutomation} title="Add X account" className="sidebar-row">
        <Link2 aria-hidden />
        <span className="truncate rail:sr-only">Add X account</span>
      </Link>
    )
  return (
    <>
      <MenuOnDemand
        load={loadMenu}
        trigger={
          <button type="button" aria-keyshortcuts={hasKey ? 'Alt+X' : undefined} className="sidebar-row">
            <Avatar name={current.handle} src={current.pictureUrl} size="xs" />
            <span className="sr-only">Current X account:</span>
            <span className="truncate rail:sr-only">@{current.handle}</span>
            {current.status === 'lost' && <CircleAlert aria-label="Not connected" className="text-warn" />}
            <ChevronsUpDown className="ms-auto size-3.5! text-faint rail:hidden" />
          </button>
        }
      />
      {hasKey && (
        <Suspense>
          <SwitchKey accounts={all} />
        </Suspense>
      )}
    </>
  )
}
