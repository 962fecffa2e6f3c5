/** Limits of sequences, without schemas: the server enforces them, and screens say them first. */
import type { PlanLevel } from '../platform/plans.ts'

/** Steps of a sequence, without re-engagement. */
export const STEPS_MAX = 10
/** Active variants of a step. */
export const VARIANTS_MAX = 5
/** Totals of people stop counting here. */
export const ENROLLMENTS_COUNTED_MAX = 10_000

const DELAY_DAYS_MAX = 90
/** The longest delay in each unit. */
export const DELAY_MAX = { minutes: DELAY_DAYS_MAX * 1_440, hours: DELAY_DAYS_MAX * 24, days: DELAY_DAYS_MAX }

/** What each plan allows in a sequence. Re-engagement does not count as a step. */
export const SEQUENCE_LIMITS = {
  free: { steps: 1, hasVariants: false, hasReengagement: false },
  pro: { steps: 3, hasVariants: false, hasReengagement: false },
  agency: { steps: STEPS_MAX, hasVariants: true, hasReengagement: true },
} as const satisfies Record<PlanLevel, { steps: number; hasVariants: boolean; hasReengagement: boolean }>

/** Why a plan refuses variants and re-engagement. */
export const ONLY_AGENCY = {
  variants: 'A/B variants are part of the Agency plan. Upgrade to Agency to test several messages.',
  reengagement: 'Re-engagement is part of the Agency plan. Upgrade to Agency to add it.',
}

/** Why a plan refuses another step. */
export function stepsLimitText(plan: PlanLevel): string {
  const { steps } = SEQUENCE_LIMITS[plan]
  if (plan === 'free')
    return `Your Free plan includes 1 step per campaign. Upgrade to Pro for ${SEQUENCE_LIMITS.pro.steps}.`
  if (plan === 'pro')
    return `Your Pro plan includes ${steps} steps per campaign. Upgrade to Agency for ${SEQUENCE_LIMITS.agency.steps}.`
  return `A campaign has at most ${steps} steps.`
}

/** What a plan that has ended leaves of a sequence at its launch; null: all of it. */
export function launchLimitText(
  plan: PlanLevel,
  sequence: { steps: number; hasVariants: boolean; hasReengagement: boolean },
): string | null {
  const limits = SEQUENCE_LIMITS[plan]
  const parts = [
    sequence.steps > limits.steps &&
      `with ${limits.steps === 1 ? 'the first message' : `the first ${limits.steps} messages`} only`,
    sequence.hasVariants && !limits.hasVariants && 'with one variant of each message',
    sequence.hasReengagement && !limits.hasReengagement && 'without re-engagement',
  ].filter((part) => part !== false)
  if (parts.length === 0) return null
  const isPro = !sequence.hasVariants && !sequence.hasReengagement && sequence.steps <= SEQUENCE_LIMITS.pro.steps
  return `On your ${plan === 'free' ? 'Free' : 'Pro'} plan, this campaign launches ${parts.join(', ')}. Upgrade to ${isPro ? 'Pro' : 'Agency'} to launch all of it.`
}
