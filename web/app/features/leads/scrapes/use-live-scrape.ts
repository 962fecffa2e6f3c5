import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { useEffect } from 'react'
import { api } from '../../../api'
import { useEnded } from '../../../use-ended'
import { isInProgress } from './scrape-text'

const POLL_EVERY_MS = 1_000

/** Updates a scrape in all cached queries. */
export function cacheScrape(queries: QueryClient, scrape: Scrape): void {
  queries.setQueryData(api.scrapes.find.queryKey({ input: { id: scrape.id } }), scrape)
  queries.setQueriesData<{ scrapes: Scrape[] }>(
    { queryKey: api.scrapes.list.key({ type: 'query' }) },
    (page) => page && { ...page, scrapes: page.scrapes.map((other) => (other.id === scrape.id ? scrape : other)) },
  )
}

/** A scrape, polled while it is in progress. @param onFinished see `useEnded` */
export function useLiveScrape(id: string | null, onFinished: (scrape: Scrape) => void) {
  const queries = useQueryClient()
  const scrape = useQuery(
    api.scrapes.find.queryOptions({
      input: id === null ? skipToken : { id },
      refetchInterval: ({ state: { data } }) => (data && isInProgress(data.status) ? POLL_EVERY_MS : false),
    }),
  )
  const { data } = scrape
  useEffect(() => {
    if (data) cacheScrape(queries, data)
  }, [data, queries])
  useEnded(data, data !== undefined && isInProgress(data.status), onFinished)
  return scrape
}
