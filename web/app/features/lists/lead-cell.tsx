import type { Lead } from '@x-automated/contract/leads'
import { Avatar } from '../../ui/avatar'

/** A lead in a table: picture, name, and the handle that leads to the profile on X. */
export function LeadCell({ lead }: { lead: Pick<Lead, 'name' | 'twitterHandle' | 'profileImageUrl'> }) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      <Avatar name={lead.name || lead.twitterHandle} src={lead.profileImageUrl} size="sm" />
      <span className="grid min-w-0">
        <bdi className="truncate font-strong">{lead.name || `@${lead.twitterHandle}`}</bdi>
        <a
          href={`https://x.com/${lead.twitterHandle}`}
          target="_blank"
          rel="noreferrer"
          className="w-fit max-w-full truncate rounded-sm text-muted hover:text-ink hover:underline"
        >
          @{lead.twitterHandle}
        </a>
      </span>
    </span>
  )
}

/** '12,480', or 'Unknown' (specification §9). */
export function followersInWords(count: number | null): string {
  return count === null ? 'Unknown' : count.toLocaleString('en-US')
}
