import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { PaymentLinks } from '@x-automated/contract/platform/billing'
import type { PlanId } from '@x-automated/contract/platform/plans'
import { type MouseEvent, useState } from 'react'
import { api } from '../../../api'
import { buyPath, paths } from '../../../paths'
import { useSession } from '../../../session'

interface PlanLink {
  href: string
  onPointerEnter?: () => void
  onFocus?: () => void
  onClick?: (event: Pick<MouseEvent, 'preventDefault' | 'metaKey' | 'ctrlKey' | 'shiftKey'>) => unknown
}

/** Where 'Get Started' leads: the payment page or, for subscribers, the billing page. */
export function usePlanLink(): (planId: PlanId) => PlanLink {
  const queries = useQueryClient()
  const isSignedIn = useSession().status === 'signed-in'
  const role = useQuery(api.auth.me.queryOptions({ enabled: isSignedIn })).data?.workspace.role
  const isOwner = role === 'owner'
  const overview = useQuery(api.billing.overview.queryOptions({ enabled: isOwner }))
  const hasSubscription = overview.data?.subscription?.manageable === true
  // Only ask the payment provider once someone is about to press.
  const [isWanted, setWanted] = useState(false)
  const want = () => setWanted(true)
  const own = api.billing.ownLinks.queryOptions({ enabled: isWanted && overview.isSuccess && !hasSubscription })
  const { data, isError } = useQuery(own)
  return (planId) => {
    if (!isSignedIn) return { href: buyPath(planId) }
    if (!isOwner || hasSubscription || isError) return { href: paths.billing }
    return {
      href: data?.links[planId] ?? buyPath(planId),
      onPointerEnter: want,
      onFocus: want,
      onClick: (event) => {
        // With a modifier key, the browser opens the link that was loaded when the user pointed at it.
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        // Open the tab before the response arrives, because browsers block tabs that no press
        // opened.
        return openPaymentPage(window.open('', '_blank') ?? window, planId, () =>
          // The plan may have been bought after this page loaded.
          queries.fetchQuery({ ...own, staleTime: 0, retry: false }),
        )
      },
    }
  }
}

/** Opens a plan's payment page, or the billing page if the workspace can't buy it now. */
export async function openPaymentPage(
  tab: { opener: unknown; location: Pick<Location, 'replace'> },
  planId: PlanId,
  askForLinks: () => Promise<PaymentLinks>,
): Promise<void> {
  const url = await askForLinks().then(
    ({ links }) => links[planId] ?? paths.billing,
    () => paths.billing,
  )
  tab.opener = null
  tab.location.replace(url)
}
