import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Plan } from '@x-automated/contract/platform/billing'
import { useState } from 'react'
import { api, refusalText } from '../../../api'
import { QueryError } from '../../../query-error'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Segments } from '../../../ui/segments'
import { LoadingText, Skeleton, SkeletonText } from '../../../ui/skeleton'
import { ChangePlanDialog } from './change-plan-dialog'
import { cycleOptions } from './cycle-options'
import { FALLBACK_PLANS } from './fallback-plans'
import { PlanCard } from './plan-card'
import { type BillingCycle, cycleSuffix, monthlyText, OFFER_LABELS, planOffer, priceText } from './plan-text'
import { useBuyPlan } from './subscription-actions'
import type { SubscriptionState } from './use-subscription'

const cycles = cycleOptions('Save 40%')

/** The plans by billing cycle, with actions that depend on the current plan. */
export function PlanGrid({ state }: { state: SubscriptionState }) {
  const [chosenCycle, setCycle] = useState<BillingCycle | null>(null)
  const [changing, setChanging] = useState<{ plan: Plan; open: boolean; times: number } | null>(null)
  const buy = useBuyPlan()
  const queries = useQueryClient()
  const cycle = chosenCycle ?? state.plan?.billingCycle ?? 'monthly'
  const query = useQuery(api.billing.plans.queryOptions({ input: { cycle } }))
  const plans = query.data?.plans ?? (query.isError ? FALLBACK_PLANS : null)
  // Don't sell a plan before we know the current one, or someone could be charged twice.
  const canChoose = state.subscription !== undefined && state.mayManage === true && state.overview?.available !== false

  const choose = (plan: Plan) => {
    if (!state.changeable) return buy.run(plan.id)
    // The previous preview and its result are outdated.
    queries.removeQueries({ queryKey: api.billing.previewUpgrade.key() })
    setChanging({ plan, open: true, times: (changing?.times ?? 0) + 1 })
  }
  return (
    <section aria-labelledby="plans" className="grid gap-5">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <h2 id="plans" className="text-lg">
          Plans
        </h2>
        <Segments label="Billing cycle" options={cycles} value={cycle} onChange={setCycle} />
      </div>
      {state.overview?.available === false && (
        <Callout>Plans can't be bought here because this server has no payment provider.</Callout>
      )}
      {query.isError && (
        <QueryError query={query}>
          {refusalText(query.error, 'Failed to load pricing plans. Please try again.')}
        </QueryError>
      )}
      {plans ? (
        <ul aria-label={`Plans paid ${cycle}`} className="grid gap-6 md:grid-cols-2">
          {plans
            .filter((plan) => plan.billingCycle === cycle)
            .map((plan) => {
              const offer = planOffer(plan, state.plan)
              const featured = plan.id.startsWith('agency')
              return (
                <PlanCard
                  key={plan.id}
                  name={plan.name}
                  price={priceText(plan.priceCents)}
                  period={cycleSuffix(plan.billingCycle)}
                  note={plan.billingCycle === 'yearly' && monthlyText(plan.priceCents)}
                  features={plan.features}
                  featured={featured}
                  heading="h3"
                  badge={offer === 'current' && <Badge tone="good">Your plan</Badge>}
                  action={(nameId) => (
                    <Button
                      aria-describedby={nameId}
                      wide
                      size="lg"
                      variant={featured || offer === 'upgrade' ? 'primary' : 'secondary'}
                      disabled={offer === 'current' || !canChoose}
                      loading={buy.isLeaving && buy.variables === plan.id}
                      onClick={() => choose(plan)}
                    >
                      {OFFER_LABELS[offer]}
                    </Button>
                  )}
                />
              )
            })}
        </ul>
      ) : (
        <>
          <LoadingText>Loading plans…</LoadingText>
          <div className="grid gap-6 md:grid-cols-2">
            <CardSkeleton />
            <CardSkeleton />
          </div>
        </>
      )}
      {changing && state.plan && (
        <ChangePlanDialog
          key={changing.times}
          plan={changing.plan}
          current={state.plan}
          isCancelled={state.subscription?.cancelAtPeriodEnd ?? false}
          open={changing.open}
          onClose={() => setChanging({ ...changing, open: false })}
        />
      )}
    </section>
  )
}

function CardSkeleton() {
  return (
    <div aria-hidden className="grid gap-6 rounded-xl border border-line bg-surface p-6">
      <Skeleton className="h-6 w-24" />
      <Skeleton className="h-10 w-36" />
      <SkeletonText lines={5} />
      <Skeleton className="h-11" />
    </div>
  )
}
