import { ORPCError } from '@orpc/client'
import {
  environmentManager,
  InfiniteQueryObserver,
  MutationObserver,
  onlineManager,
  type QueryClient,
  QueryObserver,
} from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { errorText } from './api'
import { createQueryClient } from './query-client'

let queries: QueryClient

/** `fetch` in an offline browser. `beforeEach` sets `onLine` to false. */
const unplugged = () => Promise.reject(new TypeError('Failed to fetch'))

beforeEach(() => {
  queries = createQueryClient()
  vi.stubGlobal('navigator', { onLine: false })
  onlineManager.setOnline(false)
})
afterEach(() => {
  vi.unstubAllGlobals()
  onlineManager.setOnline(true)
  queries.clear()
})

test('an offline mutation fails immediately with our message and reverts its optimistic update', async () => {
  const key = ['campaign']
  queries.setQueryData(key, 'active')
  let shownError = ''
  const pause = new MutationObserver(queries, {
    mutationFn: unplugged,
    onMutate: () => {
      queries.setQueryData(key, 'paused')
      return 'active'
    },
    onError: (error, _input, before) => {
      queries.setQueryData(key, before)
      shownError = `Failed to pause campaign: ${errorText(error)}`
    },
  })
  await expect(pause.mutate()).rejects.toThrow(TypeError)
  expect(queries.getQueryData(key)).toBe('active')
  expect(shownError).toMatch(/^Failed to pause campaign: No connection/)
  expect(pause.getCurrentResult().isPaused).toBe(false)
})

test('a mutation is pending before the second click of a double click', async () => {
  const save = new MutationObserver(queries, { mutationFn: () => new Promise<void>(() => {}) })
  let isBusy = false
  save.subscribe(({ isPending }) => {
    isBusy = isPending
  })
  void save.mutate()
  // Waits for the microtasks that run between two queued clicks.
  await Promise.resolve().then(() => Promise.resolve())
  expect(isBusy).toBe(true)
})

test('an offline query fails immediately and is refetched once back online', async () => {
  const ask = vi.fn(unplugged)
  await expect(queries.fetchQuery({ queryKey: ['leads'], queryFn: ask, retry: retryOf(queries) })).rejects.toThrow()
  expect(ask).toHaveBeenCalledTimes(1)
  expect(queries.getDefaultOptions().queries?.refetchOnReconnect).toBe(true)
})

test('server errors are retried, 4xx are not', () => {
  const retry = retryOf(queries)
  expect(retry(0, new ORPCError('INTERNAL', { status: 500 }))).toBe(true)
  expect(retry(2, new ORPCError('INTERNAL', { status: 500 }))).toBe(false)
  expect(retry(0, new ORPCError('PLAN_LIMIT', { status: 403 }))).toBe(false)
})

describe('a query on screen', () => {
  const fault = new ORPCError('INTERNAL', { status: 500 })
  const refused = (status: number) => new ORPCError('REFUSED', { status })
  const ask = vi.fn<() => Promise<string>>()
  /** Every state that was rendered. */
  let statuses: string[]
  const show = (options: { refetchInterval?: number; retry?: false } = {}) =>
    new QueryObserver(queries, { queryKey: ['shown'], queryFn: ask, ...options }).subscribe(({ status }) => {
      if (statuses.at(-1) !== status) statuses.push(status)
    })

  beforeEach(() => {
    vi.useFakeTimers()
    // TanStack Query only polls in browsers.
    environmentManager.setIsServer(() => false)
    statuses = []
    ask.mockReset()
    vi.stubGlobal('navigator', { onLine: true })
    onlineManager.setOnline(true)
  })
  afterEach(() => vi.useRealTimers())

  test.each([403, 404])('stops polling when the answer is %i', async (status) => {
    ask.mockResolvedValueOnce('first').mockRejectedValue(refused(status))
    show({ refetchInterval: 2_000 })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ask).toHaveBeenCalledTimes(2)
    expect(statuses.at(-1)).toBe('error')
  })

  test.each([
    ['a 500', fault],
    ['a lost connection', new TypeError('Failed to fetch')],
    ['a rate limit', refused(429)],
  ])('resumes polling after %s', async (_what, problem) => {
    ask.mockResolvedValueOnce('first').mockRejectedValueOnce(problem).mockRejectedValueOnce(problem)
    ask.mockResolvedValue('again')
    show({ refetchInterval: 2_000 })
    await vi.advanceTimersByTimeAsync(8_000)
    expect(statuses.at(-1)).toBe('success')
    const before = ask.mock.calls.length
    await vi.advanceTimersByTimeAsync(6_000)
    expect(ask.mock.calls.length - before).toBe(3)
  })

  test('is asked again if it is invalidated while its first answer is on its way', async () => {
    ask.mockImplementationOnce(() => new Promise((resolve) => setTimeout(resolve, 500, 'old'))).mockResolvedValue('new')
    show()
    await vi.advanceTimersByTimeAsync(100)
    void queries.invalidateQueries({ queryKey: ['shown'] })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(queries.getQueryData(['shown'])).toBe('new')
    expect(ask).toHaveBeenCalledTimes(2)
  })

  test('shows an error within a second, and keeps it until a background retry succeeds', async () => {
    ask.mockRejectedValue(fault)
    show()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(statuses.at(-1)).toBe('error')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(statuses).toEqual(['pending', 'error'])
    ask.mockResolvedValue('healed')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(statuses).toEqual(['pending', 'error', 'success'])
    expect(queries.getQueryData(['shown'])).toBe('healed')
  })

  test('retries in the background at growing intervals, at most once a second', async () => {
    ask.mockRejectedValue(fault)
    show()
    await vi.advanceTimersByTimeAsync(1_000)
    const before = ask.mock.calls.length
    await vi.advanceTimersByTimeAsync(60_000)
    const retries = ask.mock.calls.length - before
    expect(retries).toBeGreaterThanOrEqual(7)
    expect(retries).toBeLessThanOrEqual(10)
  })

  test('stops background retries after a 4xx and shows it', async () => {
    ask.mockRejectedValueOnce(fault).mockRejectedValueOnce(fault).mockRejectedValue(refused(404))
    show()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ask).toHaveBeenCalledTimes(3)
    expect(queries.getQueryState(['shown'])?.error).toMatchObject({ status: 404 })
  })

  test('stops retrying once it is off screen', async () => {
    ask.mockRejectedValue(fault)
    const hide = show()
    await vi.advanceTimersByTimeAsync(500)
    hide()
    const before = ask.mock.calls.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ask).toHaveBeenCalledTimes(before)
  })

  test('is not retried if its screen disabled retries', async () => {
    ask.mockRejectedValue(fault)
    show({ retry: false })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ask).toHaveBeenCalledTimes(1)
  })

  test('keeps every page of an infinite list when a background retry succeeds', async () => {
    const pages = vi.fn(async ({ pageParam }: { pageParam: number }) => pageParam)
    const list = new InfiniteQueryObserver(queries, {
      queryKey: ['pages'],
      queryFn: pages,
      initialPageParam: 1,
      getNextPageParam: (last) => last + 1,
    })
    list.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(10)
    await list.fetchNextPage()
    pages.mockRejectedValueOnce(fault).mockRejectedValueOnce(fault)
    void list.refetch()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(list.getCurrentResult()).toMatchObject({ status: 'success', data: { pages: [1, 2] } })
  })
})

/** The client's default retry rule. Screens use it, but `fetchQuery` does not retry by default. */
function retryOf(client: QueryClient) {
  const retry = client.getDefaultOptions().queries?.retry
  if (typeof retry !== 'function') throw new Error('no rule')
  return retry
}
