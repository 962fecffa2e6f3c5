import { Button, buttonClass } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'
import { amountText, planOf } from './plan-text'
import { useOpenPortal } from './subscription-actions'
import type { SubscriptionState } from './use-subscription'

/** Callouts about failed payments, ending trials and cancellations. */
export function SubscriptionNotices({ state: { subscription, overview, mayManage } }: { state: SubscriptionState }) {
  const portal = useOpenPortal()
  if (!subscription) return null
  const details = overview?.subscription ?? null
  const plan = planOf(subscription, details)
  const earnedUntil = overview?.source === 'reward' ? overview.rewards.until : null
  const end = <DateTime value={subscription.currentPeriodEnd} precision="day" />
  if (subscription.status === 'past_due')
    return (
      <Callout
        tone="bad"
        title="Your last payment failed"
        action={
          mayManage && (
            <div className="flex flex-wrap gap-2">
              {details?.payUrl && (
                <a
                  href={details.payUrl}
                  target="_blank"
                  rel="noopener"
                  className={buttonClass({ variant: 'primary', size: 'sm' })}
                >
                  Pay the open invoice<span className="sr-only">, in a new tab</span>
                </a>
              )}
              <Button size="sm" loading={portal.isLeaving} onClick={() => portal.run()}>
                Change card
              </Button>
            </div>
          )
        }
      >
        {!details?.graceEndsAt ? (
          "We'll retry your card over the next few days. If payment fails, your workspace moves to Free."
        ) : new Date(details.graceEndsAt) > new Date() ? (
          <>
            You keep {plan.name} until <DateTime value={details.graceEndsAt} precision="day" endsSentence /> We'll retry
            your card until then. If payment fails, your workspace moves to Free.
          </>
        ) : (
          <>
            {plan.name} was yours until <DateTime value={details.graceEndsAt} precision="day" endsSentence />{' '}
            {earnedUntil ? (
              <>
                Until we receive your payment, your workspace has Pro from your referrals, up to{' '}
                <DateTime value={earnedUntil} precision="day" endsSentence />
              </>
            ) : (
              'Your workspace stays on Free until we receive your payment.'
            )}
          </>
        )}{' '}
        Your queued messages are kept.
      </Callout>
    )
  if (subscription.cancelAtPeriodEnd)
    return (
      <Callout title={<>Your subscription ends on {end}</>}>
        You keep {plan.name} until then. You won't be charged again, and your queued messages are kept.
      </Callout>
    )
  if (subscription.status === 'trialing')
    return (
      <Callout title={<>Your trial ends on {end}</>}>
        Your first payment of {amountText(plan)} is due then. Cancel before that in Manage billing to avoid it.
      </Callout>
    )
  return null
}
