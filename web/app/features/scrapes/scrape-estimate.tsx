import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Scrape } from '@x-automated/contract/scrapes'
import { handleIn } from '@x-automated/contract/x-handle'
import { api, fieldProblems } from '../../api'
import { useSettled } from '../../ui/use-settled'
import { handleProblem, moneyWords, timeLeftWords } from './scrape-words'

/** How many follow somebody does not change at once. */
const STAYS_MS = 60_000

/** What a scrape of this handle would take, before it starts. Nothing while nobody can tell. */
export function ScrapeEstimate({ handle, type, asks }: { handle: string; type: Scrape['type']; asks: boolean }) {
  const settled = useSettled(handle)
  const twitterHandle = handleIn(settled)
  const estimate = useQuery(
    api.scrapes.estimate.queryOptions({
      input: { twitterHandle, type },
      enabled: asks && handleProblem(settled) === null,
      staleTime: STAYS_MS,
      retry: false,
      placeholderData: keepPreviousData,
    }),
  )
  if (!asks || handleProblem(settled) !== null) return null
  const problem = fieldProblems(estimate.error).twitterHandle
  if (problem) return <p className="text-warn">{problem}</p>
  const { data } = estimate
  // Kept from the handle before, it would speak of another.
  if (!data || estimate.isPlaceholderData) return null
  const people = type === 'followers' ? 'followers' : 'people followed'
  return (
    <div className="grid gap-1 text-muted" data-numeric>
      <p>
        {data.profiles.toLocaleString('en-US')} {people}: reading all takes {timeLeftWords(data.seconds)}
        {data.costCents !== null && <>, and X bills up to {moneyWords(data.costCents)}</>}.
      </p>
      {data.leadsLeft !== null && (
        <p>Your plan allows {data.leadsLeft.toLocaleString('en-US')} more scraped leads this month.</p>
      )}
    </div>
  )
}
