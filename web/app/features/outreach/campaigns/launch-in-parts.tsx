import { formatNumber } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { useIsOffered } from '../../identity/people/use-role'
import type { CampaignActions } from './campaign-actions'
import { useRestOfCampaign } from './campaign-watch'
import { FirstPart } from './preflight-panel'
import { warningText } from './preflight-text'

/** Offers to launch a saved campaign for as many people as the plan has left. */
export function LaunchInParts({ campaign, actions }: { campaign: Campaign; actions: CampaignActions }) {
  const mayChange = useIsOffered('member')
  const { data } = useRestOfCampaign(campaign)
  const isSaved = (campaign.status === 'draft' || campaign.status === 'paused') && campaign.totalLeadsInList === 0
  if (!isSaved || !mayChange || !data?.warnings.includes('plan') || !data.plan.remaining) return null
  return (
    <Callout tone="warn" title={warningText('plan')}>
      <div className="pt-2">
        <FirstPart preflight={data}>
          {(remaining) => (
            <Button
              size="sm"
              disabled={actions.busyId === campaign.id}
              onClick={() => actions.launch(campaign, remaining)}
            >
              Send to the first {formatNumber(remaining)} now
            </Button>
          )}
        </FirstPart>
      </div>
    </Callout>
  )
}
