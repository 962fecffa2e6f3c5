import { RoleNotice } from '../../identity/people/role-notice'
import { useHasRole } from '../../identity/people/use-role'
import { SnippetsCard } from '../snippets/snippets-card'
import { RetentionCard } from './retention-card'

/** Settings of conversations: snippets, and how long texts are kept. */
export function InboxTab() {
  const isMember = useHasRole('member')
  // Shows nothing until the role is known.
  if (isMember === undefined) return null
  if (!isMember)
    return <RoleNotice needs="member">Viewers can't read conversations. An admin can change your role.</RoleNotice>
  return (
    <div className="grid grid-cols-1 gap-6">
      <SnippetsCard />
      <RetentionCard />
    </div>
  )
}
