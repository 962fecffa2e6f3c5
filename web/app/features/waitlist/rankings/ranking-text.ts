import { ORPCError } from '@orpc/client'
import { refusalText } from '../../../api'

/** The message for a failed lookup. */
export function rankingProblem(error: unknown): string {
  if (!(error instanceof ORPCError)) return 'An unexpected error occurred. Please try again.'
  if (error.status >= 500) return 'Failed to retrieve position. Please try again.'
  return refusalText(error, 'Failed to find your ranking')
}
