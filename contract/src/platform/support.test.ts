import { expect, it } from 'vitest'
import { PLANS } from './plans.ts'
import { SUPPORT, supportOf } from './support.ts'

it.each([
  ['pro_monthly', 'Email support', 'email'],
  ['pro_yearly', 'Priority email support', 'priority'],
  ['agency_monthly', 'Priority support', 'priority'],
  ['agency_yearly', '24/7 priority support', 'priority_24_7'],
] as const)('gives %s the support of its card, %s', (id, promise, kind) => {
  const plan = PLANS.find((candidate) => candidate.id === id)!
  expect(plan.features).toContain(promise)
  expect(supportOf(id.startsWith('pro') ? 'pro' : 'agency', plan.billingCycle)).toBe(kind)
  expect(SUPPORT[kind].firstAnswer).not.toBeNull()
})

it('promises no time on Free, whose card promises no support', () => {
  expect(SUPPORT[supportOf('free', 'yearly')].firstAnswer).toBeNull()
})
