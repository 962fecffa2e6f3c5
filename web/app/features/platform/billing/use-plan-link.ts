import { useQuery } from '@tanstack/react-query'
import type { PlanId } from '@x-automated/contract/platform/plans'
import { api } from '../../../api'
import { buyPath, paths } from '../../../paths'
import { useSession } from '../../../session'

/** The target of 'Get Started': the payment page, or the billing page for subscribers. */
export function usePlanLink(): (planId: PlanId) => string {
  const isSignedIn = useSession().status === 'signed-in'
  const role = useQuery(api.auth.me.queryOptions({ enabled: isSignedIn })).data?.workspace.role
  const isOwner = role === 'owner'
  const overview = useQuery(api.billing.overview.queryOptions({ enabled: isOwner })).data
  const own = useQuery(api.billing.ownLinks.queryOptions({ enabled: isOwner })).data
  return (planId) => {
    if (!isSignedIn || role === undefined) return buyPath(planId)
    if (!isOwner || overview?.subscription?.manageable) return paths.billing
    return own?.links[planId] ?? buyPath(planId)
  }
}
