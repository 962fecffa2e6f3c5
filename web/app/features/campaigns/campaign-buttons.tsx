import type { Campaign } from '@x-automated/contract/campaigns'
import { Archive, Pause, Play, Rocket, Send } from 'lucide-react'
import type { ReactElement } from 'react'
import { Button, type ButtonSize, IconButton } from '../../ui/button'
import { Tooltip } from '../../ui/tooltip'
import { useIsOffered } from '../settings/use-role'
import type { CampaignActions } from './campaign-actions'

interface CampaignButtonsProps {
  campaign: Campaign
  actions: CampaignActions
  size?: ButtonSize
  /** Id of the element that names the campaign, where several stand on the page. */
  describedBy?: string
}

/** What can be done to a campaign in its state (specification §2), by whoever may. */
export function CampaignButtons({ campaign, actions, size = 'sm', describedBy }: CampaignButtonsProps) {
  const mayChange = useIsOffered('member')
  const busy = actions.busyId === campaign.id
  const own = { size, disabled: busy, 'aria-describedby': describedBy }
  const sign = (label: string, icon: ReactElement, onClick: () => void) => (
    <Tooltip text={label}>
      <IconButton {...own} label={label} onClick={onClick}>
        {icon}
      </IconButton>
    </Tooltip>
  )
  if (!mayChange) return null
  return (
    <>
      {campaign.status === 'draft' && (
        <Button {...own} icon={<Rocket aria-hidden />} onClick={() => actions.launch(campaign)}>
          Launch
        </Button>
      )}
      {canRealSend(campaign) && (
        <Button
          {...own}
          disabled={busy || actions.isSending(campaign.id)}
          icon={size === 'md' && <Send aria-hidden />}
          onClick={() => actions.startRealSend(campaign)}
        >
          Start Real Send
        </Button>
      )}
      {campaign.status === 'paused' && sign('Resume', <Play aria-hidden />, () => actions.resume(campaign))}
      {campaign.status === 'active' && sign('Pause', <Pause aria-hidden />, () => actions.pause(campaign))}
      {campaign.status !== 'archived' && sign('Archive', <Archive aria-hidden />, () => actions.archive(campaign))}
    </>
  )
}

function canRealSend({ status }: Campaign): boolean {
  return status === 'active' || status === 'paused'
}
