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

/** As a browser whose network is gone: it says so, and every fetch fails. */
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

test('without a network a change fails at once, in words of ours, and what it showed is taken back', async () => {
  const key = ['campaign']
  queries.setQueryData(key, 'active')
  let told = ''
  const pause = new MutationObserver(queries, {
    mutationFn: unplugged,
    onMutate: () => {
      queries.setQueryData(key, 'paused')
      return 'active'
    },
    onError: (error, _input, before) => {
      queries.setQueryData(key, before)
      told = `Failed to pause campaign: ${errorText(error)}`
    },
  })
  await expect(pause.mutate()).rejects.toThrow(TypeError)
  expect(queries.getQueryData(key)).toBe('active')
  expect(told).toMatch(/^Failed to pause campaign: No connection/)
  expect(pause.getCurrentResult().isPaused).toBe(false)
})

test('a change is known to be under way before a second press of a double click comes', async () => {
  const save = new MutationObserver(queries, { mutationFn: () => new Promise<void>(() => {}) })
  let isBusy = false
  save.subscribe(({ isPending }) => {
    isBusy = isPending
  })
  void save.mutate()
  // All that lies between two clicks that the browser has in its queue.
  await Promise.resolve().then(() => Promise.resolve())
  expect(isBusy).toBe(true)
})

test('without a network a question fails at once, and is not asked again before the network is back', async () => {
  const ask = vi.fn(unplugged)
  await expect(queries.fetchQuery({ queryKey: ['leads'], queryFn: ask, retry: retryOf(queries) })).rejects.toThrow()
  expect(ask).toHaveBeenCalledTimes(1)
  expect(queries.getDefaultOptions().queries?.refetchOnReconnect).toBe(true)
})

test('faults of the server are worth another try, its refusals are not', () => {
  const retry = retryOf(queries)
  expect(retry(0, new ORPCError('INTERNAL', { status: 500 }))).toBe(true)
  expect(retry(2, new ORPCError('INTERNAL', { status: 500 }))).toBe(false)
  expect(retry(0, new ORPCError('PLAN_LIMIT', { status: 403 }))).toBe(false)
})

describe('a query on the screen', () => {
  const fault = new ORPCError('INTERNAL', { status: 500 })
  const refused = (status: number) => new ORPCError('REFUSED', { status })
  const ask = vi.fn<() => Promise<string>>()
  /** Every state that the screen has drawn. */
  let shown: string[]
  const show = (options: { refetchInterval?: number; retry?: false } = {}) =>
    new QueryObserver(queries, { queryKey: ['shown'], queryFn: ask, ...options }).subscribe(({ status }) => {
      if (shown.at(-1) !== status) shown.push(status)
    })

  beforeEach(() => {
    vi.useFakeTimers()
    // TanStack Query polls in browsers only.
    environmentManager.setIsServer(() => false)
    shown = []
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
    expect(shown.at(-1)).toBe('error')
  })

  test.each([
    ['a fault', fault],
    ['a lost connection', new TypeError('Failed to fetch')],
    ['a rate limit', refused(429)],
  ])('resumes polling after %s', async (_what, problem) => {
    ask.mockResolvedValueOnce('first').mockRejectedValueOnce(problem).mockRejectedValueOnce(problem)
    ask.mockResolvedValue('again')
    show({ refetchInterval: 2_000 })
    await vi.advanceTimersByTimeAsync(8_000)
    expect(shown.at(-1)).toBe('success')
    const before = ask.mock.calls.length
    await vi.advanceTimersByTimeAsync(6_000)
    expect(ask.mock.calls.length - before).toBe(3)
  })

  test('shows a fault within a second, and keeps it on the screen until a quiet retry succeeds', async () => {
    ask.mockRejectedValue(fault)
    show()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(shown.at(-1)).toBe('error')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(shown).toEqual(['pending', 'error'])
    ask.mockResolvedValue('healed')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(shown).toEqual(['pending', 'error', 'success'])
    expect(queries.getQueryData(['shown'])).toBe('healed')
  })

  test('retries quietly at growing intervals, never more than every second', async () => {
    ask.mockRejectedValue(fault)
    show()
    await vi.advanceTimersByTimeAsync(1_000)
    const before = ask.mock.calls.length
    await vi.advanceTimersByTimeAsync(60_000)
    const retries = ask.mock.calls.length - before
    expect(retries).toBeGreaterThanOrEqual(7)
    expect(retries).toBeLessThanOrEqual(10)
  })

  test('ends quiet retries when the answer is a refusal, and shows it', async () => {
    ask.mockRejectedValueOnce(fault).mockRejectedValueOnce(fault).mockRejectedValue(refused(404))
    show()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ask).toHaveBeenCalledTimes(3)
    expect(queries.getQueryState(['shown'])?.error).toMatchObject({ status: 404 })
  })

  test('is not retried once nothing shows it', async () => {
    ask.mockRejectedValue(fault)
    const hide = show()
    await vi.advanceTimersByTimeAsync(500)
    hide()
    const before = ask.mock.calls.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ask).toHaveBeenCalledTimes(before)
  })

  test('is not retried if its screen asked for no retries', async () => {
    ask.mockRejectedValue(fault)
    show({ retry: false })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ask).toHaveBeenCalledTimes(1)
  })

  test('keeps every page of an infinite list when a quiet retry succeeds', async () => {
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

/** `fetchQuery` tries once unless told otherwise; what the screens use is the default. */
function retryOf(client: QueryClient) {
  const retry = client.getDefaultOptions().queries?.retry
  if (typeof retry !== 'function') throw new Error('no rule')
  return retry
}
