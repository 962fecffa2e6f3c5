import type { Campaign } from '@x-automated/contract/campaigns'
import { Archive, Pause, Play, Rocket } from 'lucide-react'
import { Button, type ButtonSize, IconButton } from '../../ui/button'
import { Tooltip } from '../../ui/tooltip'
import type { CampaignActions } from './campaign-actions'

interface CampaignButtonsProps {
  campaign: Campaign
  actions: CampaignActions
  size?: ButtonSize
  /** Id of the element that names the campaign, where several stand on the page. */
  describedBy?: string
}

/** What can be done to a campaign in its state (specification §2). */
export function CampaignButtons({ campaign, actions, size = 'sm', describedBy }: CampaignButtonsProps) {
  const busy = actions.busyId === campaign.id
  const own = { size, disabled: busy, 'aria-describedby': describedBy }
  return (
    <>
      {campaign.status === 'draft' && (
        <Button {...own} icon={<Rocket aria-hidden />} onClick={() => actions.launch(campaign)}>
          Launch
        </Button>
      )}
      {campaign.status === 'paused' && (
        <Button {...own} icon={<Play aria-hidden />} onClick={() => actions.resume(campaign)}>
          Resume
        </Button>
      )}
      {campaign.status === 'active' && (
        <Button {...own} icon={<Pause aria-hidden />} onClick={() => actions.pause(campaign)}>
          Pause
        </Button>
      )}
      {campaign.status !== 'archived' && (
        <Tooltip words="Archive">
          <IconButton {...own} label="Archive" onClick={() => actions.archive(campaign)}>
            <Archive aria-hidden />
          </IconButton>
        </Tooltip>
      )}
    </>
  )
}
