import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { expect, test } from 'vitest'
import { api } from '../../../api'
import { createQueryClient } from '../../../query-client'
import { allCampaigns, CAMPAIGN_NAMES } from './all-campaigns'
import { addCachedCampaign } from './campaign-cache'

test('reads every page by cursor', async () => {
  const named = (...names: string[]) => names.map((name) => ({ name }) as Campaign)
  const pages: Record<string, { campaigns: Campaign[]; cursor: string | null }> = {
    first: { campaigns: named('c', 'b'), cursor: 'second' },
    second: { campaigns: named('a'), cursor: null },
  }
  const read = async (cursor = 'first') => pages[cursor] ?? { campaigns: [], cursor: null }
  expect((await allCampaigns(new AbortController().signal, read)).map(({ name }) => name)).toEqual(['c', 'b', 'a'])
})

test('refetches names after a campaign is created, but not after each message', async () => {
  const queries = createQueryClient()
  queries.setQueryData(CAMPAIGN_NAMES, [])
  const isStale = () => queries.getQueryState(CAMPAIGN_NAMES)?.isInvalidated
  await queries.invalidateQueries({ queryKey: api.campaigns.key() })
  expect(isStale()).toBe(false)
  addCachedCampaign(queries, { id: 'new', name: 'New' } as Campaign)
  expect(isStale()).toBe(true)
})
