import type { QueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/campaigns'
import { client } from '../../api'

type Page = { campaigns: readonly Campaign[]; cursor: string | null }

/** Every campaign, newest first. @param read a page, behind the cursor of the one before */
export async function allCampaigns(
  signal: AbortSignal,
  read: (cursor: string | undefined) => Promise<Page> = (cursor) =>
    client.campaigns.list({ pageSize: 100, ...(cursor ? { cursor } : {}) }, { signal }),
): Promise<Campaign[]> {
  const found: Campaign[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor)
    found.push(...page.campaigns)
    if (page.cursor === null) return found
    cursor = page.cursor
  }
}

/**
 * The names of all campaigns. Not below the campaigns' own key, which is asked anew at each message that goes out: who makes, renames
 * or archives one calls `invalidateCampaignNames`.
 */
export const CAMPAIGN_NAMES = ['campaignNames']

export function invalidateCampaignNames(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: CAMPAIGN_NAMES })
}
