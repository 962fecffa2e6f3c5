import type { DisabledReason } from '@x-automated/contract/webhooks'
import { renderEmail } from '../../jobs/mail.ts'
import type { Email } from '../../outside/mail.ts'
import { DISABLE_AFTER_HOURS } from './rules.ts'

/** Tells an operator that an endpoint gets no more events. */
export function disabledMail(
  to: string,
  { url, reason, origin }: { url: string; reason: DisabledReason; origin: string },
): Email {
  const { host } = new URL(url)
  return renderEmail(to, {
    subject: `The webhook to ${host} was disabled`,
    lines: [
      reason === 'gone'
        ? `${url} answered 410 Gone, by which it asks for no more events.`
        : `Every attempt to reach ${url} has failed for more than ${DISABLE_AFTER_HOURS} hours.`,
      'It gets no more events until you enable it. What happens meanwhile is not sent later.',
    ],
    action: { label: 'See its log', link: `${origin}/operator?tab=webhooks` },
    closing: 'You get this mail because you operate X-Automated.',
  })
}
