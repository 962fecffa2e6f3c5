import type { Campaign } from '@x-automated/contract/campaigns'
import { StatusBadge } from '../../ui/badge'

/** A campaign's status; an active one that another goes before says that it waits. */
export function CampaignStatus({ campaign }: { campaign: Pick<Campaign, 'status' | 'waiting'> }) {
  return <StatusBadge status={campaign.status === 'active' && campaign.waiting ? 'waiting' : campaign.status} />
}
