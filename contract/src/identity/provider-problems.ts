/** Texts for failed sign-ins with a provider, by the key in `?error=` or `details.problem`. */
export const PROVIDER_PROBLEMS = {
  cancelled: 'Failed to sign in with Google. Please try again.',
  no_email: 'Could not retrieve email from Google account.',
  unconfirmed_email:
    "Google hasn't verified this account's email address. Verify it with Google, or sign up with a password.",
  busy: 'Too many requests. Please wait a moment and try again.',
  failed: 'Error processing your Google sign-in. Please try again.',
} as const
export type ProviderProblem = keyof typeof PROVIDER_PROBLEMS

/** Returns the text for a callback's `error`, or null if it is no key of PROVIDER_PROBLEMS. */
export function providerProblem(key: string | null): string | null {
  return key !== null && Object.hasOwn(PROVIDER_PROBLEMS, key) ? PROVIDER_PROBLEMS[key as ProviderProblem] : null
}
