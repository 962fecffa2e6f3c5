import { ORPCError } from '@orpc/client'
import { errorText } from '../../../api'

/** The message if saving the referrer fails. */
export function referrerProblem(error: unknown): string {
  if (!(error instanceof ORPCError)) return 'Failed to update referral'
  if (error.status === 401) return 'User not authenticated.'
  if (error.status >= 500) return 'Failed to update referral relationship'
  return errorText(error, 'Failed to update referral')
}
