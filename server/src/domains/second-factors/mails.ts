import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'

/** @param change what happened, as a sentence */
export function factorsChangedMail(to: string, change: string, accountLink: string): Email {
  return renderEmail(to, {
    subject: 'Your second factor was changed',
    lines: [change],
    action: { label: 'See your second factors', link: accountLink },
    closing: 'If this was not you, change your password and end all other sessions.',
  })
}
