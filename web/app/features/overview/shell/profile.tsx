import type { User } from '../../../session'
import { Avatar } from '../../../ui/avatar'
import { IconButton } from '../../../ui/button'
import { MenuOnDemand } from '../../../ui/menu-on-demand'
import { useSyncedEmail } from '../../identity/account/use-synced-email'
import { useWorkspaces } from '../../identity/people/use-workspaces'
import { useIsOperator } from './use-is-operator'

const loadMenu = () => import('./profile-menu')

/** The profile button and its menu. */
export default function Profile({ user }: { user: User }) {
  useSyncedEmail(user)
  // Prefetched, so that the menu is complete when it opens.
  useWorkspaces()
  useIsOperator()
  const button = (
    <IconButton icon={<Avatar name={user.email} size="sm" />} label="Profile menu" className="rounded-full!" />
  )
  return <MenuOnDemand load={loadMenu} trigger={button} />
}
