import { ORPCError } from '@orpc/client'
import { expect, test, vi } from 'vitest'
import { confirmCost } from './cost-confirmation'

const ada = { twitterHandle: 'ada', type: 'followers' as const, maxResults: 1_000 }
const billed = async () => ({
  profiles: 12_000,
  costCents: 12_000,
  likely: { profiles: 3_000, seconds: 120, costCents: 3_000 },
})

test('asks with cost and time before a billed scrape', async () => {
  const ask = vi.fn(async () => false)
  expect(await confirmCost(ada, billed, ask)).toBe(false)
  expect(ask).toHaveBeenCalledExactlyOnceWith({
    title: 'Scrape the followers of @ada?',
    body: '12,000 followers · reads about 3,000 in about 2 min · X bills about $30.00, at most $120.00',
    confirm: 'Start Scraping',
  })
  ask.mockResolvedValue(true)
  expect(await confirmCost(ada, billed, ask)).toBe(true)
})

test('does not ask if X bills nothing', async () => {
  const ask = vi.fn(async () => false)
  expect(await confirmCost(ada, async () => ({ ...(await billed()), costCents: null }), ask)).toBe(true)
  expect(ask).not.toHaveBeenCalled()
})

test('asks if there is no estimate, except after errors that the start reports itself', async () => {
  const ask = vi.fn(async () => false)
  const fails = (code: string) => async () => {
    throw new ORPCError(code, { defined: true, status: 503, message: 'X does not answer.' })
  }
  expect(await confirmCost(ada, fails('X_UNAVAILABLE'), ask)).toBe(false)
  expect(ask).toHaveBeenCalledOnce()
  expect(await confirmCost(ada, fails('X_SESSION_EXPIRED'), ask)).toBe(true)
  expect(ask).toHaveBeenCalledOnce()
})
