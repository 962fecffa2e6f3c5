import type { Campaign } from '@x-automated/contract/campaigns'
import { paths } from '../../paths'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { notableWait } from '../campaigns/campaign-progress'
import { momentInWords, WAIT_WORDS } from './limits-text'

/** Says what an active campaign waits for, and until when. */
export function RestCallout({ campaign, disconnected }: { campaign: Campaign; disconnected: boolean }) {
  const now = new Date()
  const rest = notableWait(campaign, disconnected, now.getTime())
  if (!rest) return null
  return (
    <Callout
      title={WAIT_WORDS[rest.reason]}
      action={
        <ButtonLink size="sm" to={paths.settings}>
          Settings for sending
        </ButtonLink>
      }
    >
      Nothing is sent until {momentInWords(rest.until, now)}. Then it goes on by itself.
    </Callout>
  )
}
