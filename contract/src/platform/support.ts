import type { BuiltInPlan, PlanLevel } from './plans.ts'

export const SUPPORT_KINDS = ['basic', 'email', 'priority', 'priority_24_7'] as const
type SupportKind = (typeof SUPPORT_KINDS)[number]

/** Each kind of support with its target for the first answer; null if it has none. */
export const SUPPORT: Record<SupportKind, { name: string; firstAnswer: string | null }> = {
  basic: { name: 'Support by email', firstAnswer: null },
  email: { name: 'Email support', firstAnswer: '2 business days' },
  priority: { name: 'Priority support', firstAnswer: '1 business day' },
  priority_24_7: { name: '24/7 priority support', firstAnswer: '4 hours, day and night' },
}

/** Returns the kind of support that a plan includes. */
export function supportOf(plan: PlanLevel, billingCycle: BuiltInPlan['billingCycle']): SupportKind {
  if (plan === 'free') return 'basic'
  const isYearly = billingCycle === 'yearly'
  if (plan === 'pro') return isYearly ? 'priority' : 'email'
  return isYearly ? 'priority_24_7' : 'priority'
}
