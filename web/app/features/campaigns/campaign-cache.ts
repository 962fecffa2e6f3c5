import type { QueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/campaigns'
import { api } from '../../api'
import { invalidateCampaignNames } from './all-campaigns'

/** Puts a new campaign on top of the first page, before the server is asked again. */
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

/** Shows what is known of a campaign wherever it is shown. */
export function updateCachedCampaign(queries: QueryClient, id: string, change: Partial<Campaign>): void {
  queries.setQueriesData(
    { queryKey: api.campaigns.list.key({ type: 'query' }) },
    (page: ListedCampaigns | undefined) =>
      page && { ...page, campaigns: page.campaigns.map((one) => (one.id === id ? { ...one, ...change } : one)) },
  )
  queries.setQueryData(
    api.campaigns.find.queryKey({ input: { id } }),
    (before: Campaign | undefined) => before && { ...before, ...change },
  )
}

/** Shows a change before the server has agreed. @returns how to take it back */
export async function showOptimistically(
  queries: QueryClient,
  id: string,
  change: Partial<Campaign>,
): Promise<() => void> {
  const watched = [api.campaigns.list.key({ type: 'query' }), api.campaigns.find.queryKey({ input: { id } })]
  // An answer that is on its way would show the old state again.
  await Promise.all(watched.map((queryKey) => queries.cancelQueries({ queryKey })))
  const before = watched.flatMap((queryKey) => queries.getQueriesData({ queryKey }))
  updateCachedCampaign(queries, id, change)
  return () => {
    for (const [queryKey, data] of before) queries.setQueryData(queryKey, data)
  }
}
