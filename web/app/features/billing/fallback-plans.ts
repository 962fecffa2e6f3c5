import type { Plan } from '@x-automated/contract/billing'

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

/** Shown with the error where the plans do not come (specification §9). They are the built-in ones, and can be bought. */
export const FALLBACK_PLANS: readonly Plan[] = [
  { id: 'pro_monthly', name: 'Pro', price: 50, priceCents: 5_000, billingCycle: 'monthly', features: pro },
  { id: 'agency_monthly', name: 'Agency', price: 120, priceCents: 12_000, billingCycle: 'monthly', features: agency },
  {
    id: 'pro_yearly',
    name: 'Pro Yearly',
    price: 300,
    priceCents: 30_000,
    billingCycle: 'yearly',
    features: [...pro, 'Save $300 per year'],
  },
  {
    id: 'agency_yearly',
    name: 'Agency Yearly',
    price: 720,
    priceCents: 72_000,
    billingCycle: 'yearly',
    features: [...agency, 'Save $720 per year'],
  },
]
