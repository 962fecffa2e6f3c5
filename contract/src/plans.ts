/** What can be bought (specification §3, Plan). */
export const PLAN_IDS = ['pro_monthly', 'pro_yearly', 'agency_monthly', 'agency_yearly'] as const
export type PlanId = (typeof PLAN_IDS)[number]

/** The levels of what a workspace may do. */
export type PlanLevel = 'free' | 'pro' | 'agency'

/** What plans limit. */
export type Limited = 'scrapedLeads' | 'dms' | 'xAccounts'

/** A level's name, and its limits: scraped leads and DMs a calendar month, X accounts at a time; null: none (domain rules, Accounts, plans, teams). */
export const PLAN_LEVELS = {
  free: { name: 'Free', scrapedLeads: 100, dms: 50, xAccounts: 1 },
  pro: { name: 'Pro', scrapedLeads: 1_000, dms: 5_000, xAccounts: 3 },
  agency: { name: 'Agency', scrapedLeads: null, dms: 20_000, xAccounts: 10 },
} as const satisfies Record<PlanLevel, { name: string } & Record<Limited, number | null>>

export function levelOf(planId: PlanId): PlanLevel {
  return planId.startsWith('agency') ? 'agency' : 'pro'
}
