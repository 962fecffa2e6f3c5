import type { TemplateStep } from '@x-automated/contract/outreach/steps'
import { SHARING_IS_AGENCY, TEMPLATE_LIMITS, templatesLimitText } from '@x-automated/contract/outreach/template-limits'
import type { PlanLevel } from '@x-automated/contract/platform/plans'

/** What determines how many templates a workspace may have. */
interface TemplateAllowance {
  plan: PlanLevel
  /** The next template is private, and the workspace's owner earned unlimited private templates. */
  isUnlimited: boolean
  /** How many templates count toward the limit: those that are not archived. */
  used: number
}

/** The text of why another template is refused, with the limit; null: it is allowed. */
export function templateLimit({ plan, isUnlimited, used }: TemplateAllowance): { text: string; limit: number } | null {
  const limit = TEMPLATE_LIMITS[plan].templates
  if (plan === 'agency' || limit === null || isUnlimited || used < limit) return null
  return { text: templatesLimitText(plan), limit }
}

/** The text of why the plan refuses sharing; null: it allows it. */
export function sharingLimit(plan: PlanLevel): string | null {
  return TEMPLATE_LIMITS[plan].canShare ? null : SHARING_IS_AGENCY
}

/** Every text of a template, with the path of its field. Texts of inactive variants need not be valid. */
export function messagesOf(steps: readonly TemplateStep[]): { path: string; text: string }[] {
  return steps.flatMap(({ variants }, step) =>
    variants.flatMap(({ messageTemplate, isActive }, variant) =>
      isActive ? [{ path: `steps.${step}.variants.${variant}.messageTemplate`, text: messageTemplate }] : [],
    ),
  )
}
