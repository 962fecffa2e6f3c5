import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import type { CampaignWait } from '@x-automated/contract/outreach/sending-settings'
import { paths } from '../../../paths'
import { ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { notableWait } from '../campaigns/campaign-progress'
import { momentText, WAIT_TITLES } from './limits-text'

const ACTIONS: Partial<Record<CampaignWait['reason'], { to: string; label: string }>> = {
  plan: { to: paths.billing, label: 'See plans' },
  funds: { to: `${paths.settings}?tab=x-costs`, label: 'X costs' },
}

/** What an active campaign is waiting for, and until when. */
export function WaitCallout({ campaign, disconnected }: { campaign: Campaign; disconnected: boolean }) {
  const now = new Date()
  const wait = notableWait(campaign, disconnected, now.getTime())
  if (!wait) return null
  const action = ACTIONS[wait.reason] ?? { to: paths.settings, label: 'Sending settings' }
  return (
    <Callout
      title={WAIT_TITLES[wait.reason]}
      action={
        wait.until && (
          <ButtonLink size="sm" to={action.to}>
            {action.label}
          </ButtonLink>
        )
      }
    >
      {wait.until
        ? `Nothing will be sent until ${momentText(wait.until, now)}. Sending then resumes automatically.`
        : wait.reason === 'account'
          ? 'Connect it again to continue.'
          : 'Sending resumes automatically.'}
    </Callout>
  )
}
