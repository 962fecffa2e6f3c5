import type { ReactElement } from 'react'
import { paths } from '../../../paths'
import { Menu, MenuItem, MenuLink, MenuSeparator } from '../../../ui/menu'
import { ReauthProvider } from '../../identity/auth/reauth-provider'
import { useSwitchWorkspace } from '../../identity/people/use-switch-workspace'
import { useWorkspaces } from '../../identity/people/use-workspaces'

/** A menu to switch between workspaces. Mounts open. */
export default function WorkspaceMenu(props: { trigger: ReactElement }) {
  return (
    <ReauthProvider>
      <OpenWorkspaceMenu {...props} />
    </ReauthProvider>
  )
}

function OpenWorkspaceMenu({ trigger }: { trigger: ReactElement }) {
  const workspaces = useWorkspaces()
  const switching = useSwitchWorkspace()
  return (
    <Menu defaultOpen align="start" trigger={trigger}>
      {workspaces?.others.map(({ id, name }) => (
        <MenuItem key={id} onSelect={() => switching.mutate(id)}>
          <span className="min-w-0 truncate">Switch to {name}</span>
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuLink to={paths.settings}>Settings</MenuLink>
    </Menu>
  )
}
