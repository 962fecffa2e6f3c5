import { ORPCError } from '@orpc/client'
import { MutationObserver, onlineManager, type QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { errorWords } from './api'
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
      told = `Failed to pause campaign: ${errorWords(error)}`
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

/** `fetchQuery` tries once unless told otherwise; what the screens use is the default. */
function retryOf(client: QueryClient) {
  const retry = client.getDefaultOptions().queries?.retry
  if (typeof retry !== 'function') throw new Error('no rule')
  return retry
}
