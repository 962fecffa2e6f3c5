import type { Lead } from '@x-automated/contract/leads/leads'
import { Users } from 'lucide-react'
import { LeadBio, LeadFollowers, LeadIdentity } from './lead-parts'

/** A lead as a card in a list. */
export function LeadCard({ lead }: { lead: Lead }) {
  return (
    <li className="grid content-between gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="grid gap-2.5">
        <LeadIdentity lead={lead} />
        <p className="text-muted">
          <LeadBio bio={lead.bio} />
        </p>
      </div>
      <p className="flex items-center gap-1.5 text-xs text-muted">
        <Users aria-hidden className="size-3.5" />
        <span>
          <LeadFollowers followerCount={lead.followerCount} /> followers
        </span>
      </p>
    </li>
  )
}
