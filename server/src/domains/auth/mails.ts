import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'

/** Asks a new account to confirm its address. @param link valid for 24 hours */
export function confirmAddressMail(to: string, link: string): Email {
  return renderEmail(to, {
    subject: 'Confirm your email address',
    lines: ['Welcome to X-Automated. Confirm your email address to complete your registration.'],
    action: { label: 'Confirm email address', link },
    closing: 'The link works for 24 hours. If you did not sign up, ignore this mail and nothing happens.',
  })
}

/** Tells the owner of an address that somebody tried to sign up with it: the sign-up screen itself never says so. */
export function alreadyRegisteredMail(to: string, loginLink: string, resetLink: string): Email {
  return renderEmail(to, {
    subject: 'You already have an account',
    lines: [
      'Somebody, probably you, tried to sign up to X-Automated with this address. It already has an account.',
      `Forgot the password? Reset it at ${resetLink}`,
    ],
    action: { label: 'Log in', link: loginLink },
    closing: 'If that was not you, ignore this mail: nothing has changed.',
  })
}
