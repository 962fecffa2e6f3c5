import { Link } from 'react-router'
import { paths } from '../../../paths'
import { XHandle } from '../../platform/x-account/x-handle'

interface LeadNameProps {
  /** Null if the lead was deleted. */
  lead: { id: string; name: string | null; twitterHandle: string } | null
}

/** A lead's name. Pressing it opens the complete conversation. */
export function LeadName({ lead }: LeadNameProps) {
  if (!lead) return <span className="font-strong">Deleted lead</span>
  return (
    <>
      <Link
        to={`${paths.leads}?lead=${lead.id}`}
        className="rounded-sm font-strong wrap-anywhere underline-offset-4 hover:underline"
      >
        <bdi>{lead.name || `@${lead.twitterHandle}`}</bdi>
      </Link>
      {lead.name && <XHandle handle={lead.twitterHandle} />}
    </>
  )
}
