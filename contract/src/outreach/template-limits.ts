/** Limits of templates. The server enforces them and screens show them, so this file imports no schemas. */
import { formatNumber } from '../format.ts'
import { PLAN_LEVELS, type PlanLevel } from '../platform/plans.ts'

/** `templates`: maximum per workspace; null if unlimited. Archived templates and starters do not count. */
export const TEMPLATE_LIMITS = {
  free: { templates: 3, canShare: false },
  pro: { templates: 50, canShare: false },
  agency: { templates: null, canShare: true },
} as const satisfies Record<PlanLevel, { templates: number | null; canShare: boolean }>

/** The error for sharing a template on plans other than Agency. */
export const SHARING_IS_AGENCY =
  'Shared templates are part of the Agency plan. Upgrade to Agency to share templates with your team.'

/** Returns the error for too many templates. */
export function templatesLimitText(plan: 'free' | 'pro'): string {
  const limitation = `Your ${PLAN_LEVELS[plan].name} plan includes ${formatNumber(TEMPLATE_LIMITS[plan].templates)} templates.`
  return plan === 'free'
    ? `${limitation} Upgrade to Pro for ${formatNumber(TEMPLATE_LIMITS.pro.templates)}, or archive one.`
    : `${limitation} Upgrade to Agency for unlimited templates, or archive one.`
}
