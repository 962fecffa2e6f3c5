import { lazy, Suspense, useState } from 'react'
import type { User } from '../../../session'
import { loadOnDemand } from '../../../ui/load-on-demand'
import { useSyncedEmail } from '../../identity/account/use-synced-email'
import { useWorkspaces } from '../../identity/people/use-workspaces'
import { ProfileButton } from './profile-button'
import { useIsOperator } from './use-is-operator'

// Loaded on demand.
const loadMenu = () => import('./profile-menu')
const ProfileMenu = lazy(loadMenu)
const prepare = () => void loadMenu().catch(() => {})

/** The profile button and its menu. */
export default function Profile({ user }: { user: User }) {
  const [wanted, setWanted] = useState(false)
  useSyncedEmail(user)
  // Prefetched, so that the menu opens complete.
  useWorkspaces()
  useIsOperator()
  const open = async () => {
    if (await loadOnDemand(loadMenu, 'The menu')) setWanted(true)
  }
  const button = (
    <ProfileButton
      user={user}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={prepare}
      onFocus={prepare}
      onClick={open}
      onKeyDown={({ key }) => key === 'ArrowDown' && open()}
    />
  )
  return wanted ? (
    <Suspense fallback={button}>
      <ProfileMenu user={user} />
    </Suspense>
  ) : (
    button
  )
}
