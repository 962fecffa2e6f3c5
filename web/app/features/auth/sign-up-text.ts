import { ORPCError } from '@orpc/client'
import { errorText } from '../../api'

/** What the page says when a sign-up came to nothing (specification §8). */
export function signUpProblem(error: unknown): string {
  if (error instanceof ORPCError && error.status >= 500) return 'Failed to sign up. Please try again.'
  return errorText(error, 'An error occurred')
}
