import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/campaigns'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { Timer } from 'lucide-react'
import { api } from '../../api'
import { isInitialLoading } from '../../initial-loading'
import { SkeletonLine } from '../../ui/skeleton'
import { useDebouncedValue } from '../../ui/use-debounced-value'
import { durationText } from './campaign-progress'

interface CampaignEstimateProps {
  leadListId: string
  messageTemplate: string
  channel: Campaign['channel']
  xAccountId?: string | undefined
  allowReplied: boolean
}

/** What a campaign would take, before it is launched, and whom its message knows too little of. Nothing while nobody can tell. */
export function CampaignEstimate({
  leadListId,
  messageTemplate,
  channel,
  xAccountId,
  allowReplied,
}: CampaignEstimateProps) {
  const settled = useDebouncedValue(messageTemplate)
  const estimate = useQuery(
    api.campaigns.estimate.queryOptions({
      input: { leadListId, channel, messageTemplate: settled, allowReplied, ...(xAccountId ? { xAccountId } : {}) },
      enabled: leadListId !== '',
      retry: false,
      placeholderData: keepPreviousData,
    }),
  )
  const { data, isPlaceholderData } = estimate
  if (leadListId !== '' && isInitialLoading(estimate)) return <SkeletonLine className="w-64" />
  // Kept from a list before, it would speak of another.
  if (leadListId === '' || !data || data.leads === 0 || (isPlaceholderData && settled === messageTemplate)) return null
  const messages = allowReplied ? data.leads : data.leads - data.replied
  return (
    <div className="flex gap-2.5 text-muted" data-numeric>
      <Timer aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="grid gap-1">
        <p>
          {data.seconds === null ? (
            'The daily cap or the working hours of this X account let nothing through.'
          ) : (
            <>
              {formatNumber(messages)} {messages === 1 ? 'message takes' : 'messages take'} {durationText(data.seconds)}
              {data.ahead > 0 && `, behind ${formatNumber(data.ahead)} that are queued already`}
              {data.costCents !== null && `, and X bills about ${money(data.costCents)}`}.
            </>
          )}
        </p>
        {data.replied > 0 && (
          <p>
            {formatCount(data.replied, 'lead')} replied to you: {allowReplied ? 'included' : 'skipped'}.
          </p>
        )}
        {data.missing.map(({ place, leads }) => (
          <p key={place} className="text-warn">
            {leads === data.leads
              ? `No lead has a value for ${place}: all read its fallback.`
              : `${formatCount(leads, 'lead')} ${data.checked < data.leads ? `of the first ${formatNumber(data.checked)} ` : ''}${leads === 1 ? 'has' : 'have'} no value for ${place} and ${leads === 1 ? 'reads' : 'read'} its fallback.`}
          </p>
        ))}
      </div>
    </div>
  )
}

function money(cents: number): string {
  return (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' })
}
