import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { BillingOverview, Subscription } from '@x-automated/contract/billing'
import { api } from '../../api'
import { isInitialLoading } from '../../initial-loading'
import { useHasRole } from '../settings/use-role'
import { type BillingCycle, planOf } from './plan-text'

/** What the workspace pays for, as far as it is known. */
export interface KnownSubscription {
  /** What is paid for, or the first answer to what can be said beyond it, is still awaited: they are shown together. */
  isLoading: boolean
  query: UseQueryResult<{ subscription: Subscription | null }>
  /** Undefined while it is not known. */
  subscription: Subscription | null | undefined
  /** What can be said beyond it; undefined while it is not known. */
  overview: BillingOverview | undefined
  /** The plan that one has; null: none that goes on. */
  plan: { id: string; name: string; priceCents: number; billingCycle: BillingCycle } | null
  /** A change of plan changes this subscription, and buys no second one. */
  changeable: boolean
  /** Only the owner of a workspace buys, changes and cancels. Undefined while one's role is not known. */
  mayManage: boolean | undefined
}

export function useSubscription(): KnownSubscription {
  const query = useQuery(api.billing.subscription.queryOptions())
  const beyond = useQuery(api.billing.overview.queryOptions())
  const overview = beyond.data
  const subscription = query.data?.subscription
  const goesOn = subscription && subscription.status !== 'canceled' ? subscription : null
  return {
    isLoading: query.isPending || isInitialLoading(beyond),
    query,
    subscription,
    overview,
    plan: goesOn && planOf(goesOn, overview?.subscription ?? null),
    changeable: goesOn !== null && overview?.subscription?.manageable !== false,
    mayManage: useHasRole('owner'),
  }
}
