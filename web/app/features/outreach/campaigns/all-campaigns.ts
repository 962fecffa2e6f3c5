import type { QueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { client } from '../../../api'

type Page = { campaigns: readonly Campaign[]; cursor: string | null }

/** Fetches all campaigns, newest first. @param read fetches the page at a cursor */
export async function allCampaigns(
  signal: AbortSignal,
  read: (cursor: string | undefined) => Promise<Page> = (cursor) =>
    client.campaigns.list({ pageSize: 100, ...(cursor ? { cursor } : {}) }, { signal }),
): Promise<Campaign[]> {
  const campaigns: Campaign[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor)
    campaigns.push(...page.campaigns)
    if (page.cursor === null) return campaigns
    cursor = page.cursor
  }
}

/** The query key for all campaign names. Separate from the campaigns' key, which is invalidated after each message. */
export const CAMPAIGN_NAMES = ['campaignNames']

/** Refetches the campaign names. Call it after a campaign is created, renamed or archived. */
export function invalidateCampaignNames(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: CAMPAIGN_NAMES })
}
