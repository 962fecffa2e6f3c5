import { RoleNotice } from '../../identity/people/role-notice'
import { useHasRole } from '../../identity/people/use-role'
import { AboutCard } from './about-card'
import { DataCard } from './data-card'
import { ProviderCard } from './provider-card'
import { UsageCard } from './usage-card'

/** Settings of the AI writer: its model, facts and instructions, and its usage. */
export function WriterTab() {
  const isMember = useHasRole('member')
  // Empty until the role is known.
  if (isMember === undefined) return null
  if (!isMember)
    return <RoleNotice needs="member">Viewers can't use the AI writer. An admin can change your role.</RoleNotice>
  return (
    <div className="grid grid-cols-1 gap-6">
      <ProviderCard />
      <AboutCard />
      <UsageCard />
      <DataCard />
    </div>
  )
}
