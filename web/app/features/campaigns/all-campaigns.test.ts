import type { Campaign } from '@x-automated/contract/campaigns'
import { expect, test } from 'vitest'
import { allCampaigns } from './all-campaigns'

test('every page is read, each behind the one before', async () => {
  const named = (...names: string[]) => names.map((name) => ({ name }) as Campaign)
  const pages: Record<string, { campaigns: Campaign[]; cursor: string | null }> = {
    first: { campaigns: named('c', 'b'), cursor: 'second' },
    second: { campaigns: named('a'), cursor: null },
  }
  const read = async (cursor = 'first') => pages[cursor] ?? { campaigns: [], cursor: null }
  expect((await allCampaigns(new AbortController().signal, read)).map(({ name }) => name)).toEqual(['c', 'b', 'a'])
})
