import type { Email } from '../../../emails/email.ts'

/** Asks a new account to confirm its address. @param link valid for 24 hours */
export function confirmAddressEmail(to: string, link: string): Email {
  return {
    to,
    subject: 'Confirm your email address',
    lines: ['Welcome to X-Automated. Confirm your email address to complete your registration.'],
    action: { label: 'Confirm email address', link },
    closing: "The link works for 24 hours. Didn't sign up? You can ignore this email.",
  }
}

/** The email to a known address that signs up again: the screen never reveals that an account exists. */
export function alreadyRegisteredEmail(to: string, loginLink: string, resetLink: string): Email {
  return {
    to,
    subject: 'You already have an account',
    lines: [
      'Someone tried to sign up to X-Automated with this address, which already has an account.',
      `Forgot your password? Reset it at ${resetLink}`,
    ],
    action: { label: 'Log in', link: loginLink },
    closing: "If this wasn't you, you can ignore this email. Nothing has changed.",
  }
}
