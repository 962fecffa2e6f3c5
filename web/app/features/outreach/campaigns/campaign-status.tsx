import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { StatusBadge } from '../../../ui/badge'

/** A campaign's status badge. An active campaign that waits for another one is 'waiting'. */
export function CampaignStatus({ campaign }: { campaign: Pick<Campaign, 'status' | 'waiting'> }) {
  return <StatusBadge status={campaign.status === 'active' && campaign.waiting ? 'waiting' : campaign.status} />
}
