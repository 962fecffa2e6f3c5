import type { PlanLevel } from '@x-automated/contract/platform/plans'
import { SUPPORT } from '@x-automated/contract/platform/support'

/** What an achievement adds for a workspace on this plan; null if that is only months of Pro and early features. */
export function rewardText(achievement: string, plan: PlanLevel): string | null {
  switch (achievement) {
    case 'silver':
      return 'A strategy call with us.'
    case 'gold':
      return 'Private templates without a limit, in folders.'
    case 'platinum':
      return `Dedicated support for the owner: first answer within ${SUPPORT.priority.firstAnswer}.`
    case 'viral':
      return plan === 'free'
        ? "Pro's monthly allowance for our AI model."
        : "Twice your plan's monthly allowance for our AI model."
    case 'global':
      return plan === 'free'
        ? 'Custom filtering rules, and campaigns with up to 3 messages per person.'
        : 'Custom filtering rules, and campaigns with up to 3 messages per person, also on Free.'
    default:
      return null
  }
}
