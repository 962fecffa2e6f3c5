import type { BillingOverview, Subscription } from '@x-automated/contract/platform/billing'
import { PLAN_LEVELS } from '@x-automated/contract/platform/plans'
import { CreditCard } from 'lucide-react'
import type { ReactNode } from 'react'
import { QueryError } from '../../../query-error'
import { Badge, type Tone } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { DateTime } from '../../../ui/date-time'
import { LoadingText, Skeleton, SkeletonLine } from '../../../ui/skeleton'
import { amountText, planOf, statusText } from './plan-text'
import { useCancelSubscription, useOpenPortal, useResumeSubscription } from './subscription-actions'
import { supportText } from './support-text'
import type { SubscriptionState } from './use-subscription'

const TITLE = 'Current Subscription'

const tones: Record<Subscription['status'], Tone> = {
  active: 'good',
  trialing: 'info',
  past_due: 'warn',
  canceled: 'neutral',
}

/** Shown while loading. */
export function SubscriptionSkeleton() {
  return (
    <Card title={TITLE} aria-busy>
      <LoadingText>Loading your subscription…</LoadingText>
      <div className="grid gap-5">
        <Facts>
          <Fact name="Plan">
            <FactSkeleton />
          </Fact>
          <Fact name="Amount">
            <FactSkeleton />
          </Fact>
        </Facts>
        <span>
          <SkeletonLine className="w-4/5" />
          <SkeletonLine className="w-2/5" />
        </span>
      </div>
    </Card>
  )
}

function FactSkeleton() {
  return (
    <span className="flex h-6 items-center">
      <Skeleton className="h-4 w-20" />
    </span>
  )
}

/** The current plan with its price, dates and actions. */
export function CurrentSubscription({ state }: { state: SubscriptionState }) {
  const { query, subscription } = state
  return (
    <Card title={TITLE}>
      {query.isError ? (
        <QueryError query={query} title="Your subscription status is unavailable" />
      ) : subscription ? (
        <Subscribed subscription={subscription} state={state} />
      ) : (
        <NotSubscribed state={state} />
      )}
      {state.overview && <Support support={state.overview.support} />}
    </Card>
  )
}

function Subscribed({ subscription, state }: { subscription: Subscription; state: SubscriptionState }) {
  const { overview, changeable, mayManage } = state
  const details = overview?.subscription ?? null
  const plan = planOf(subscription, details)
  const isGiven = details?.manageable === false
  const cancel = useCancelSubscription()
  const resume = useResumeSubscription()
  const portal = useOpenPortal()
  const { status, cancelAtPeriodEnd, currentPeriodEnd } = subscription
  return (
    <div className="grid gap-5">
      <Facts>
        <Fact name="Plan">{plan.name}</Fact>
        <Fact name="Amount">{isGiven ? 'Free of charge' : amountText(plan)}</Fact>
        <Fact name="Status">
          <Badge tone={cancelAtPeriodEnd ? 'warn' : tones[status]}>{statusText(subscription)}</Badge>
        </Fact>
        <Fact name={isGiven ? 'Until' : endName(subscription)}>
          {/* After a failed payment, shows when it was due, because the provider starts a new period anyway. */}
          <DateTime value={details?.pastDueSince ?? currentPeriodEnd} precision="day" />
        </Fact>
      </Facts>
      {mayManage && changeable && (
        <div className="flex flex-wrap gap-2 border-t border-line pt-5 max-sm:[&>*]:w-full">
          <Button icon={<CreditCard aria-hidden />} loading={portal.isLeaving} onClick={() => portal.run()}>
            Manage billing
          </Button>
          {cancelAtPeriodEnd ? (
            <Button variant="primary" loading={resume.isPending} onClick={() => resume.run()}>
              Keep subscription
            </Button>
          ) : (
            status === 'active' && (
              <Button variant="ghost" loading={cancel.isPending} onClick={() => cancel.run()}>
                Cancel subscription
              </Button>
            )
          )}
        </div>
      )}
      {isGiven && <p className="text-muted">This plan was granted to your workspace at no charge.</p>}
      {mayManage === false && !isGiven && (
        <p className="text-muted">Only the workspace owner can change or cancel this plan.</p>
      )}
    </div>
  )
}

function Support({ support }: { support: BillingOverview['support'] }) {
  return (
    <p className="mt-5 border-t border-line pt-5 text-muted">
      {supportText(support)} Email{' '}
      <a href={`mailto:${support.email}`} className="text-link wrap-anywhere">
        {support.email}
      </a>
      .
    </p>
  )
}

function endName({ status, cancelAtPeriodEnd, currentPeriodEnd }: Subscription): string {
  if (status === 'canceled') return new Date(currentPeriodEnd) < new Date() ? 'Ended on' : 'Ends on'
  if (cancelAtPeriodEnd) return 'Ends on'
  if (status === 'past_due') return 'Payment was due'
  return status === 'trialing' ? 'Trial ends on' : 'Next payment'
}

function NotSubscribed({ state: { overview, mayManage } }: { state: SubscriptionState }) {
  const earnedUntil = overview?.source === 'reward' ? overview.rewards.until : null
  return (
    <div className="grid gap-5">
      <Facts>
        <Fact name="Plan">{PLAN_LEVELS[overview?.level ?? 'free'].name}</Fact>
        <Fact name="Amount">{amountText({ priceCents: 0, billingCycle: 'monthly' })}</Fact>
        {earnedUntil && (
          <Fact name="Earned by referrals, until">
            <DateTime value={earnedUntil} precision="day" />
          </Fact>
        )}
      </Facts>
      <p className="text-muted">
        {overview?.ended && (
          <>
            Your {overview.ended.name} plan ended on{' '}
            <DateTime value={overview.ended.endedAt} precision="day" endsSentence /> Your leads, lists and campaigns are
            all still here.{' '}
          </>
        )}
        {earnedUntil ? (
          <>
            {mayManage === false ? 'The owner of this workspace' : 'You'} earned free months of Pro by referring
            friends. On <DateTime value={earnedUntil} precision="day" /> your workspace moves to Free.{' '}
            {mayManage === false
              ? 'To keep Pro, the owner can pick a plan.'
              : 'To keep Pro or get higher limits, pick a plan below.'}
          </>
        ) : mayManage === false ? (
          'You have no subscription. The owner of this workspace can pick a plan.'
        ) : (
          'You have no subscription. Pick a plan below to raise your limits.'
        )}
      </p>
    </div>
  )
}

function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2 sm:gap-y-4">{children}</dl>
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 sm:grid sm:content-start sm:justify-start sm:gap-0.5">
      <dt className="text-muted">{name}</dt>
      <dd className="text-base font-strong" data-numeric>
        {children}
      </dd>
    </div>
  )
}
