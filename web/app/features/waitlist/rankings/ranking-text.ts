import { ORPCError } from '@orpc/client'
import { refusalText } from '../../../api'

/** The message for a failed lookup. */
export function rankingProblem(error: unknown): string {
  if (!(error instanceof ORPCError)) return 'An unexpected error occurred. Please try again.'
  if (error.status >= 500) return 'Failed to retrieve position. Please try again.'
  return refusalText(error, 'Failed to find your ranking')
}

/** The contract's REFERRAL_TIERS, without its schemas. */
export const TIERS = [
  { key: 'bronze', threshold: 3, months: 1 },
  { key: 'silver', threshold: 10, months: 3 },
  { key: 'gold', threshold: 25, months: 6 },
  { key: 'platinum', threshold: 50, months: 12 },
] as const

/** The lowest tier above this number of referrals. Undefined after the last tier. */
export function nextTier(referrals: number) {
  return TIERS.find(({ threshold }) => referrals < threshold)
}
