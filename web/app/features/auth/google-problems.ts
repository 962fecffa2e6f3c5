import type { ProviderProblem } from '@x-automated/contract/identities'

/** What the page says of a sign-in with Google that came to nothing, by the key in the address (specification §8). */
const googleProblems: Record<ProviderProblem, string> = {
  cancelled: 'Failed to sign in with Google. Please try again.',
  no_email: 'Could not retrieve email from Google account.',
  unconfirmed_email:
    "Google hasn't verified this account's email address. Verify it with Google, or sign up with a password.",
  busy: 'Too many requests. Please wait a moment and try again.',
  failed: 'Error processing your Google sign-in. Please try again.',
}

/** The words for a key of the address; null for a key that is not Google's. */
export function googleProblem(key: string | null): string | null {
  return key !== null && Object.hasOwn(googleProblems, key) ? googleProblems[key as ProviderProblem] : null
}
