import { MutationObserver, QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { syncOtherTabs } from './other-tabs'
import { createQueryClient } from './query-client'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

function openTab() {
  const queries = createQueryClient()
  const channel = new BroadcastChannel('other-tabs-test')
  const stop = syncOtherTabs(queries, channel)
  closing.push(() => {
    stop()
    channel.close()
    queries.clear()
  })
  return queries
}

test('refetches affected queries in other tabs after a mutation succeeds or fails', async () => {
  const [here, there] = [openTab(), openTab()]
  const campaigns = vi.fn(async () => 'campaigns')
  const leaderboard = vi.fn(async () => 'leaderboard')
  const filters = ['tags', 'savedFilters'].map((name) => ({ name, ask: vi.fn(async () => name) }))
  closing.push(
    new QueryObserver(there, { queryKey: [['campaigns', 'list'], { type: 'query' }], queryFn: campaigns }).subscribe(
      () => {},
    ),
    new QueryObserver(there, { queryKey: [['waitlist', 'leaderboard']], queryFn: leaderboard }).subscribe(() => {}),
    ...filters.map(({ name, ask }) =>
      new QueryObserver(there, { queryKey: [[name, 'list']], queryFn: ask }).subscribe(() => {}),
    ),
  )
  await vi.waitFor(() => expect(there.isFetching()).toBe(0), 10_000)
  await new MutationObserver(here, { mutationFn: async () => 'resumed' }).mutate()
  await vi.waitFor(() => expect(campaigns).toHaveBeenCalledTimes(2), 10_000)
  const failing = new MutationObserver(here, { mutationFn: () => Promise.reject(new TypeError('Failed to fetch')) })
  await failing.mutate().catch(() => {})
  await vi.waitFor(() => expect(campaigns).toHaveBeenCalledTimes(3), 10_000)
  for (const { ask } of filters) expect(ask).toHaveBeenCalledTimes(3)
  expect(leaderboard).toHaveBeenCalledTimes(1)
})
