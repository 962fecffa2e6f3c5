import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { Lead } from '@x-automated/contract/leads/leads'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { SearchX, Users, UserX } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Badge } from '../../../ui/badge'
import { ButtonLink } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { EmptyState } from '../../../ui/empty-state'
import { Pager } from '../../../ui/pager'
import { LoadingText, Skeleton } from '../../../ui/skeleton'
import { LeadBio, LeadFollowers, LeadIdentity } from '../leads/lead-parts'
import { queryOf, type ResultsFilter } from './results-filter'
import { isInProgress } from './scrape-text'

const PAGE_SIZE = 12
const POLL_EVERY_MS = 3_000

/** The query for a page of the scrape's leads that match the filter. */
export function resultsOptions(scrape: Scrape, page: number, filter: ResultsFilter) {
  return api.leads.list.queryOptions({
    input: { scrapeId: scrape.id, page, pageSize: PAGE_SIZE, ...queryOf(filter, scrape) },
    enabled: scrape.matched > 0,
    placeholderData: keepPreviousData,
    refetchInterval: isInProgress(scrape.status) ? POLL_EVERY_MS : false,
  })
}

/** The leads that a scrape has found so far, as cards. */
export function ResultLeads({ scrape, filter }: { scrape: Scrape; filter: ResultsFilter }) {
  const [view, setView] = useState({ page: 1, filter })
  // After the filter changes, start at the first page.
  const page = view.filter === filter ? view.page : 1
  const setPage = (next: number) => setView({ page: next, filter })
  const inProgress = isInProgress(scrape.status)
  const isFiltered = Object.keys(queryOf(filter, scrape)).length > 0
  const query = useQuery(resultsOptions(scrape, page, filter))

  if (scrape.matched === 0) {
    if (inProgress || scrape.status === 'failed') return null
    if (scrape.fetched === 0 && scrape.status === 'completed')
      return (
        <EmptyState icon={<SearchX />} title="No accounts to read">
          {emptyText(scrape)}
        </EmptyState>
      )
    return (
      <EmptyState icon={<SearchX />} title="No matches">
        Widen the follower range{scrape.keywords.length > 0 && ' or remove a keyword'}.
      </EmptyState>
    )
  }
  return (
    <section aria-label="Leads found" className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-base">Results</h2>
        <div className="flex items-center gap-3">
          {inProgress && <Badge>{formatNumber(scrape.matched)} leads found</Badge>}
          <ButtonLink to={`${paths.leads}?scrape=${scrape.id}`} size="sm" icon={<Users />}>
            Open in Leads
          </ButtonLink>
        </div>
      </div>
      {query.isError && !query.data ? (
        <QueryError query={query} />
      ) : query.data?.total === 0 && isFiltered ? (
        <EmptyState icon={<SearchX />} title="No leads match">
          Widen the range above{filter.required.length + filter.excluded.length > 0 && ', or drop a word'}.
        </EmptyState>
      ) : query.data?.total === 0 ? (
        <EmptyState icon={<UserX />} title="These leads were deleted">
          This scrape found {formatCount(scrape.matched, 'lead')}, {scrape.matched > 1 && 'all '}deleted since.
        </EmptyState>
      ) : (
        <>
          {query.isPending && <LoadingText>Loading leads…</LoadingText>}
          <ul
            aria-busy={query.isPlaceholderData || undefined}
            className="grid grid-cols-1 gap-x-10 transition-opacity aria-busy:opacity-60 sm:grid-cols-2"
          >
            {query.data
              ? query.data.leads.map((lead) => (
                  <li key={lead.id} className="border-t border-hair py-4">
                    <ResultCard person={lead} />
                  </li>
                ))
              : Array.from({ length: Math.min(PAGE_SIZE, scrape.matched) }, (_, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the cards are identical and never move
                  <li key={index}>
                    <Skeleton className="h-32" />
                  </li>
                ))}
          </ul>
          <Pager page={page} pageSize={PAGE_SIZE} query={query} onChange={setPage} noun="leads" />
        </>
      )}
    </section>
  )
}

interface ResultCardProps {
  person: Pick<Lead, 'name' | 'twitterHandle' | 'pictureUrl' | 'isSample' | 'bio' | 'followerCount'>
  /** What the person is outside of, if anything. They are shown muted then. */
  outside?: string | false
}

/** One of the people whom the finder shows. */
export function ResultCard({ person, outside }: ResultCardProps) {
  return (
    <div className={cn('grid h-full content-between gap-3', outside && 'text-muted [&_img]:grayscale')}>
      <div className="grid gap-2.5">
        <LeadIdentity lead={person} />
        <p className="text-muted">
          <LeadBio bio={person.bio} />
        </p>
      </div>
      <p className="flex items-center gap-1.5 text-xs text-muted">
        <Users aria-hidden className="size-3.5" />
        <span>
          <LeadFollowers followerCount={person.followerCount} /> followers
          {outside && ` · ${outside}`}
        </span>
      </p>
    </div>
  )
}

/** Why there is nobody to read. */
export function emptyText({
  type,
  twitterHandle,
}: {
  type: Scrape['type']
  twitterHandle?: string | null | undefined
}): string {
  switch (type) {
    case 'followers':
      return `@${twitterHandle} has no followers yet. Try another handle.`
    case 'following':
      return `@${twitterHandle} doesn't follow anyone yet. Try another handle.`
    case 'handles':
      return 'None of these handles exist on X. Check the spelling.'
    case 'list_members':
      return 'This list has no members. Try another list.'
    default:
      return 'X lists no one for this post. Try another post.'
  }
}
