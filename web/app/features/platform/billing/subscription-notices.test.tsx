import { QueryClientProvider } from '@tanstack/react-query'
import type { BillingOverview, Subscription } from '@x-automated/contract/platform/billing'
import { DAY_MS } from '@x-automated/contract/time'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../../query-client'
import { ConfirmProvider } from '../../../ui/confirm'
import { SubscriptionNotices } from './subscription-notices'
import type { SubscriptionState } from './use-subscription'

/** The notice's text when this many days of grace are left. */
function textWith(daysLeft: number): string {
  const subscription: Subscription = {
    planId: 'pro_monthly',
    status: 'past_due',
    currentPeriodEnd: new Date(Date.now() + 20 * DAY_MS).toISOString(),
    cancelAtPeriodEnd: false,
  }
  const graceEndsAt = new Date(Date.now() + daysLeft * DAY_MS).toISOString()
  const overview = { subscription: { ...subscription, graceEndsAt } } as BillingOverview
  const state = { subscription, overview, mayManage: false } as SubscriptionState
  return renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <ConfirmProvider>
        <SubscriptionNotices state={state} />
      </ConfirmProvider>
    </QueryClientProvider>,
  ).replace(/<[^>]*>/g, '')
}

test('says that a past-due plan is kept only during the grace period', () => {
  expect(textWith(3)).toContain('You keep Pro until')
  expect(textWith(-3)).not.toContain('You keep Pro')
  expect(textWith(-3)).toContain('Your workspace stays on Free until we receive your payment.')
})
