import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { OtherSubscription } from '@x-automated/contract/platform/billing'
import { isPlanId } from '@x-automated/contract/platform/plans'
import { api, client, errorText } from '../../../api'
import { useConfirm } from '../../../ui/confirm'
import { toast } from '../../../ui/toast'

/** Refetches everything that depends on the plan. */
export function useRefetchPlan(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    // The plan limits X accounts. Upgrade previews are refetched when opened.
    const { subscription, overview, ownLinks, invoices } = api.billing
    const changed = [subscription.key(), overview.key(), ownLinks.key(), invoices.key(), api.xAccount.key()]
    await Promise.all(changed.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }
}

/** Cancels the subscription after a confirmation. */
export function useCancelSubscription() {
  const confirm = useConfirm()
  const refetchPlan = useRefetchPlan()
  const cancel = useMutation({
    mutationFn: () => client.billing.cancel({}, { context: { idempotencyKey: crypto.randomUUID() } }),
    onSuccess() {
      toast.success('Your subscription has been canceled and will end at the current billing period.')
      return refetchPlan()
    },
    onError: (error) => toast.error(errorText(error, 'Failed to cancel subscription. Please try again.')),
  })
  const ask = async () => {
    const sure = await confirm({
      title: 'Cancel subscription?',
      body: "Are you sure you want to cancel your subscription? You'll still have access until the end of your billing period.",
      confirm: 'Cancel subscription',
      cancel: 'Keep subscription',
      danger: true,
    })
    if (sure) cancel.mutate()
  }
  return { ask, isPending: cancel.isPending }
}

/** Cancels a second subscription after a confirmation. */
export function useEndOther({ id, name }: Pick<OtherSubscription, 'id' | 'name'>) {
  const confirm = useConfirm()
  const refetchPlan = useRefetchPlan()
  const end = useMutation({
    mutationFn: () =>
      client.billing.cancel({ subscriptionId: id }, { context: { idempotencyKey: crypto.randomUUID() } }),
    onSuccess() {
      toast.success(`Your second subscription, ${name}, won't renew.`)
      return refetchPlan()
    },
    onError: (error) => toast.error(errorText(error, 'Failed to cancel subscription. Please try again.')),
  })
  const ask = async () => {
    const sure = await confirm({
      title: `Don't renew ${name}?`,
      body: "You won't be charged for it again. Your current plan doesn't change.",
      confirm: "Don't renew",
      cancel: 'Keep paying for both',
      danger: true,
    })
    if (sure) end.mutate()
  }
  return { ask, isPending: end.isPending }
}

/** Undoes a cancellation. */
export function useResumeSubscription() {
  const refetchPlan = useRefetchPlan()
  return useMutation({
    mutationFn: () => client.billing.resume({}, { context: { idempotencyKey: crypto.randomUUID() } }),
    onSuccess() {
      toast.success('Your subscription continues.')
      return refetchPlan()
    },
    onError: (error) => toast.error(errorText(error, 'Failed to keep your subscription. Please try again.')),
  })
}

/** Opens the provider's page for card and billing address. */
export function useOpenPortal() {
  return useMutation({
    mutationFn: () => client.billing.portal({}, { context: { idempotencyKey: crypto.randomUUID() } }),
    onSuccess: ({ url }) => location.assign(url),
    onError: (error) => toast.error(errorText(error, 'Failed to open the billing page. Please try again.')),
  })
}

/** Opens the payment page: a payment link for built-in plans, a checkout session for others. */
export function useBuyPlan() {
  return useMutation({
    mutationFn: async (planId: string) => {
      const link = isPlanId(planId) ? (await client.billing.ownLinks({})).links[planId] : null
      if (link) return link
      const key = crypto.randomUUID()
      return (await client.billing.checkout({ planId }, { context: { idempotencyKey: key } })).checkoutUrl
    },
    onSuccess: (url) => location.assign(url),
    onError: (error) => toast.error(errorText(error, 'Failed to process payment. Please try again.')),
  })
}
