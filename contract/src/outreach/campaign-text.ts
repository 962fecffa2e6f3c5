import type { CampaignStatus } from './campaigns.ts'

/** A campaign's status as people read it. Without schemas, for screens and the server's search. */
export const CAMPAIGN_STATUS_TEXTS = {
  draft: 'Draft',
  paused: 'Paused',
  active: 'Active',
  completed: 'Completed',
  archived: 'Archived',
} as const satisfies Record<CampaignStatus, string>
