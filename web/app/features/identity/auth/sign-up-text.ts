import { ORPCError } from '@orpc/client'
import { errorText } from '../../../api'

/** The message for a failed sign-up. */
export function signUpProblem(error: unknown): string {
  if (error instanceof ORPCError && error.status >= 500) return 'Failed to sign up. Please try again.'
  return errorText(error, 'An error occurred')
}
