import { nameInSubject } from '@x-automated/contract/fields'
import type { Email } from '../../../emails/email.ts'

/** A test email to a campaign's author, with the message as one lead would see it. */
export function testEmail(
  to: string,
  { campaign, handle, message, link }: { campaign: string; handle: string; message: string; link: string },
): Email {
  return {
    to,
    subject: `Test message from “${nameInSubject(campaign, 'your campaign')}”`,
    lines: [`This is the message that @${handle} would receive:`, ...message.split(/\n{2,}/)],
    action: { label: 'Open campaign', link },
    closing: 'You requested this test on the campaign page. Nothing was sent on X.',
  }
}
