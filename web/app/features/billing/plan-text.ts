import type { Subscription, SubscriptionDetails } from '@x-automated/contract/billing'
import { formatMoney, formatNumber } from '@x-automated/contract/format'
import { type BuiltInPlan, type Limited, PLAN_LEVELS, PLANS, type PlanLevel } from '@x-automated/contract/plans'

export type BillingCycle = BuiltInPlan['billingCycle']

/** What of a plan decides how it is offered. */
export interface OfferedPlan {
  id: string
  priceCents: number
}

/** Shown for a plan that the product does not know (specification §9). */
const UNKNOWN_PLAN = { name: 'Basic', priceCents: 999, billingCycle: 'monthly' } as const

/** '$50', and '$9.99' where there are cents. */
export function priceText(cents: number): string {
  const whole = cents % 100 === 0
  return formatMoney(cents, 'USD', whole ? 0 : 2)
}

/** What a plan costs, as the subscription's card says it: '$50.00/month'. */
export function amountText({ priceCents, billingCycle }: { priceCents: number; billingCycle: BillingCycle }): string {
  return `${formatMoney(priceCents)}/${billingCycle === 'yearly' ? 'year' : 'month'}`
}

/** Stands behind the price on a card of the billing page. */
export function cycleSuffix(cycle: BillingCycle): string {
  return cycle === 'yearly' ? '/yr' : '/mo'
}

/** 'Active (Cancels at period end)' (specification §4). */
export function statusText(subscription: Pick<Subscription, 'status' | 'cancelAtPeriodEnd'>): string {
  const status = subscription.status.replace('_', ' ')
  return `${status.charAt(0).toUpperCase()}${status.slice(1)}${subscription.cancelAtPeriodEnd ? ' (Cancels at period end)' : ''}`
}

/** The plan that a subscription is for: one of the built-in ones, else as the server describes it, else a plan that nobody knows. */
export function planOf(
  { planId }: Pick<Subscription, 'planId'>,
  details: Pick<SubscriptionDetails, 'planId' | 'name' | 'priceCents' | 'billingCycle'> | null,
): { id: string; name: string; priceCents: number; billingCycle: BillingCycle } {
  const builtIn = PLANS.find(({ id }) => id === planId)
  if (builtIn) return builtIn
  if (details?.planId === planId && details.name !== '' && details.priceCents !== null)
    return { id: planId, name: details.name, priceCents: details.priceCents, billingCycle: details.billingCycle }
  return { id: planId, ...UNKNOWN_PLAN }
}

/** What the button of a plan offers, beside the plan that somebody has (specification §4). */
export function planOffer(plan: OfferedPlan, current: OfferedPlan | null): 'current' | 'upgrade' | 'select' {
  if (plan.id === current?.id) return 'current'
  return current && plan.priceCents > current.priceCents ? 'upgrade' : 'select'
}

/** Its words. */
export const OFFER_WORDS = { current: 'Current Plan', upgrade: 'Upgrade', select: 'Select Plan' } as const

/** A level's limit in words: '1,000', 'Unlimited'. */
export function limitText(level: PlanLevel, what: Limited): string {
  const limit = PLAN_LEVELS[level][what]
  return limit === null ? 'Unlimited' : formatNumber(limit)
}
