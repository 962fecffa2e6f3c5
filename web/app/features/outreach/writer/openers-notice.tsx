import { useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { generatePath } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { ButtonLink } from '../../../ui/button'
import { useHasRole } from '../../identity/people/use-role'
import { countsText } from './opener-text'

/** The state of a campaign's openers, with a link to them. */
export function OpenersNotice({ campaign: { id } }: { campaign: Campaign }) {
  const isMember = useHasRole('member')
  const list = useQuery(api.openers.list.queryOptions({ input: { id, pageSize: 1 }, enabled: isMember === true }))
  if (!isMember) return null
  const counts = list.data?.counts
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-sunken px-3 py-2">
      <p className="min-w-0 flex-1 basis-60" data-numeric>
        <span className="font-strong">AI openers: </span>
        {counts && `${countsText(counts)}. `}
        <span className="text-muted">Without an approved opener, the fallback is sent.</span>
      </p>
      <ButtonLink size="sm" to={generatePath(paths.campaignOpeners, { campaignId: id })}>
        {counts && counts.draft > 0
          ? `Review ${formatCount(counts.draft, 'opener')}`
          : counts && counts.approved > 0
            ? 'View openers'
            : 'Write openers'}
      </ButtonLink>
    </div>
  )
}
