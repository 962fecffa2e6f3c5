import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'

/** @param change a full sentence that says what happened */
export function factorsChangedEmail(to: string, change: string, accountLink: string): Email {
  return renderEmail(to, {
    subject: 'Your second factor was changed',
    lines: [change],
    action: { label: 'Review second factors', link: accountLink },
    closing: "If this wasn't you, change your password and sign out all other devices.",
  })
}
