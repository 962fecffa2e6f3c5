import { ArrowLeftRight, ListChecks, LogOut, Wrench } from 'lucide-react'
import type { ReactElement } from 'react'
import { paths } from '../../../paths'
import { useSession } from '../../../session'
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../../../ui/menu'
import { ReauthProvider } from '../../identity/auth/reauth-provider'
import { useSwitchWorkspace } from '../../identity/people/use-switch-workspace'
import { useWorkspaces } from '../../identity/people/use-workspaces'
import { useHiddenFirstSteps } from '../first-steps/use-hidden-first-steps'
import { profileLinks } from './navigation'
import { useIsOperator } from './use-is-operator'
import { useSignOut } from './use-sign-out'

/** The profile menu. Mounts open. */
export default function ProfileMenu(props: { trigger: ReactElement }) {
  return (
    <ReauthProvider>
      <OpenProfileMenu {...props} />
    </ReauthProvider>
  )
}

function OpenProfileMenu({ trigger }: { trigger: ReactElement }) {
  const state = useSession()
  const signOut = useSignOut()
  const operates = useIsOperator() === true
  const workspaces = useWorkspaces()
  const switching = useSwitchWorkspace()
  const bringBackFirstSteps = useHiddenFirstSteps()
  return (
    <Menu defaultOpen trigger={trigger}>
      <MenuNote>
        <span className="block truncate">{state.status === 'signed-in' && state.user.email}</span>
        {workspaces && workspaces.others.length > 0 && (
          <span className="block truncate font-strong text-ink">{workspaces.current.name}</span>
        )}
      </MenuNote>
      {workspaces && workspaces.others.length > 0 && <MenuSeparator />}
      {workspaces?.others.map(({ id, name }) => (
        <MenuItem key={id} icon={<ArrowLeftRight aria-hidden />} onSelect={() => switching.mutate(id)}>
          <span className="min-w-0 truncate">Switch to {name}</span>
        </MenuItem>
      ))}
      <MenuSeparator />
      {profileLinks.map((link) => (
        <MenuLink key={link.label} to={link.to} icon={<link.icon aria-hidden />}>
          {link.label}
        </MenuLink>
      ))}
      {operates && (
        <MenuLink to={paths.operator} icon={<Wrench aria-hidden />}>
          Operator
        </MenuLink>
      )}
      <MenuSeparator />
      {bringBackFirstSteps && (
        <MenuItem icon={<ListChecks aria-hidden />} onSelect={bringBackFirstSteps}>
          Show first steps
        </MenuItem>
      )}
      <MenuItem icon={<LogOut aria-hidden />} onSelect={signOut}>
        Logout
      </MenuItem>
    </Menu>
  )
}
