import { ORPCError } from '@orpc/client'
import {
  type DefaultedQueryObserverOptions,
  focusManager,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  notifyManager,
  type Query,
  QueryCache,
  QueryClient,
  type QueryKey,
  type QueryObserverOptions,
} from '@tanstack/react-query'

type AnyQuery = Query<unknown, unknown, unknown>

const RETRY_DELAY_MS = 300
/** Delay before the first background retry. It doubles each time, up to the maximum. */
const BACKGROUND_RETRY_MS = 1_000
const MAX_BACKGROUND_RETRY_MS = 10_000

/** Whether the server refused the call with a 4xx, so an immediate retry won't help. */
function isRefusal(error: unknown): boolean {
  return error instanceof ORPCError && error.status < 500
}

/** Whether to retry: once, so that errors show quickly, but not after a 4xx or while offline. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 1 && !isRefusal(error) && !(error instanceof TypeError && navigator.onLine === false)
}

/** Whether a failure may be temporary: not a 4xx, unless it is a rate limit (429). */
function isTemporary(error: unknown): boolean {
  return !isRefusal(error) || (error instanceof ORPCError && error.status === 429)
}

/** Retries failed queries while they are on screen, so that pages recover without a click. */
function createBackgroundRetries(cache: QueryCache) {
  const counts = new WeakMap<AnyQuery, number>()
  // A separate client for queries without data: a retry in the main client would replace the error
  // with a skeleton.
  const hiddenClient = new QueryClient()

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
      const data = await hiddenClient.fetchQuery({ ...options, queryKey, retry: false, staleTime: 0, gcTime: 0 })
      if (isUnchanged()) query.setData(data)
    } catch (error) {
      if (!isUnchanged()) return
      query.setState({ error })
      if (isTemporary(error)) schedule(query)
    }
  }

  function schedule(query: AnyQuery): void {
    const pause = Math.min(BACKGROUND_RETRY_MS * 2 ** (counts.get(query) ?? 0), MAX_BACKGROUND_RETRY_MS)
    setTimeout(() => void retry(query, query.state.errorUpdatedAt), pause)
  }

  return { schedule, reset: (query: AnyQuery) => counts.delete(query) }
}

/**
 * A query client that does not poll after a failed call: a 4xx other than 429 is final, and background
 * retries handle the rest. It also refetches invalidated queries whose first response is pending,
 * because that response may already be outdated.
 */
export class ProductQueryClient extends QueryClient {
  /** A query's minimum poll interval. Signed-in pages raise it for queries with live events. */
  pollFloorMs: (query: AnyQuery) => number = () => 0

  override async invalidateQueries<TaggedQueryKey extends QueryKey = QueryKey>(
    filters: InvalidateQueryFilters<TaggedQueryKey> = {},
    options?: InvalidateOptions,
  ): Promise<void> {
    const matching = this.getQueryCache().findAll(filters)
    const first = new Set(matching.filter(({ state }) => state.data === undefined && state.fetchStatus === 'fetching'))
    await super.invalidateQueries(filters, options)
    if (first.size > 0) await super.invalidateQueries({ predicate: (query) => first.has(query) }, options)
  }

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
    const floorMs = (query: AnyQuery) => this.pollFloorMs(query)
    if (isDefaulted || !refetchInterval) return defaulted
    return {
      ...defaulted,
      refetchInterval(query) {
        if (query.state.status === 'error') return false
        const interval = typeof refetchInterval === 'function' ? refetchInterval(query) : refetchInterval
        return interval ? Math.max(interval, floorMs(query as unknown as AnyQuery)) : interval
      },
    }
  }
}

/** The query client. Offline calls fail immediately instead of waiting until the browser is online. */
export function createQueryClient(): QueryClient {
  // Notify components in a microtask instead of a timer, so that the second click of a double click
  // finds the button busy.
  notifyManager.setScheduler(queueMicrotask)
  const queryCache: QueryCache = new QueryCache({
    onError(error, query) {
      if (query.options.retry !== false && isTemporary(error)) backgroundRetries.schedule(query)
    },
    onSuccess: (_data, query) => backgroundRetries.reset(query),
  })
  const backgroundRetries = createBackgroundRetries(queryCache)
  return new ProductQueryClient({
    queryCache,
    defaultOptions: {
      queries: {
        networkMode: 'always',
        // The default is false if networkMode is 'always'.
        refetchOnReconnect: true,
        staleTime: 10_000,
        retry: isWorthRetrying,
        retryDelay: RETRY_DELAY_MS,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** Refetches stale queries when the tab becomes visible or the window gets focus. */
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
