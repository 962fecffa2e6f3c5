import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount, formatMoney, formatNumber, pluralize } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { Timer } from 'lucide-react'
import { api } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { SkeletonLine } from '../../../ui/skeleton'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import { durationText } from './campaign-progress'

interface CampaignEstimateProps {
  leadListId: string
  messageTemplate: string
  channel: Campaign['channel']
  xAccountId?: string | undefined
  allowReplied: boolean
}

/** A campaign's duration, cost and leads without values for its variables; nothing while unknown. */
export function CampaignEstimate({
  leadListId,
  messageTemplate,
  channel,
  xAccountId,
  allowReplied,
}: CampaignEstimateProps) {
  const debouncedTemplate = useDebouncedValue(messageTemplate)
  const estimate = useQuery(
    api.campaigns.estimate.queryOptions({
      input: {
        leadListId,
        channel,
        messageTemplate: debouncedTemplate,
        allowReplied,
        ...(xAccountId ? { xAccountId } : {}),
      },
      enabled: leadListId !== '',
      retry: false,
      placeholderData: keepPreviousData,
    }),
  )
  const { data, isPlaceholderData } = estimate
  if (leadListId !== '' && isInitialLoading(estimate)) return <SkeletonLine className="w-64" />
  // Placeholder data belongs to another list.
  if (leadListId === '' || !data || data.leads === 0 || (isPlaceholderData && debouncedTemplate === messageTemplate))
    return null
  const messages = allowReplied ? data.leads : data.leads - data.replied
  return (
    <div className="flex gap-2.5 text-muted" data-numeric>
      <Timer className="mt-0.5 size-4 shrink-0" />
      <div className="grid gap-1">
        <p>
          {data.seconds === null ? (
            "Nothing can be sent: check this account's daily cap and sending window."
          ) : (
            <>
              {formatCount(messages, 'message')} · {durationText(data.seconds)}
              {data.ahead > 0 && ` · after ${formatNumber(data.ahead)} already queued`}
              {data.costCents !== null && ` · X bills about ${formatMoney(data.costCents)}`}
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
              ? `No lead has a ${place}; everyone gets the fallback.`
              : `${data.checked < data.leads ? `${formatNumber(leads)} of the first ${formatCount(data.checked, 'lead')}` : formatCount(leads, 'lead')} ${pluralize(leads, 'has', 'have')} no ${place} and ${pluralize(leads, 'gets', 'get')} the fallback.`}
          </p>
        ))}
      </div>
    </div>
  )
}
