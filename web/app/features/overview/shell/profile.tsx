import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../../api'
import { localStorage } from '../../../browser-storage'
import { readPlace } from '../../../place-storage'
import { session, type User } from '../../../session'
import { storePlace } from '../../../stored-place'
import { Avatar } from '../../../ui/avatar'
import { IconButton } from '../../../ui/button'
import { MenuOnDemand } from '../../../ui/menu-on-demand'
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

/** Updates this browser's copy of the email address after it was changed elsewhere. */
function useSyncedEmail({ id, email }: User): void {
  const { data } = useQuery(api.account.findUser.queryOptions())
  useEffect(() => {
    if (!data || data.id !== id || data.email === email) return
    session.updateUser({ id, email: data.email })
    const entry = readPlace(localStorage)
    if (entry?.email === email) storePlace({ ...entry, email: data.email })
  }, [data, id, email])
}
