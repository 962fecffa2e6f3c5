import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { BillingOverview, Subscription } from '@x-automated/contract/platform/billing'
import { api } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { useHasRole } from '../../identity/people/use-role'
import { type BillingCycle, planOf } from './plan-text'

/** What has loaded of the workspace's subscription. */
export interface SubscriptionState {
  /** True until both the subscription and the overview have loaded, because they render together. */
  isLoading: boolean
  query: UseQueryResult<{ subscription: Subscription | null }>
  /** Undefined while loading. */
  subscription: Subscription | null | undefined
  /** Undefined while loading. */
  overview: BillingOverview | undefined
  /** The current plan, or null without an active subscription. */
  plan: { id: string; name: string; priceCents: number; billingCycle: BillingCycle } | null
  /** Whether a plan change updates this subscription instead of buying another one. */
  changeable: boolean
  /** Whether the user can buy, change and cancel: only the owner can. Undefined while the role is unknown. */
  mayManage: boolean | undefined
}

/** The workspace's subscription, and what this user may do with it. */
export function useSubscription(): SubscriptionState {
  const query = useQuery(api.billing.subscription.queryOptions())
  const beyond = useQuery(api.billing.overview.queryOptions())
  const overview = beyond.data
  const subscription = query.data?.subscription
  const active = subscription && subscription.status !== 'canceled' ? subscription : null
  return {
    isLoading: query.isPending || isInitialLoading(beyond),
    query,
    subscription,
    overview,
    plan: active && planOf(active, overview?.subscription ?? null),
    changeable: active !== null && overview?.subscription?.manageable !== false,
    mayManage: useHasRole('owner'),
  }
}
