import type { TemplateStep } from '@x-automated/contract/outreach/steps'
import { SHARING_IS_AGENCY, TEMPLATE_LIMITS, templatesLimitText } from '@x-automated/contract/outreach/template-limits'
import type { PlanLevel } from '@x-automated/contract/platform/plans'

/** The facts that decide how many templates a workspace may have. */
interface TemplateAllowance {
  plan: PlanLevel
  /** Whether the next template is private and the workspace's owner has earned unlimited private templates. */
  isUnlimited: boolean
  /** How many templates count toward the limit: those that are not archived. */
  used: number
}

/** Why another template is refused, as a text with the limit; null: it is allowed. */
export function templateLimit({ plan, isUnlimited, used }: TemplateAllowance): { text: string; limit: number } | null {
  const limit = TEMPLATE_LIMITS[plan].templates
  if (plan === 'agency' || limit === null || isUnlimited || used < limit) return null
  return { text: templatesLimitText(plan), limit }
}

/** Why the plan refuses sharing, as a text; null: sharing is allowed. */
export function sharingLimit(plan: PlanLevel): string | null {
  return TEMPLATE_LIMITS[plan].canShare ? null : SHARING_IS_AGENCY
}

/** The texts of a template's active variants, each with the path of its field. Other texts need not be valid. */
export function messagesOf(steps: readonly TemplateStep[]): { path: string; text: string }[] {
  return steps.flatMap(({ variants }, step) =>
    variants.flatMap(({ messageTemplate, isActive }, variant) =>
      isActive ? [{ path: `steps.${step}.variants.${variant}.messageTemplate`, text: messageTemplate }] : [],
    ),
  )
}
