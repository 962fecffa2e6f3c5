import type { Email } from '../../../emails/email.ts'

/** Notifies an operator that the server's X app has no credits. */
export function fundsEmptyEmail(to: string, origin: string): Email {
  return {
    to,
    subject: 'The X app of X-Automated has no credits left',
    lines: [
      'X answers that the app has no credits, or that its spending limit is reached. Nothing is sent or read for any workspace, and nobody is skipped.',
      'Add credits in the Developer Console at console.x.com, or raise its spending limit. We try again every hour, and then everything continues.',
    ],
    action: { label: 'View X credits', link: `${origin}/operator?tab=x-credits` },
    closing: "You're receiving this because you operate X-Automated.",
  }
}
