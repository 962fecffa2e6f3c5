import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { RotateCw } from 'lucide-react'
import { api, client, errorCode, errorText } from '../../../api'
import { QueryError } from '../../../query-error'
import { StatusBadge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { Pager } from '../../../ui/pager'
import { SkeletonRows } from '../../../ui/skeleton'
import { ActionsTh, Table, Td, Th, Tr } from '../../../ui/table'
import { toast } from '../../../ui/toast'
import { useIsOffered } from '../../identity/people/use-role'
import { useCostConfirmation } from './cost-confirmation'
import { isInProgress, requestOf, scrapeFilter, scrapeTitle } from './scrape-text'

/** Polls while a scrape is in progress. The one shown above updates live. */
const POLL_EVERY_MS = 5_000

export interface RecentScrapesProps {
  page: number
  pageSize: number
  onPage: (page: number) => void
  /** The id of the scrape shown above. */
  shown: string | null
  onShow: (id: string) => void
  /** A scrape is in progress, so no other can start. */
  busy: boolean
  onStarted: (scrape: Scrape) => void
  onAskCredentials: () => void
}

/** Past scrapes and their results. */
export function RecentScrapes({
  page,
  pageSize,
  onPage,
  shown,
  onShow,
  busy,
  onStarted,
  onAskCredentials,
}: RecentScrapesProps) {
  const mayWrite = useIsOffered('member')
  const confirmStart = useCostConfirmation()
  const again = useMutation({
    mutationFn: async (scrape: Scrape) =>
      (await confirmStart(scrape, null)) ? client.scrapes.create(requestOf(scrape)) : null,
    onSuccess: (scrape) => {
      if (!scrape) return
      document.getElementById('content')?.scrollIntoView({ block: 'start' })
      onStarted(scrape)
    },
    onError: (error) => {
      if (errorCode(error) === 'X_SESSION_EXPIRED') onAskCredentials()
      toast.error(errorText(error, 'Failed to scrape X followers'))
    },
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
      {scrapes.isError && !scrapes.data ? (
        <QueryError query={scrapes} />
      ) : (
        <div>
          <Table label="Recent scrapes" stale={scrapes.isPlaceholderData}>
            <thead>
              <tr>
                <Th>Scrape</Th>
                <Th end>Read</Th>
                <Th end>Found</Th>
                <Th>Status</Th>
                <Th>Started</Th>
                <ActionsTh className="w-px" />
              </tr>
            </thead>
            <tbody>
              {scrapes.data ? (
                scrapes.data.scrapes.map((scrape) => (
                  <Tr key={scrape.id} selected={scrape.id === shown}>
                    <Td>
                      <span className="grid min-w-0 gap-0.5">
                        <span className="font-strong wrap-anywhere">{scrapeTitle(scrape)}</span>
                        <span className="text-xs text-muted wrap-anywhere">{scrapeFilter(scrape)}</span>
                      </span>
                    </Td>
                    <Td label="Read" end>
                      {formatNumber(scrape.fetched)}
                    </Td>
                    <Td label="Found" end>
                      {formatNumber(scrape.matched)}
                    </Td>
                    <Td label="Status">
                      <StatusBadge status={scrape.status} />
                    </Td>
                    <Td label="Started" className="whitespace-nowrap text-muted">
                      <DateTime value={scrape.createdAt} />
                    </Td>
                    <Td>
                      <span className="flex gap-2 md:justify-end">
                        <Button
                          size="sm"
                          className="max-md:flex-1"
                          disabled={scrape.id === shown}
                          aria-label={`${scrape.id === shown ? 'Viewing' : 'View'}: ${scrapeTitle(scrape)}`}
                          onClick={() => {
                            onShow(scrape.id)
                            document.getElementById('content')?.scrollIntoView({ block: 'start' })
                          }}
                        >
                          {scrape.id === shown ? 'Viewing' : 'View'}
                        </Button>
                        {mayWrite && (
                          <Button
                            size="sm"
                            className="max-md:flex-1"
                            icon={<RotateCw aria-hidden />}
                            aria-label={`Run again: ${scrapeTitle(scrape)}`}
                            disabled={busy || again.isPending}
                            loading={again.isPending && again.variables.id === scrape.id}
                            onClick={() => again.mutate(scrape)}
                          >
                            Run again
                          </Button>
                        )}
                      </span>
                    </Td>
                  </Tr>
                ))
              ) : (
                <SkeletonRows columns={6} rows={3} />
              )}
            </tbody>
          </Table>
          <Pager page={page} pageSize={pageSize} query={scrapes} onChange={onPage} noun="scrapes" />
        </div>
      )}
    </section>
  )
}
