import type { ProviderProblem } from '@x-automated/contract/identity/identities'

/** Messages for failed Google sign-ins, by the `error` parameter of the URL. */
const googleProblems: Record<ProviderProblem, string> = {
  cancelled: 'Failed to sign in with Google. Please try again.',
  no_email: 'Could not retrieve email from Google account.',
  unconfirmed_email:
    "Google hasn't verified this account's email address. Verify it with Google, or sign up with a password.",
  busy: 'Too many requests. Please wait a moment and try again.',
  failed: 'Error processing your Google sign-in. Please try again.',
}

/** The message for an `error` parameter, or null if it isn't Google's. */
export function googleProblem(key: string | null): string | null {
  return key !== null && Object.hasOwn(googleProblems, key) ? googleProblems[key as ProviderProblem] : null
}
