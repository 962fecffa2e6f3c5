import { ORPCError } from '@orpc/client'
import {
  type DefaultedQueryObserverOptions,
  focusManager,
  notifyManager,
  type Query,
  QueryCache,
  QueryClient,
  type QueryKey,
  type QueryObserverOptions,
} from '@tanstack/react-query'

type AnyQuery = Query<unknown, unknown, unknown>

/** A blip passes within this, and no one sees it. */
const RETRY_DELAY_MS = 300
/** Between two quiet retries: doubled each time, up to the longest. */
const QUIET_RETRY_MS = 1_000
const LONGEST_QUIET_RETRY_MS = 10_000

/** The server refused (4xx): the same call gets the same answer. */
function isRefusal(error: unknown): boolean {
  return error instanceof ORPCError && error.status < 500
}

/** One retry only, so that the text of a fault shows in time. Never while the device is offline. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 1 && !isRefusal(error) && !(error instanceof TypeError && navigator.onLine === false)
}

/** Faults pass, and so does a rate limit. */
function mayPass(error: unknown): boolean {
  return !isRefusal(error) || (error instanceof ORPCError && error.status === 429)
}

/** Retries what failed while it is shown, so that its screen recovers without a press. */
function createQuietRetries(cache: QueryCache) {
  const counts = new WeakMap<AnyQuery, number>()
  // Fetches what has no data yet: by a fetch of its own, a query would show its skeleton in place of the text each time.
  const unseen = new QueryClient()

  async function retry(query: AnyQuery, failedAt: number): Promise<void> {
    const isUnchanged = () => {
      const { status, fetchStatus, errorUpdatedAt } = query.state
      return status === 'error' && fetchStatus === 'idle' && errorUpdatedAt === failedAt
    }
    if (cache.get(query.queryHash) !== query || !isUnchanged()) return
    if (!query.isActive() || !focusManager.isFocused()) return schedule(query)
    counts.set(query, (counts.get(query) ?? 0) + 1)
    if (query.state.data !== undefined) return void query.fetch().catch(() => {})
    const { queryKey, options } = query
    try {
      const data = await unseen.fetchQuery({ ...options, queryKey, retry: false, staleTime: 0, gcTime: 0 })
      if (isUnchanged()) query.setData(data)
    } catch (error) {
      if (!isUnchanged()) return
      query.setState({ error })
      if (mayPass(error)) schedule(query)
    }
  }

  function schedule(query: AnyQuery): void {
    const pause = Math.min(QUIET_RETRY_MS * 2 ** (counts.get(query) ?? 0), LONGEST_QUIET_RETRY_MS)
    setTimeout(() => void retry(query, query.state.errorUpdatedAt), pause)
  }

  return { schedule, reset: (query: AnyQuery) => counts.delete(query) }
}

/** A query whose last call failed does not poll: a refusal is final, and quiet retries ask again after a fault. */
class ProductQueryClient extends QueryClient {
  override defaultQueryOptions<
    TQueryFnData = unknown,
    TError = Error,
    TData = TQueryFnData,
    TQueryData = TQueryFnData,
    TQueryKey extends QueryKey = QueryKey,
    TPageParam = never,
  >(
    options:
      | QueryObserverOptions<TQueryFnData, TError, TData, TQueryData, TQueryKey, TPageParam>
      | DefaultedQueryObserverOptions<TQueryFnData, TError, TData, TQueryData, TQueryKey>,
  ): DefaultedQueryObserverOptions<TQueryFnData, TError, TData, TQueryData, TQueryKey> {
    const isDefaulted = options._defaulted === true
    const defaulted = super.defaultQueryOptions(options)
    const { refetchInterval } = defaulted
    if (isDefaulted || !refetchInterval) return defaulted
    return {
      ...defaulted,
      refetchInterval(query) {
        if (query.state.status === 'error') return false
        return typeof refetchInterval === 'function' ? refetchInterval(query) : refetchInterval
      },
    }
  }
}

/**
 * What the app asks through. Without a network calls fail at once, so that it is told:
 * by TanStack Query's own rule they would wait without a word, and take effect whenever the network is back.
 */
export function createQueryClient(): QueryClient {
  // Told at once, not a timer later: a button is busy before a second press of a double click can reach it.
  notifyManager.setScheduler(queueMicrotask)
  const queryCache: QueryCache = new QueryCache({
    onError(error, query) {
      if (query.options.retry !== false && mayPass(error)) quietRetries.schedule(query)
    },
    onSuccess: (_data, query) => quietRetries.reset(query),
  })
  const quietRetries = createQuietRetries(queryCache)
  return new ProductQueryClient({
    queryCache,
    defaultOptions: {
      queries: {
        networkMode: 'always',
        // Asking again once the network is back is the default only of queries that had waited for it.
        refetchOnReconnect: true,
        staleTime: 10_000,
        retry: isWorthRetrying,
        retryDelay: RETRY_DELAY_MS,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** Asks again for what may be old when one comes back to the page: to its tab, or to its window beside another. */
export function refetchOnReturn(): void {
  if (typeof window === 'undefined') return
  focusManager.setEventListener((onFocus) => {
    const back = () => onFocus()
    addEventListener('visibilitychange', back)
    addEventListener('focus', back)
    return () => {
      removeEventListener('visibilitychange', back)
      removeEventListener('focus', back)
    }
  })
}
