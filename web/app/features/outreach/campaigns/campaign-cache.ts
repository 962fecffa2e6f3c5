import type { QueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { api } from '../../../api'
import { invalidateCampaignNames } from './all-campaigns'

/** Adds a new campaign at the top of the cached first page. */
export function addCachedCampaign(queries: QueryClient, campaign: Campaign): void {
  invalidateCampaignNames(queries)
  queries.setQueriesData(
    { queryKey: api.campaigns.list.key({ type: 'query' }) },
    (page: ListedCampaigns | undefined) =>
      page && page.page === 1
        ? {
            ...page,
            total: page.total + 1,
            campaigns: [campaign, ...page.campaigns.filter(({ id }) => id !== campaign.id)],
          }
        : page,
  )
}

interface ListedCampaigns {
  campaigns: Campaign[]
  total: number
  page: number
}

/** Updates a campaign in all cached queries. */
export function updateCachedCampaign(queries: QueryClient, id: string, change: Partial<Campaign>): void {
  queries.setQueriesData(
    { queryKey: api.campaigns.list.key({ type: 'query' }) },
    (page: ListedCampaigns | undefined) =>
      page && {
        ...page,
        campaigns: page.campaigns.map((campaign) => (campaign.id === id ? { ...campaign, ...change } : campaign)),
      },
  )
  queries.setQueryData(
    api.campaigns.find.queryKey({ input: { id } }),
    (before: Campaign | undefined) => before && { ...before, ...change },
  )
}

/** Shows a change before the server confirms it. @returns a rollback */
export async function showOptimistically(
  queries: QueryClient,
  id: string,
  change: Partial<Campaign>,
): Promise<() => void> {
  const keys = [api.campaigns.list.key({ type: 'query' }), api.campaigns.find.queryKey({ input: { id } })]
  // A response that is already under way would restore the old state.
  await Promise.all(keys.map((queryKey) => queries.cancelQueries({ queryKey })))
  const before = keys.flatMap((queryKey) => queries.getQueriesData({ queryKey }))
  updateCachedCampaign(queries, id, change)
  return () => {
    for (const [queryKey, data] of before) queries.setQueryData(queryKey, data)
  }
}
