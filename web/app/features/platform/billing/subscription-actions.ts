import { useQueryClient } from '@tanstack/react-query'
import type { OtherSubscription } from '@x-automated/contract/platform/billing'
import { api, client } from '../../../api'
import { useAction, useRedirect } from '../../../use-action'

const { subscription, overview, ownLinks, invoices } = api.billing
/**
 * Queries that depend on the plan, including X accounts, whose number it limits. Upgrade previews
 * are refetched when opened.
 */
const DEPENDS_ON_PLAN = [subscription, overview, ownLinks, invoices, api.xAccount]

/** Refetches everything that depends on the plan. */
export function useRefetchPlan(): () => Promise<unknown> {
  const queries = useQueryClient()
  return () => Promise.all(DEPENDS_ON_PLAN.map((part) => queries.invalidateQueries({ queryKey: part.key() })))
}

/** Options for a call that charges or cancels, so that repeating the request has no further effect. */
const once = () => ({ context: { idempotencyKey: crypto.randomUUID() } })

/** Cancels the subscription after a confirmation. */
export function useCancelSubscription() {
  return useAction(() => client.billing.cancel({}, once()), {
    question: {
      title: 'Cancel subscription?',
      body: "Are you sure you want to cancel your subscription? You'll still have access until the end of your billing period.",
      confirm: 'Cancel subscription',
      cancel: 'Keep subscription',
      danger: true,
    },
    done: 'Your subscription has been canceled and will end at the current billing period.',
    failed: 'Failed to cancel subscription. Please try again.',
    refetches: DEPENDS_ON_PLAN,
  })
}

/** Cancels a second subscription, after a confirmation. */
export function useEndOther({ id, name }: Pick<OtherSubscription, 'id' | 'name'>) {
  return useAction(() => client.billing.cancel({ subscriptionId: id }, once()), {
    question: {
      title: `Don't renew ${name}?`,
      body: "You won't be charged for it again. Your current plan doesn't change.",
      confirm: "Don't renew",
      cancel: 'Keep paying for both',
      danger: true,
    },
    done: `Your second subscription, ${name}, won't renew.`,
    failed: 'Failed to cancel subscription. Please try again.',
    refetches: DEPENDS_ON_PLAN,
  })
}

/** Undoes a cancellation. */
export function useResumeSubscription() {
  return useAction(() => client.billing.resume({}, once()), {
    done: 'Your subscription continues.',
    failed: 'Failed to keep your subscription. Please try again.',
    refetches: DEPENDS_ON_PLAN,
  })
}

/** Opens the provider's page for card and billing address. */
export function useOpenPortal() {
  return useRedirect(() => client.billing.portal({}, once()), 'Failed to open the billing page. Please try again.')
}

/** Opens the payment page. */
export function useBuyPlan() {
  return useRedirect(async (planId: string) => {
    return { url: (await client.billing.checkout({ planId }, once())).checkoutUrl }
  }, 'Failed to process payment. Please try again.')
}
