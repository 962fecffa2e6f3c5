import { QueryClientProvider } from '@tanstack/react-query'
import type { BillingOverview, OtherSubscription } from '@x-automated/contract/platform/billing'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../../query-client'
import { ConfirmProvider } from '../../../ui/confirm'
import { OtherSubscriptions } from './other-subscriptions'

const other: OtherSubscription = {
  id: 'sub_1',
  planId: 'pro_monthly',
  name: 'Pro',
  status: 'active',
  priceCents: 5_000,
  billingCycle: 'monthly',
  currentPeriodEnd: '2026-12-01T00:00:00.000Z',
  cancelAtPeriodEnd: false,
}

/** The text about second subscriptions. */
function textOf(...others: OtherSubscription[]): string {
  return renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <ConfirmProvider>
        <OtherSubscriptions overview={{ others } as BillingOverview} />
      </ConfirmProvider>
    </QueryClientProvider>,
  )
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#x27;', "'")
}

test('shows a second subscription with its price and end', () => {
  expect(textOf()).toBe('')
  expect(textOf(other)).toMatch(/You also pay for Pro.*\$50\.00\/month.*Don't renew/)
  const ending = textOf({ ...other, cancelAtPeriodEnd: true })
  expect(ending).toContain("Your second subscription, Pro, won't renew")
  expect(ending).not.toContain("Don't renew")
})
