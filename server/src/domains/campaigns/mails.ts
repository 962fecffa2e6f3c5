import { safeName } from '@x-automated/contract/fields'
import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'

/** A campaign's message as one lead would read it, for whoever writes it. */
export function testMail(
  to: string,
  { campaign, handle, message, link }: { campaign: string; handle: string; message: string; link: string },
): Email {
  return renderEmail(to, {
    subject: `Test of “${safeName(campaign)}”`,
    lines: [`So @${handle} would read it:`, ...message.split(/\n{2,}/)],
    action: { label: 'Open campaign', link },
    closing: 'You asked for this test on the campaign’s page. Nothing was sent on X.',
  })
}
