import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Scrape } from '@x-automated/contract/scrapes'
import { handleIn } from '@x-automated/contract/x-handle'
import { fieldProblems } from '../../api'
import { estimateOptions } from './cost-confirmation'
import { estimateText, handleProblem } from './scrape-text'

/** What a scrape of this handle would take, before it starts. Nothing while nobody can tell. @param settled the handle, once nobody types any more */
export function ScrapeEstimate({ settled, type, asks }: { settled: string; type: Scrape['type']; asks: boolean }) {
  const twitterHandle = handleIn(settled)
  const estimate = useQuery({
    ...estimateOptions({ twitterHandle, type }),
    enabled: asks && handleProblem(settled) === null,
    placeholderData: keepPreviousData,
  })
  if (!asks || handleProblem(settled) !== null) return null
  const problem = fieldProblems(estimate.error).twitterHandle
  if (problem) return <p className="text-warn">{problem}</p>
  const { data } = estimate
  // KeyValueStorage from the handle before, it would speak of another.
  if (!data || estimate.isPlaceholderData) return null
  return (
    <div className="grid gap-1 text-muted" data-numeric>
      <p>{estimateText(data, type)}</p>
      {data.leadsLeft !== null && (
        <p>Your plan allows {data.leadsLeft.toLocaleString('en-US')} more scraped leads this month.</p>
      )}
    </div>
  )
}
