import type { TemplateStep } from '@x-automated/contract/outreach/steps'
import { SHARING_IS_AGENCY, TEMPLATE_LIMITS, templatesLimitText } from '@x-automated/contract/outreach/template-limits'
import type { PlanLevel } from '@x-automated/contract/platform/plans'

/** What determines how many templates a workspace may have. */
interface TemplateAllowance {
  plan: PlanLevel
  /** The next one is private, and the workspace's owner earned private templates without a limit. */
  isUnlimited: boolean
  /** Templates that are not archived and count toward the limit. */
  used: number
}

/** Why there can't be another template, with the limit; null: there can. */
export function templateLimit({ plan, isUnlimited, used }: TemplateAllowance): { text: string; limit: number } | null {
  const limit = TEMPLATE_LIMITS[plan].templates
  if (plan === 'agency' || limit === null || isUnlimited || used < limit) return null
  return { text: templatesLimitText(plan), limit }
}

/** Why the plan can't share templates; null: it can. */
export function sharingLimit(plan: PlanLevel): string | null {
  return TEMPLATE_LIMITS[plan].canShare ? null : SHARING_IS_AGENCY
}

/** Every text of a template with the path of its field. Texts of inactive variants may be unreadable. */
export function messagesOf(steps: readonly TemplateStep[]): { path: string; text: string }[] {
  return steps.flatMap(({ variants }, step) =>
    variants.flatMap(({ messageTemplate, isActive }, variant) =>
      isActive ? [{ path: `steps.${step}.variants.${variant}.messageTemplate`, text: messageTemplate }] : [],
    ),
  )
}
