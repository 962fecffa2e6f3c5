import { ORPCError } from '@orpc/client'
import { expect, test, vi } from 'vitest'
import { confirmCost, isEstimateShown } from './cost-confirmation'

const ada = { twitterHandle: 'ada', type: 'followers' as const }
const billed = async () => ({ profiles: 12_000, seconds: 120, costCents: 12_000 })

test('where X bills, a scrape whose cost was not seen asks first, with the cost and the time', async () => {
  const ask = vi.fn(async () => false)
  expect(await confirmCost(ada, billed, false, ask)).toBe(false)
  expect(ask).toHaveBeenCalledExactlyOnceWith({
    title: 'Scrape the followers of @ada?',
    body: '12,000 followers: reading all takes about 2 min, and X bills up to $120.00.',
    confirm: 'Start Scraping',
  })
  ask.mockResolvedValue(true)
  expect(await confirmCost(ada, billed, false, ask)).toBe(true)
})

test('nothing is asked where X bills nothing, or where the cost stands in the form', async () => {
  const ask = vi.fn(async () => false)
  expect(await confirmCost(ada, billed, true, ask)).toBe(true)
  expect(await confirmCost(ada, async () => ({ ...(await billed()), costCents: null }), false, ask)).toBe(true)
  expect(ask).not.toHaveBeenCalled()
})

test('what is known of a handle is not seen before the form shows it', () => {
  expect(isEstimateShown(ada, '@ada ', true)).toBe(true)
  // Typed anew, and started before the field has settled.
  expect(isEstimateShown(ada, 'ad', true)).toBe(false)
  expect(isEstimateShown(ada, 'ada', false)).toBe(false)
  expect(isEstimateShown(ada, null, true)).toBe(false)
})

test('what cannot be told is said; what the start refuses itself is not asked twice', async () => {
  const ask = vi.fn(async () => false)
  const fails = (code: string) => async () => {
    throw new ORPCError(code, { defined: true, status: 503, message: 'X does not answer.' })
  }
  expect(await confirmCost(ada, fails('X_UNAVAILABLE'), true, ask)).toBe(false)
  expect(ask).toHaveBeenCalledOnce()
  expect(await confirmCost(ada, fails('X_SESSION_EXPIRED'), false, ask)).toBe(true)
  expect(ask).toHaveBeenCalledOnce()
})
