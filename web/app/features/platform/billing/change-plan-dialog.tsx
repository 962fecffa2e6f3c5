import { ORPCError } from '@orpc/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { formatMoney } from '@x-automated/contract/format'
import type { Plan, UpgradePreview } from '@x-automated/contract/platform/billing'
import { useRef } from 'react'
import { api, client, errorCode, errorText } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button, buttonClass } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { DateTime } from '../../../ui/date-time'
import { Dialog } from '../../../ui/dialog'
import { LoadingText, SkeletonText } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { amountText, type OfferedPlan, planOffer } from './plan-text'
import { useOpenPortal, useRefetchPlan } from './subscription-actions'

interface ChangePlanDialogProps extends ControlledDialogProps {
  plan: Plan
  current: OfferedPlan & { name: string }
  /** Whether a cancellation is pending. A plan change undoes it, unless the bank asks to confirm the payment. */
  isCancelled: boolean
}

/** Previews and confirms a plan change. */
export function ChangePlanDialog({ plan, current, isCancelled, ...dialog }: ChangePlanDialogProps) {
  const isUpgrade = planOffer(plan, current) === 'upgrade'
  const refetchPlan = useRefetchPlan()
  const portal = useOpenPortal()
  // One key per opening, so that a second press never charges twice.
  const key = useRef(crypto.randomUUID())
  const preview = useQuery({
    ...api.billing.previewUpgrade.queryOptions({ input: { planId: plan.id } }),
    enabled: dialog.open,
    // Never refetch, because the user confirms exactly the price that they see.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
  })
  const upgrade = useMutation({
    mutationFn: ({ prorationDate }: UpgradePreview) =>
      client.billing.upgrade({ planId: plan.id, prorationDate }, { context: { idempotencyKey: key.current } }),
    async onSuccess() {
      toast.success(
        isUpgrade ? 'Your plan has been upgraded successfully!' : `Your plan has been changed to ${plan.name}.`,
      )
      await refetchPlan()
      dialog.onClose()
    },
    onError(error) {
      // The server has responded, so the next press is a new attempt.
      if (errorCode(error)) key.current = crypto.randomUUID()
      // The price has changed since the preview.
      if (errorCode(error) === 'SUBSCRIPTION_STATE') void Promise.all([preview.refetch(), refetchPlan()])
      if (!isPaymentError(error)) toast.error(errorText(error, 'Failed to upgrade plan. Please try again.'))
    },
  })
  const confirmation = confirmationUrl(upgrade.error)
  return (
    <Dialog
      {...dialog}
      title={isUpgrade ? `Upgrade to ${plan.name}` : `Change to ${plan.name}`}
      description={`From ${current.name}. Takes effect immediately.`}
      footer={
        <>
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!preview.isSuccess || preview.isFetching || confirmation !== null}
            loading={upgrade.isPending}
            onClick={() => preview.data && upgrade.mutate(preview.data)}
          >
            {isUpgrade ? 'Confirm upgrade' : 'Confirm change'}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {preview.isError ? (
          <QueryError query={preview} fallback="Failed to upgrade plan. Please try again." />
        ) : preview.data ? (
          <>
            <Costs preview={preview.data} />
            {isCancelled && !confirmation && <p className="text-muted">This also undoes your cancellation.</p>}
          </>
        ) : (
          <>
            <LoadingText>Calculating the price…</LoadingText>
            <SkeletonText lines={4} />
          </>
        )}
        {confirmation ? (
          <Callout
            tone="warn"
            title="Your bank needs you to confirm this payment"
            action={
              <a
                href={confirmation}
                target="_blank"
                rel="noopener"
                onClick={dialog.onClose}
                className={buttonClass({ variant: 'primary', size: 'sm' })}
              >
                Confirm payment<span className="sr-only">, in a new tab</span>
              </a>
            }
          >
            Your plan changes once you've confirmed.
            {/* Confirming the payment only applies the plan change. */}
            {isCancelled && ' Your cancellation stays in place until you undo it.'}
          </Callout>
        ) : (
          upgrade.isError &&
          isPaymentError(upgrade.error) && (
            <Callout
              tone="bad"
              action={
                <Button size="sm" loading={portal.isLeaving} onClick={() => portal.run()}>
                  Change card
                </Button>
              }
            >
              {errorText(upgrade.error)} Your plan has not changed.
            </Callout>
          )
        )}
      </div>
    </Dialog>
  )
}

function Costs({ preview }: { preview: UpgradePreview }) {
  const { dueNowCents, currency } = preview
  return (
    <>
      <dl className="grid gap-2">
        {preview.lines.map(({ text, amountCents }) => (
          <div key={`${text} ${amountCents}`} className="flex justify-between gap-4">
            <dt className="text-muted">{text}</dt>
            <dd data-numeric>{formatMoney(amountCents, currency)}</dd>
          </div>
        ))}
        <div className="flex justify-between gap-4 border-t border-line pt-3 text-base font-strong">
          <dt>Due now</dt>
          <dd data-numeric>{formatMoney(Math.max(0, dueNowCents), currency)}</dd>
        </div>
        {dueNowCents < 0 && (
          <div className="flex justify-between gap-4">
            <dt className="text-muted">Credit on your next invoices</dt>
            <dd data-numeric>{formatMoney(-dueNowCents, currency)}</dd>
          </div>
        )}
      </dl>
      <p className="text-muted">
        Then {amountText(preview)}, next on <DateTime value={preview.nextPaymentAt} precision="day" endsSentence />
      </p>
    </>
  )
}

function isPaymentError(error: unknown): boolean {
  return errorCode(error) === 'PAYMENT_DECLINED' || errorCode(error) === 'PAYMENT_CONFIRMATION_NEEDED'
}

/** The page on which the bank lets the user confirm the payment; null if this error requires none. */
function confirmationUrl(error: unknown): string | null {
  if (!(error instanceof ORPCError) || error.code !== 'PAYMENT_CONFIRMATION_NEEDED') return null
  const url = (error.data as { url?: unknown } | null)?.url
  return typeof url === 'string' ? url : null
}
