import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { handleIn } from '@x-automated/contract/x-handle'
import { fieldProblems } from '../../../api'
import { estimateOptions } from './cost-confirmation'
import { estimateText, handleProblem } from './scrape-text'

/** Time and cost of a scrape; nothing while unknown. @param typed the handle, debounced */
export function ScrapeEstimate({ typed, type, enabled }: { typed: string; type: Scrape['type']; enabled: boolean }) {
  const twitterHandle = handleIn(typed)
  const estimate = useQuery({
    ...estimateOptions({ twitterHandle, type }),
    enabled: enabled && handleProblem(typed) === null,
    placeholderData: keepPreviousData,
  })
  if (!enabled || handleProblem(typed) !== null) return null
  const problem = fieldProblems(estimate.error).twitterHandle
  if (problem) return <p className="text-warn">{problem}</p>
  const { data } = estimate
  // Placeholder data belongs to the previous handle.
  if (!data || estimate.isPlaceholderData) return null
  return (
    <div className="grid gap-1 text-muted" data-numeric>
      <p>{estimateText(data, type)}</p>
      {data.leadsLeft !== null && (
        <p>
          {data.leadsLeft === 0
            ? 'No scraped leads left this month.'
            : `${formatCount(data.leadsLeft, 'scraped lead')} left this month.`}
        </p>
      )}
    </div>
  )
}
