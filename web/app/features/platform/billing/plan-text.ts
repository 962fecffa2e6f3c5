import { formatMoney, formatNumber } from '@x-automated/contract/format'
import type { Subscription, SubscriptionDetails } from '@x-automated/contract/platform/billing'
import {
  type BuiltInPlan,
  type Limited,
  PLAN_LEVELS,
  PLANS,
  type PlanLevel,
} from '@x-automated/contract/platform/plans'

export type BillingCycle = BuiltInPlan['billingCycle']

export interface OfferedPlan {
  id: string
  priceCents: number
}

/** Displayed for unknown plans. */
const UNKNOWN_PLAN = { name: 'Basic', priceCents: 999, billingCycle: 'monthly' } as const

/** '$50', or '$9.99' with cents. */
export function priceText(cents: number): string {
  const isWhole = cents % 100 === 0
  return formatMoney(cents, 'USD', isWhole ? 0 : 2)
}

/** '$25 a month': a yearly price, per month. */
export function monthlyText(yearlyCents: number): string {
  return `${priceText(Math.round(yearlyCents / 12))} a month`
}

/** '$50.00/month'. */
export function amountText({ priceCents, billingCycle }: { priceCents: number; billingCycle: BillingCycle }): string {
  return `${formatMoney(priceCents)}/${billingCycle === 'yearly' ? 'year' : 'month'}`
}

/** What follows the price on a card. */
export function cycleSuffix(cycle: BillingCycle): string {
  return cycle === 'yearly' ? '/yr' : '/mo'
}

/** 'Active (Cancels at period end)'. */
export function statusText(subscription: Pick<Subscription, 'status' | 'cancelAtPeriodEnd'>): string {
  const status = subscription.status.replace('_', ' ')
  return `${status.charAt(0).toUpperCase()}${status.slice(1)}${subscription.cancelAtPeriodEnd ? ' (Cancels at period end)' : ''}`
}

/** A subscription's plan: a built-in one, or else as the server describes it, or else UNKNOWN_PLAN. */
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

/** What a plan's button does, depending on the current plan. */
export function planOffer(plan: OfferedPlan, current: OfferedPlan | null): 'current' | 'upgrade' | 'select' {
  if (plan.id === current?.id) return 'current'
  return current && plan.priceCents > current.priceCents ? 'upgrade' : 'select'
}

/** Labels of a plan's button. */
export const OFFER_LABELS = { current: 'Current Plan', upgrade: 'Upgrade', select: 'Select Plan' } as const

/** '1,000' or 'Unlimited'. */
export function limitText(level: PlanLevel, what: Limited): string {
  const limit = PLAN_LEVELS[level][what]
  return limit === null ? 'Unlimited' : formatNumber(limit)
}
