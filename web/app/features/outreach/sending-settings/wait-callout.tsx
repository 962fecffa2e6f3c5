import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { paths } from '../../../paths'
import { ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { notableWait } from '../campaigns/campaign-progress'
import { momentText, WAIT_TITLES } from './limits-text'

/** What an active campaign is waiting for, and until when. */
export function WaitCallout({ campaign, disconnected }: { campaign: Campaign; disconnected: boolean }) {
  const now = new Date()
  const wait = notableWait(campaign, disconnected, now.getTime())
  if (!wait) return null
  return (
    <Callout
      title={WAIT_TITLES[wait.reason]}
      action={
        wait.until && (
          <ButtonLink size="sm" to={wait.reason === 'plan' ? paths.billing : paths.settings}>
            {wait.reason === 'plan' ? 'See plans' : 'Sending settings'}
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
