import type { Email } from '../../../emails/email.ts'

/** @param change a full sentence that says what happened */
export function factorsChangedEmail(to: string, change: string, accountLink: string): Email {
  return {
    to,
    subject: 'Your second factor was changed',
    lines: [change],
    action: { label: 'Review second factors', link: accountLink },
    closing: "If this wasn't you, change your password and sign out all other devices.",
  }
}
