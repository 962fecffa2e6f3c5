import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { client } from '../../../api'
import { toast } from '../../../ui/toast'
import { useRefetchPlan } from './subscription-actions'

/** Toasts by checkout result (`?checkout=…`). */
const RESULTS = {
  success: () => toast.success('Thank you! Your plan is being set up.'),
  cancelled: () => toast.info("Checkout canceled. You weren't charged."),
}

/** After a visit to the payment provider's pages, syncs the plan without waiting for the provider's webhook. */
export function useReturnFromPayment(mayManage: boolean | undefined): void {
  const [params, setParams] = useSearchParams()
  const refetchPlan = useRefetchPlan()
  const refresh = useMutation({ mutationFn: () => client.billing.refresh({}), onSuccess: refetchPlan })
  const hasSynced = useRef(false)
  const end = params.get('checkout')
  useEffect(() => {
    if (!mayManage || hasSynced.current || (end === null && !cameFromElsewhere())) return
    hasSynced.current = true
    refresh.mutate()
    if (end === 'success' || end === 'cancelled') RESULTS[end]()
    if (end !== null) setParams({}, { replace: true })
  })
}

/** Whether the user came from another site: the provider's hosted links, portal and invoices add no parameter. */
function cameFromElsewhere(): boolean {
  return document.referrer !== '' && new URL(document.referrer).origin !== location.origin
}
