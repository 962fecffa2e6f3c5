/** Limits of sequences. The server enforces them and screens show them, so this file imports no schemas. */
import { formatCount } from '../format.ts'
import { PLAN_LEVELS, type PlanLevel } from '../platform/plans.ts'

/** Maximum number of steps of a sequence, not counting re-engagement. */
export const STEPS_MAX = 10
/** Maximum number of active variants of a step. */
export const VARIANTS_MAX = 5
/** The total of a campaign's people is counted up to this number. */
export const ENROLLMENTS_COUNTED_MAX = 10_000

const DELAY_DAYS_MAX = 90
/** The longest delay in each unit. */
export const DELAY_MAX = { minutes: DELAY_DAYS_MAX * 1_440, hours: DELAY_DAYS_MAX * 24, days: DELAY_DAYS_MAX }

/** Limits of a workspace's sequences. Re-engagement does not count as a step. */
export interface SequenceLimits {
  steps: number
  hasVariants: boolean
  hasReengagement: boolean
}

const PLAN_LIMITS: Record<PlanLevel, SequenceLimits> = {
  free: { steps: 1, hasVariants: false, hasReengagement: false },
  pro: { steps: 3, hasVariants: false, hasReengagement: false },
  agency: { steps: STEPS_MAX, hasVariants: true, hasReengagement: true },
}

/** Returns what a plan allows. The owner's Global Networker reward gives Free the steps of Pro. */
export function sequenceLimits(plan: PlanLevel, achievements: readonly string[]): SequenceLimits {
  const limits = PLAN_LIMITS[plan]
  return achievements.includes('global') ? { ...limits, steps: Math.max(limits.steps, PLAN_LIMITS.pro.steps) } : limits
}

/** Errors for variants and re-engagement on plans other than Agency. */
export const ONLY_AGENCY = {
  variants: 'A/B variants are part of the Agency plan. Upgrade to Agency to test several messages.',
  reengagement: 'Re-engagement is part of the Agency plan. Upgrade to Agency to add it.',
}

/** Returns the lowest plan with more than this many steps; null if there is none. */
const liftOf = (steps: number): PlanLevel | null =>
  (['pro', 'agency'] as const).find((plan) => PLAN_LIMITS[plan].steps > steps) ?? null

/** Returns the error for too many steps. */
export function stepsLimitText(plan: PlanLevel, { steps }: Pick<SequenceLimits, 'steps'>): string {
  const higher = liftOf(steps)
  if (!higher) return `A campaign has at most ${steps} steps.`
  const reward = steps > PLAN_LIMITS[plan].steps ? ', with the Global Networker reward,' : ''
  return `Your ${PLAN_LEVELS[plan].name} plan${reward} includes ${formatCount(steps, 'step')} per campaign. Upgrade to ${PLAN_LEVELS[higher].name} for ${PLAN_LIMITS[higher].steps}.`
}

/** Describes which part of a sequence can still be launched after a plan has ended; null if all of it can. */
export function launchLimitText(plan: PlanLevel, limits: SequenceLimits, sequence: SequenceLimits): string | null {
  const parts = [
    sequence.steps > limits.steps &&
      `with ${limits.steps === 1 ? 'the first message' : `the first ${limits.steps} messages`} only`,
    sequence.hasVariants && !limits.hasVariants && 'with one variant of each message',
    sequence.hasReengagement && !limits.hasReengagement && 'without re-engagement',
  ].filter((part) => part !== false)
  if (parts.length === 0) return null
  const isPro = !sequence.hasVariants && !sequence.hasReengagement && sequence.steps <= PLAN_LIMITS.pro.steps
  return `On your ${PLAN_LEVELS[plan].name} plan, this campaign launches ${parts.join(', ')}. Upgrade to ${isPro ? 'Pro' : 'Agency'} to launch all of it.`
}
