import { mailOf } from '../../jobs/mail.ts'
import type { Mail } from '../../outside/mail.ts'

export function accountDeletedMail(to: string, origin: string): Mail {
  return mailOf(to, {
    subject: 'Your account was deleted',
    lines: ['Your X-Automated account and everything in it were deleted, as you asked.'],
    action: { label: 'X-Automated', link: origin },
    closing: 'This was the last mail to this address.',
  })
}
