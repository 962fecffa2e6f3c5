import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { RotateCw } from 'lucide-react'
import { api } from '../../../api'
import { PagedTable } from '../../../paged-table'
import { Button } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { useIsOffered } from '../../identity/people/use-role'
import { ScrapeStatus } from './scrape-panel'
import { isInProgress, scrapeFilter, scrapeTitle } from './scrape-text'
import { useScrapeAgain } from './use-scrape-again'

/** How often to poll while a scrape is in progress. The scrape displayed above updates live. */
const POLL_EVERY_MS = 5_000

interface RecentScrapesProps {
  page: number
  pageSize: number
  onPage: (page: number) => void
  /** The id of the scrape displayed above. */
  currentId: string | null
  onShow: (id: string) => void
  /** Whether a scrape is in progress. If so, no other scrape can start. */
  busy: boolean
  onStarted: (scrape: Scrape) => void
  onAskCredentials: () => void
}

/** Past scrapes and their results. */
export function RecentScrapes({
  page,
  pageSize,
  onPage,
  currentId: shownId,
  onShow,
  busy,
  onStarted,
  onAskCredentials,
}: RecentScrapesProps) {
  const mayWrite = useIsOffered('member')
  const again = useScrapeAgain({
    onStarted(scrape) {
      scrollToTop()
      onStarted(scrape)
    },
    onAskCredentials,
  })
  const scrapes = useQuery(
    api.scrapes.list.queryOptions({
      input: { page, pageSize },
      placeholderData: keepPreviousData,
      refetchInterval: (query) =>
        query.state.data?.scrapes.some((scrape) => isInProgress(scrape.status)) ? POLL_EVERY_MS : false,
    }),
  )
  if (scrapes.data?.total === 0) return null
  return (
    <section aria-label="Recent scrapes" className="grid gap-3">
      <h2 className="text-lg">Recent scrapes</h2>
      <PagedTable
        label="Recent scrapes"
        query={scrapes}
        rows={scrapes.data?.scrapes}
        isSelected={({ id }) => id === shownId}
        loading="Loading scrapes…"
        page={page}
        pageSize={pageSize}
        onChange={onPage}
        noun="scrapes"
        skeletonRows={3}
        empty={null}
        columns={[
          {
            name: 'Scrape',
            bare: true,
            cell: (scrape) => (
              <span className="grid min-w-0 gap-0.5">
                <span className="font-strong wrap-anywhere">{scrapeTitle(scrape)}</span>
                <span className="text-xs text-muted wrap-anywhere">{scrapeFilter(scrape)}</span>
              </span>
            ),
          },
          { name: 'Read', end: true, cell: ({ fetched }) => formatNumber(fetched) },
          { name: 'Found', end: true, cell: ({ matched }) => formatNumber(matched) },
          { name: 'Status', cell: (scrape) => <ScrapeStatus scrape={scrape} /> },
          {
            name: 'Started',
            className: 'whitespace-nowrap text-muted',
            cell: ({ createdAt }) => <DateTime value={createdAt} />,
          },
          {
            name: 'Actions',
            hidden: true,
            className: 'w-px',
            cell: (scrape) => (
              <span className="flex gap-2 md:justify-end">
                <Button
                  size="sm"
                  className="max-md:flex-1"
                  disabled={scrape.id === shownId}
                  aria-label={`${scrape.id === shownId ? 'Viewing' : 'View'}: ${scrapeTitle(scrape)}`}
                  onClick={() => {
                    onShow(scrape.id)
                    scrollToTop()
                  }}
                >
                  {scrape.id === shownId ? 'Viewing' : 'View'}
                </Button>
                {mayWrite && (
                  <Button
                    size="sm"
                    className="max-md:flex-1"
                    icon={<RotateCw />}
                    aria-label={`Run again: ${scrapeTitle(scrape)}`}
                    disabled={busy || again.isPending}
                    loading={again.isPending && again.variables.id === scrape.id}
                    onClick={() => again.mutate(scrape)}
                  >
                    Run again
                  </Button>
                )}
              </span>
            ),
          },
        ]}
      />
    </section>
  )
}

const scrollToTop = () => document.getElementById('content')?.scrollIntoView({ block: 'start' })
