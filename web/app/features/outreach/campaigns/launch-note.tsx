import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { useIsOffered } from '../../identity/people/use-role'
import { useRestOfCampaign } from './campaign-watch'
import { launchText } from './preflight-text'

/** Whom the launch of a saved campaign messages now, and whom later. Nothing if everyone is messaged now. */
export function LaunchNote({ campaign }: { campaign: Campaign }) {
  const mayChange = useIsOffered('member')
  const { data } = useRestOfCampaign(campaign)
  const isSaved = (campaign.status === 'draft' || campaign.status === 'paused') && campaign.totalLeadsInList === 0
  const text = isSaved && mayChange && data ? launchText(data) : null
  return (
    text && (
      <p className="text-muted" data-numeric>
        {text}
      </p>
    )
  )
}
