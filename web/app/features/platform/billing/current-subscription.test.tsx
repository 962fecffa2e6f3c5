import { QueryClientProvider } from '@tanstack/react-query'
import type { BillingOverview } from '@x-automated/contract/platform/billing'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../../query-client'
import { ConfirmProvider } from '../../../ui/confirm'
import { CurrentSubscription } from './current-subscription'
import type { SubscriptionState } from './use-subscription'

const NONE = 'You have no subscription.'

/** The card's text, without markup. */
function textOf(
  overview: Partial<BillingOverview>,
  mayManage = true,
  subscription: SubscriptionState['subscription'] = null,
): string {
  const support = { kind: 'priority', email: 'vip@acme.test', firstAnswer: '1 business day' }
  const state = {
    query: { isError: false },
    subscription,
    overview: { support, ...overview },
    mayManage,
  } as SubscriptionState
  return renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <ConfirmProvider>
        <CurrentSubscription state={state} />
      </ConfirmProvider>
    </QueryClientProvider>,
  ).replace(/<[^>]*>/g, '')
}

const earned: Pick<BillingOverview, 'level' | 'source' | 'rewards'> = {
  level: 'pro',
  source: 'reward',
  rewards: { months: 3, until: '2026-12-22T00:00:00.000Z', grants: [], achievements: [] },
}

test('explains Pro from referrals and its end', () => {
  const text = textOf(earned)
  expect(text).toContain('You earned free months of Pro by referring friends.')
  expect(text).toContain('your workspace moves to Free. To keep Pro or get higher limits, pick a plan below.')
  expect(text).not.toContain(NONE)
})

test('says to members that the owner earned it', () => {
  const text = textOf(earned, false)
  expect(text).toContain('The owner of this workspace earned free months of Pro by referring friends.')
  expect(text).toContain('To keep Pro, the owner can pick a plan.')
})

test('says there is no subscription on Free, even after earned months', () => {
  expect(textOf({ level: 'free', source: 'none' })).toContain(NONE)
  expect(textOf({ level: 'free', source: 'none', rewards: earned.rewards })).toContain(NONE)
})

test('names the support of the plan, its address and its target', () => {
  expect(textOf({ level: 'free', source: 'none' })).toContain(
    'Priority support: first answer within 1 business day. Email vip@acme.test.',
  )
})

test('does not ask for payment of a granted plan', () => {
  const subscription = { planId: 'agency_monthly', status: 'active', currentPeriodEnd: '2100-01-01T00:00:00.000Z' }
  const details = { manageable: false, planId: 'agency_monthly' }
  const text = textOf(
    { subscription: details } as Partial<BillingOverview>,
    false,
    subscription as SubscriptionState['subscription'],
  )
  expect(text).toContain('AmountFree of charge')
  expect(text).toContain('granted to your workspace at no charge.')
  expect(text).not.toContain('Only the workspace owner')
})
