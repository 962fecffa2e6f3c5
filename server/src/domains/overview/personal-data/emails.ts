import type { Email } from '../../../emails/email.ts'

export function accountDeletedEmail(to: string, origin: string): Email {
  return {
    to,
    subject: 'Your account was deleted',
    lines: ['Your X-Automated account and everything in it were deleted, as you asked.'],
    action: { label: 'X-Automated', link: origin },
    closing: "We won't email this address again.",
  }
}
