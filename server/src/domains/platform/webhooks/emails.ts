import type { DisabledReason } from '@x-automated/contract/platform/webhooks'
import type { Email } from '../../../emails/email.ts'
import { DISABLE_AFTER_HOURS } from './rules.ts'

/** Notifies an operator that an endpoint was disabled. */
export function endpointDisabledEmail(
  to: string,
  { url, reason, origin }: { url: string; reason: DisabledReason; origin: string },
): Email {
  return {
    to,
    subject: 'A webhook was disabled',
    lines: [
      reason === 'gone'
        ? `${url} responded with 410 Gone, which asks us to stop sending events.`
        : `Every attempt to reach ${url} has failed for more than ${DISABLE_AFTER_HOURS} hours.`,
      "It gets no events until you enable it again. Events in the meantime aren't sent later.",
    ],
    action: { label: 'View log', link: `${origin}/operator?tab=webhooks` },
    closing: "You're receiving this because you operate X-Automated.",
  }
}
