/**
 * How a single sign-on can end without letting somebody in, and the text for it. The redirect hands the key to the page as `?error=`.
 * Without schemas, so that pages can read it.
 */
export const SSO_PROBLEMS = {
  sso_not_set_up:
    'Single sign-on is not set up for this address. Log in with your password, or ask an admin of your workspace.',
  sso_cancelled: 'The single sign-on was cancelled. Please try again.',
  sso_no_email: 'Your identity provider did not tell us your email address. Ask an admin of your workspace to add it.',
  sso_unconfirmed_email:
    'Your identity provider has not confirmed your email address. Confirm it there, then try again.',
  sso_domain: 'Your address is not on a domain of this workspace. Ask an admin of your workspace to add it.',
  sso_not_linked:
    'Your single sign-on is not linked to an account here yet. Log in as you usually do, then link it on your account page.',
  sso_not_member: 'You are not a member of this workspace any more. Ask one of its admins to add you.',
  sso_unavailable: 'Your identity provider is not answering. Please try again in a moment.',
  sso_failed: 'The single sign-on did not work. Please try again, or ask an admin of your workspace to test it.',
} as const
export type SsoProblem = keyof typeof SSO_PROBLEMS

/** The text for a key of an address; null for a key that is not one of these. */
export function ssoProblem(key: string | null): string | null {
  return key !== null && Object.hasOwn(SSO_PROBLEMS, key) ? SSO_PROBLEMS[key as SsoProblem] : null
}

/** What the TXT record of a domain begins with that proves whose it is. */
export const DOMAIN_RECORD = 'x-automated-verification='
