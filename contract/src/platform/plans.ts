/** Ids of the built-in paid plans. */
const PLAN_IDS = ['pro_monthly', 'pro_yearly', 'agency_monthly', 'agency_yearly'] as const
export type PlanId = (typeof PLAN_IDS)[number]

/** Feature levels of a workspace. */
export type PlanLevel = 'free' | 'pro' | 'agency'

/** The quantities that plans limit. */
export type Limited = 'scrapedLeads' | 'dms' | 'xAccounts' | 'people'

/** The limits of each level: leads and DMs per calendar month, X accounts and people; null if unlimited. */
export const PLAN_LEVELS = {
  free: { name: 'Free', scrapedLeads: 100, dms: 50, xAccounts: 1, people: 1 },
  pro: { name: 'Pro', scrapedLeads: 1_000, dms: 5_000, xAccounts: 3, people: 1 },
  agency: { name: 'Agency', scrapedLeads: null, dms: 20_000, xAccounts: 10, people: null },
} as const satisfies Record<PlanLevel, { name: string } & Record<Limited, number | null>>

/** Whether the plan includes comparisons, figures per step and variant, the heat map, and their CSV files. */
export function hasAdvancedAnalytics(plan: PlanLevel): boolean {
  return plan === 'agency'
}

/** The error on plans without advanced analytics. */
export const ADVANCED_ANALYTICS_TEXT =
  'Advanced analytics are part of the Agency plan. Upgrade to Agency to compare campaigns, see when people reply, and export figures.'

/** Whether the plan includes filtering leads by reply label, several tags, custom fields and last contact. */
export function hasAdvancedFilters(plan: PlanLevel): boolean {
  return plan !== 'free'
}

/** The error on plans without advanced filters. */
export const ADVANCED_FILTERS_TEXT =
  'Advanced filtering is part of the Pro plan. Upgrade to Pro to filter by reply label, several tags, custom fields and the last contact.'

/** Whether leads can be filtered by and/or rules. The owner's Global Networker reward allows it on every plan. */
export function hasFilterRules(plan: PlanLevel, achievements: readonly string[]): boolean {
  return plan === 'agency' || achievements.includes('global')
}

/** The error on plans without filter rules. */
export const FILTER_RULES_TEXT =
  'Custom filtering rules are part of the Agency plan. Upgrade to Agency to combine conditions with “and” and “or”.'

/** Whether the plan includes API keys and their calls. */
export function hasApiAccess(plan: PlanLevel): boolean {
  return plan === 'agency'
}

/** The error on plans without API access. */
export const API_ACCESS_TEXT =
  'API access is part of the Agency plan. Upgrade to Agency to create API keys and to use those you have.'

/** Whether the plan includes client reports with the workspace's logo and color. */
export function hasClientReports(plan: PlanLevel): boolean {
  return plan === 'agency'
}

/** The error on plans without client reports. */
export const CLIENT_REPORTS_TEXT =
  'Client reports are part of the Agency plan. Upgrade to Agency to share results under your own name, logo and color.'

export function isPlanId(id: string): id is PlanId {
  return PLAN_IDS.some((planId) => planId === id)
}

/** Returns the level of a paid plan: `agency` if its id starts with that word, else `pro`. */
export function levelOf(planId: string): Exclude<PlanLevel, 'free'> {
  return planId.startsWith('agency') ? 'agency' : 'pro'
}

export interface BuiltInPlan {
  id: PlanId
  name: string
  priceCents: number
  billingCycle: 'monthly' | 'yearly'
  features: readonly string[]
}

/** The plans on the pricing page. */
export const PLANS = [
  {
    id: 'pro_monthly',
    name: 'Pro',
    priceCents: 5_000,
    billingCycle: 'monthly',
    features: [
      'Up to 1,000 leads per month',
      'Advanced filtering',
      'Automated DM campaigns',
      'Basic analytics',
      'Email support',
    ],
  },
  {
    id: 'agency_monthly',
    name: 'Agency',
    priceCents: 12_000,
    billingCycle: 'monthly',
    features: [
      'Unlimited leads',
      'Custom filtering rules',
      'Advanced DM campaigns',
      'Team collaboration',
      'Advanced analytics',
      'Priority support',
      'API access',
    ],
  },
  {
    id: 'pro_yearly',
    name: 'Pro Yearly',
    priceCents: 30_000,
    billingCycle: 'yearly',
    features: ['All Pro features', 'Priority email support'],
  },
  {
    id: 'agency_yearly',
    name: 'Agency Yearly',
    priceCents: 72_000,
    billingCycle: 'yearly',
    features: ['All Agency features', '24/7 priority support'],
  },
] as const satisfies readonly BuiltInPlan[]
