import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { OtherSubscription } from '@x-automated/contract/billing'
import { isPlanId } from '@x-automated/contract/plans'
import { api, client, errorText } from '../../api'
import { useConfirm } from '../../ui/confirm'
import { toast } from '../../ui/toast'

/** Asks again for all that a change of plan changes. */
export function useRereadPlan(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    // What an account may connect follows the plan. What a change would have cost is asked for when it is offered again.
    const { subscription, overview, ownLinks, invoices } = api.billing
    const changed = [subscription.key(), overview.key(), ownLinks.key(), invoices.key(), api.xAccount.key()]
    await Promise.all(changed.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }
}

/** Cancels, after asking. The words are the specification's (§8). */
export function useCancelSubscription() {
  const confirm = useConfirm()
  const reread = useRereadPlan()
  const cancel = useMutation({
    mutationFn: () => client.billing.cancel({}, { context: { idempotencyKey: crypto.randomUUID() } }),
    onSuccess() {
      toast.success('Your subscription has been canceled and will end at the current billing period.')
      return reread()
    },
    onError: (error) => toast.error(errorText(error, 'Failed to cancel subscription. Please try again.')),
  })
  const ask = async () => {
    const sure = await confirm({
      title: 'Cancel subscription?',
      body: "Are you sure you want to cancel your subscription? You'll still have access until the end of your billing period.",
      confirm: 'Cancel Subscription',
      cancel: 'Keep Subscription',
      danger: true,
    })
    if (sure) cancel.mutate()
  }
  return { ask, isPending: cancel.isPending }
}

/** Lets what is paid for besides end with its period, after asking. */
export function useEndOther({ id, name }: Pick<OtherSubscription, 'id' | 'name'>) {
  const confirm = useConfirm()
  const reread = useRereadPlan()
  const end = useMutation({
    mutationFn: () =>
      client.billing.cancel({ subscriptionId: id }, { context: { idempotencyKey: crypto.randomUUID() } }),
    onSuccess() {
      toast.success(`Your second subscription, ${name}, won't renew.`)
      return reread()
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

/** Takes a cancellation back. */
export function useResumeSubscription() {
  const reread = useRereadPlan()
  return useMutation({
    mutationFn: () => client.billing.resume({}, { context: { idempotencyKey: crypto.randomUUID() } }),
    onSuccess() {
      toast.success('Your subscription continues.')
      return reread()
    },
    onError: (error) => toast.error(errorText(error, 'Failed to keep your subscription. Please try again.')),
  })
}

/** Leads to the provider's page on which the card and the billing address are changed. */
export function useOpenPortal() {
  return useMutation({
    mutationFn: () => client.billing.portal({}, { context: { idempotencyKey: crypto.randomUUID() } }),
    onSuccess: ({ url }) => location.assign(url),
    onError: (error) => toast.error(errorText(error, 'Failed to open the billing page. Please try again.')),
  })
}

/** Leads to the page on which a plan is paid: the hosted link of a built-in one, a checkout of any other (specification §7). */
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
