import type { CampaignStatus } from './campaigns.ts'

/** Texts for each status of a campaign, for screens and the server's search. Imports no schemas. */
export const CAMPAIGN_STATUS_TEXTS = {
  draft: 'Draft',
  paused: 'Paused',
  active: 'Active',
  completed: 'Completed',
  archived: 'Archived',
} as const satisfies Record<CampaignStatus, string>
