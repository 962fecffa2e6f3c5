import { ChevronsUpDown } from 'lucide-react'
import { Link } from 'react-router'
import { paths } from '../../../paths'
import { MenuOnDemand } from '../../../ui/menu-on-demand'
import { useWorkspaces } from '../../identity/people/use-workspaces'
import { Mark } from './logo'

const loadMenu = () => import('./workspace-menu')

/** The current workspace, with a menu if there are others. */
export function WorkspaceSwitcher() {
  const workspaces = useWorkspaces()
  const name = workspaces?.current.name ?? 'X-Automated'
  const face = (
    <>
      <Mark className="size-5 shrink-0" />
      <span className="truncate font-strong text-ink rail:sr-only">{name}</span>
    </>
  )
  if (!workspaces || workspaces.others.length === 0)
    return (
      <Link to={paths.dashboard} title={name} className="sidebar-row">
        {face}
      </Link>
    )
  return (
    <MenuOnDemand
      load={loadMenu}
      trigger={
        <button type="button" className="sidebar-row">
          <span className="sr-only">Workspace:</span>
          {face}
          <ChevronsUpDown className="ms-auto size-3.5! text-faint rail:hidden" />
        </button>
      }
    />
  )
}
