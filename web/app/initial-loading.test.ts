import { QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { isInitialLoading } from './initial-loading'
import { createQueryClient } from './query-client'

test('is true until the query has succeeded or failed once, but not during retries or refetches', async () => {
  let isBroken = true
  const observer = new QueryObserver(createQueryClient(), {
    queryKey: ['side query'],
    retryDelay: 0,
    queryFn: async () => {
      if (isBroken) throw new Error('broken')
      return 'whole'
    },
  })
  const seen: string[] = []
  const stop = observer.subscribe((result) => {
    const now = `${result.status}, ${isInitialLoading(result) ? 'awaited' : 'shown'}`
    if (seen.at(-1) !== now) seen.push(now)
  })
  await expect.poll(() => seen).toEqual(['pending, awaited', 'pending, shown', 'error, shown'])
  isBroken = false
  await observer.refetch()
  stop()
  expect(seen.slice(3)).toEqual(['pending, shown', 'success, shown'])
})
