import type { BillingOverview, OtherSubscription } from '@x-automated/contract/platform/billing'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'
import { amountText } from './plan-text'
import { useEndOther } from './subscription-actions'

/** Warns owners about second subscriptions, so that nobody pays twice without knowing. */
export function OtherSubscriptions({ overview }: { overview: BillingOverview }) {
  return overview.others.map((other) => <Other key={other.id} other={other} />)
}

function Other({ other }: { other: OtherSubscription }) {
  const end = useEndOther(other)
  const day = <DateTime value={other.currentPeriodEnd} precision="day" />
  if (other.cancelAtPeriodEnd)
    return (
      <Callout title={`Your second subscription, ${other.name}, won't renew`}>
        It ends on {day}. You won't be charged again.
      </Callout>
    )
  return (
    <Callout
      tone="warn"
      title={`You also pay for ${other.name}`}
      action={
        <Button size="sm" aria-label={`Don't renew ${other.name}`} loading={end.isPending} onClick={() => end.run()}>
          Don't renew
        </Button>
      }
    >
      {amountText(other)}, next on {day}. It doesn't add anything to your current plan.
    </Callout>
  )
}
