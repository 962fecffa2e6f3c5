import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { client } from '../../api'
import { toast } from '../../ui/toast'
import { useRereadPlan } from './subscription-actions'

/** How a payment ended, as the page that it ends on is told (`?checkout=…`). */
const ENDS = {
  success: () => toast.success('Thank you! Your plan is being set up.'),
  cancelled: () => toast.info("Checkout canceled. You weren't charged."),
}

/** Asks the payment provider what has happened where one comes from its pages, so that nobody waits for its message to us. */
export function useReturnFromPayment(mayManage: boolean | undefined): void {
  const [params, setParams] = useSearchParams()
  const reread = useRereadPlan()
  const refresh = useMutation({ mutationFn: () => client.billing.refresh({}), onSuccess: reread })
  const asked = useRef(false)
  const end = params.get('checkout')
  useEffect(() => {
    if (!mayManage || asked.current || (end === null && !cameFromElsewhere())) return
    asked.current = true
    refresh.mutate()
    if (end === 'success' || end === 'cancelled') ENDS[end]()
    if (end !== null) setParams({}, { replace: true })
  })
}

/** The provider's pages for built-in plans, its portal and its invoices lead back without saying so. */
function cameFromElsewhere(): boolean {
  return document.referrer !== '' && new URL(document.referrer).origin !== location.origin
}
