/** Texts for failed single sign-on, by the key in `?error=`. Without schemas, so that small pages can import them. */
export const SSO_PROBLEMS = {
  sso_not_set_up:
    'Single sign-on is not set up for this address. Log in with your password, or ask an admin of your workspace.',
  sso_cancelled: 'Single sign-on was canceled. Please try again.',
  sso_no_email: 'Your identity provider did not send us your email address. Ask an admin of your workspace to add it.',
  sso_unconfirmed_email:
    'Your identity provider has not confirmed your email address. Confirm it there, then try again.',
  sso_domain: 'Your address is not on a domain of this workspace. Ask an admin of your workspace to add it.',
  sso_not_linked:
    "Single sign-on isn't linked to your account yet. Log in another way, then link it on your account page.",
  sso_not_member: 'You are no longer a member of this workspace. Ask one of its admins to add you.',
  sso_unavailable: 'Your identity provider is not responding. Please try again in a moment.',
  sso_failed: 'Single sign-on failed. Please try again, or ask an admin of your workspace to test it.',
} as const
export type SsoProblem = keyof typeof SSO_PROBLEMS

/** Returns the text for a key from the URL, or null if it is no key of SSO_PROBLEMS. */
export function ssoProblem(key: string | null): string | null {
  return key !== null && Object.hasOwn(SSO_PROBLEMS, key) ? SSO_PROBLEMS[key as SsoProblem] : null
}

/** Prefix of the TXT record that verifies a domain. */
export const DOMAIN_RECORD = 'x-automated-verification='
