import { formatCount, formatList, formatNumber, formatRate } from '@x-automated/contract/format'
import { stepsLimitText } from '@x-automated/contract/outreach/sequence-limits'
import type { TemplateStep } from '@x-automated/contract/outreach/steps'
import type { Template } from '@x-automated/contract/outreach/templates'
import type { WorkspaceLimits } from '../sequences/use-sequence-limits'

/** '3 messages'. */
export function stepsText({ steps }: Pick<Template, 'steps'>): string {
  return formatCount(steps.length, 'message')
}

/** The first message, for a preview. */
export function firstText({ steps }: Pick<Template, 'steps'>): string {
  return steps[0]?.variants.find(({ isActive }) => isActive)?.messageTemplate ?? ''
}

/** Who wrote a template. */
export function authorText({ author, isStarter }: Pick<Template, 'author' | 'isStarter'>): string {
  return author?.name ?? (isStarter ? 'X-Automated' : 'Deleted account')
}

/** '12.5%', or a dash if nobody was messaged. */
export function rateText(percent: number | null): string {
  return percent === null ? '–' : formatRate(percent / 100)
}

/** The part of a template that the workspace can launch, and a text about the rest. */
export function withinPlan(
  steps: readonly TemplateStep[],
  planLimits: WorkspaceLimits | undefined,
): { steps: readonly TemplateStep[]; leftOut: string | null } {
  if (!planLimits) return { steps, leftOut: null }
  const { plan, limits } = planLimits
  const included = steps.slice(0, limits.steps).map((step) => {
    const active = step.variants.filter(({ isActive }) => isActive)
    return limits.hasVariants ? step : { ...step, variants: active.slice(0, 1) }
  })
  const variants = included.some(
    ({ variants }, index) => variants.length < (steps[index]?.variants.filter(({ isActive }) => isActive).length ?? 0),
  )
  const parts = [
    ...(included.length < steps.length
      ? [`${formatNumber(steps.length - included.length)} of ${formatCount(steps.length, 'message')}`]
      : []),
    ...(variants ? ['A/B variants'] : []),
  ]
  if (parts.length === 0) return { steps: included, leftOut: null }
  const reason =
    included.length < steps.length ? stepsLimitText(plan, limits) : 'Upgrade to Agency to test several messages.'
  return { steps: included, leftOut: `Left out: ${formatList(parts)}. ${reason}` }
}
