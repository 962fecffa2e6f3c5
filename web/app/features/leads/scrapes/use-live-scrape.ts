import { ORPCError } from '@orpc/client'
import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { useEffect, useEffectEvent } from 'react'
import { api, client } from '../../../api'
import { signedFetch } from '../../../signed-fetch'
import { followScrape, type ScrapeFeed } from './follow-scrape'
import { isInProgress } from './scrape-text'

/** Updates a scrape in every cached query. */
export function cacheScrape(queries: QueryClient, scrape: Scrape): void {
  queries.setQueryData(api.scrapes.find.queryKey({ input: { id: scrape.id } }), scrape)
  queries.setQueriesData<{ scrapes: Scrape[] }>(
    { queryKey: api.scrapes.list.key({ type: 'query' }) },
    (page) => page && { ...page, scrapes: page.scrapes.map((other) => (other.id === scrape.id ? scrape : other)) },
  )
}

/**
 * A scrape with live updates. @param onFinished called if it ends while it is shown, not if it had
 * ended before
 */
export function useLiveScrape(id: string | null, onFinished: (scrape: Scrape) => void) {
  const queries = useQueryClient()
  const scrape = useQuery(api.scrapes.find.queryOptions({ input: id === null ? skipToken : { id } }))
  const inProgress = scrape.data !== undefined && isInProgress(scrape.data.status)
  const onUpdate = useEffectEvent((update: Scrape) => {
    cacheScrape(queries, update)
    if (!isInProgress(update.status)) onFinished(update)
  })
  useEffect(() => {
    if (id === null || !inProgress) return
    const stop = new AbortController()
    void followScrape(feedOf(id), onUpdate, stop.signal)
    return () => stop.abort()
  }, [id, inProgress])
  return scrape
}

function feedOf(id: string): ScrapeFeed {
  return {
    async open(lastEventId, signal) {
      const answer = await signedFetch(`/api/scrapes/${encodeURIComponent(id)}/events`, {
        headers: { accept: 'text/event-stream', ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
        cache: 'no-store',
        signal,
      })
      if (!answer.body || !answer.headers.get('content-type')?.startsWith('text/event-stream'))
        throw new TypeError('The response is not an event stream.')
      return answer.body
    },
    find: (signal) => client.scrapes.find({ id }, { signal }),
    isPermanent: (error) => error instanceof ORPCError && [401, 403, 404].includes(error.status),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          resolve()
        })
      }),
  }
}
