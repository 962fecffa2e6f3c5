import type { Plan } from '@x-automated/contract/platform/billing'
import { levelOf, PLANS, type PlanId } from '@x-automated/contract/platform/plans'

const pro = [
  '5,000 DMs per month',
  'Unlimited leads',
  'Advanced analytics',
  'Priority support',
  'Custom message templates',
  'Up to 3 Twitter accounts',
]
const agency = [
  '20,000 DMs per month',
  'Unlimited leads',
  'Advanced analytics',
  'Dedicated support',
  'Custom templates',
  'Up to 10 Twitter accounts',
  'White-label reports',
  'API access',
]

const savings: Partial<Record<PlanId, string>> = {
  pro_yearly: 'Save $300 per year',
  agency_yearly: 'Save $720 per year',
}

/** The built-in plans, for when plans cannot be loaded. They can still be bought. */
export const FALLBACK_PLANS: readonly Plan[] = PLANS.map(({ id, name, priceCents, billingCycle }) => ({
  id,
  name,
  price: priceCents / 100,
  priceCents,
  billingCycle,
  features: [...(levelOf(id) === 'pro' ? pro : agency), ...(savings[id] ? [savings[id]] : [])],
}))
