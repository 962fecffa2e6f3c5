import { formatNumber } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { Archive, Ellipsis, Pause, Play, Rocket, Send, Undo2 } from 'lucide-react'
import type { ReactElement } from 'react'
import { Button, type ButtonSize, IconButton } from '../../../ui/button'
import { Menu, MenuItem, MenuNote } from '../../../ui/menu'
import { Tooltip } from '../../../ui/tooltip'
import { useSecondsUntil } from '../../../ui/use-seconds-until'
import { useIsOffered } from '../../identity/people/use-role'
import type { CampaignActions } from './campaign-actions'

interface CampaignButtonsProps {
  campaign: Campaign
  actions: CampaignActions
  size?: ButtonSize
  /** The id of the element with the campaign's name, for pages with several campaigns. */
  describedBy?: string
}

/** Buttons for the actions that a campaign's status and the user's role allow. */
export function CampaignButtons({ campaign, actions, size = 'sm', describedBy }: CampaignButtonsProps) {
  const mayChange = useIsOffered('member')
  // Must stay narrow, or the table's other columns won't fit.
  const isInTable = size === 'sm'
  const busy = actions.busyId === campaign.id
  const common = { size, disabled: busy, 'aria-describedby': describedBy }
  const iconButton = (label: string, icon: ReactElement, onClick: () => void, disabled = false) => (
    <Tooltip text={label}>
      <IconButton icon={icon} {...common} disabled={busy || disabled} label={label} onClick={onClick} />
    </Tooltip>
  )
  if (!mayChange) return null
  return (
    <>
      {campaign.status === 'draft' && (
        <Button {...common} icon={<Rocket />} onClick={() => actions.launch(campaign)}>
          Launch
        </Button>
      )}
      {campaign.undoUntil && (
        <Button
          {...common}
          icon={<Undo2 />}
          className={isInTable ? 'md:col-span-4 md:row-start-2' : ''}
          onClick={() => actions.undoLaunch(campaign)}
        >
          Undo <span className={isInTable ? 'md:sr-only' : ''}>launch</span> <SecondsUntil time={campaign.undoUntil} />
        </Button>
      )}
      {realSendOf(campaign) === 'now' &&
        (isInTable ? (
          iconButton('Start Real Send', <Send />, () => actions.startRealSend(campaign), actions.isSending(campaign.id))
        ) : (
          <Button
            {...common}
            disabled={busy || actions.isSending(campaign.id)}
            icon={<Send />}
            onClick={() => actions.startRealSend(campaign)}
          >
            Start Real Send
          </Button>
        ))}
      {campaign.status === 'paused' && iconButton('Resume', <Play />, () => actions.resume(campaign))}
      {campaign.status === 'active' && iconButton('Pause', <Pause />, () => actions.pause(campaign))}
      {campaign.status !== 'archived' && iconButton('Archive', <Archive />, () => actions.archive(campaign))}
      {isInTable && realSendOf(campaign) === 'later' && (
        <Menu trigger={<IconButton icon={<Ellipsis />} size={size} label="More" aria-describedby={describedBy} />}>
          <RealSendItem campaign={campaign} actions={actions} />
        </Menu>
      )}
    </>
  )
}

/** Starts sending a campaign that has nothing to send now. */
export function RealSendItem({ campaign, actions }: Pick<CampaignButtonsProps, 'campaign' | 'actions'>) {
  return (
    <>
      <MenuItem
        icon={<Send />}
        disabled={actions.isSending(campaign.id)}
        onSelect={() => actions.startRealSend(campaign)}
      >
        Start Real Send
      </MenuItem>
      <MenuNote>Nothing is queued now. Follow-ups are sent when they are due.</MenuNote>
    </>
  )
}

/** '(8 s)'. Empty once the time is over according to this clock, which may differ from the server's. */
function SecondsUntil({ time }: { time: string }) {
  const seconds = useSecondsUntil(Date.parse(time))
  if (seconds === 0) return null
  return (
    <span aria-hidden className="font-normal text-muted" data-numeric>
      ({formatNumber(seconds)} s)
    </span>
  )
}

/** Whether a campaign can be sent, and whether it has anything to send now. */
export function realSendOf({ status, dmsQueuedCount, totalLeadsInList }: Campaign): 'now' | 'later' | null {
  if (status === 'paused') return 'now'
  if (status !== 'active') return null
  return dmsQueuedCount > 0 || totalLeadsInList === 0 ? 'now' : 'later'
}
