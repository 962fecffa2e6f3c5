import { useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { pageMeta } from '../../features/overview/shell/page-meta'
import type { SignedInHandle } from '../../features/overview/shell/signed-in'
import { CurrentSubscription, SubscriptionSkeleton } from '../../features/platform/billing/current-subscription'
import { Invoices } from '../../features/platform/billing/invoices'
import { OtherSubscriptions } from '../../features/platform/billing/other-subscriptions'
import { PlanGrid } from '../../features/platform/billing/plan-grid'
import { SubscriptionNotices } from '../../features/platform/billing/subscription-notices'
import { UsageCard, UsageSkeleton } from '../../features/platform/billing/usage-card'
import { useReturnFromPayment } from '../../features/platform/billing/use-return-from-payment'
import { useSubscription } from '../../features/platform/billing/use-subscription'
import { RewardMonths, RewardMonthsSkeleton } from '../../features/waitlist/waitlist/reward-months'
import { RewardsCard } from '../../features/waitlist/waitlist/rewards-card'
import { isInitialLoading } from '../../initial-loading'
import { PageHeader } from '../../ui/page-header'

const title = 'Billing & Subscription'
const text = 'Your plan, usage and invoices.'

export const meta = () => pageMeta(title, text)

/** Shows a notice on the login page to people who paid while they were signed out. */
export const handle: SignedInHandle = {
  loginNotice: (query) =>
    query.get('checkout') === 'success'
      ? 'Thank you! Log in, or sign up with the email address you paid with, to use your plan.'
      : undefined,
}

export default function Billing() {
  const state = useSubscription()
  // Loads together with the other data, so that the rewards card does not shift anything.
  const rewards = useQuery(api.billing.rewards.queryOptions())
  useReturnFromPayment(state.mayManage)
  const { overview } = state
  return (
    <>
      <PageHeader title={title} description={text} />
      <div className="grid gap-10">
        <div className="grid gap-6">
          <SubscriptionNotices state={state} />
          {overview && <OtherSubscriptions overview={overview} />}
          <div className="grid items-start gap-6 lg:grid-cols-2">
            {state.isLoading || isInitialLoading(rewards) ? (
              <>
                <SubscriptionSkeleton />
                <div className="grid gap-6">
                  <UsageSkeleton />
                  <RewardMonthsSkeleton />
                </div>
              </>
            ) : (
              <>
                <div className="grid gap-6">
                  <CurrentSubscription state={state} />
                  {overview && <RewardsCard plan={overview.level} />}
                </div>
                {overview && (
                  <div className="grid gap-6">
                    <UsageCard overview={overview} />
                    <RewardMonths overview={overview} />
                  </div>
                )}
              </>
            )}
          </div>
        </div>
        <PlanGrid state={state} />
        {state.mayManage && overview?.available && <Invoices />}
      </div>
    </>
  )
}
