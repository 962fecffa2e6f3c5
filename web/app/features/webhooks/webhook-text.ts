import type { DeliveryEvent, DisabledReason, WebhookEvent } from '@x-automated/contract/webhooks'

/** Each event and what it tells (docs/webhooks.md). Written here, as the contract's values stay out of the bundle. */
export const eventHints = {
  'member.joined': 'Someone joined the waitlist. Includes their email address.',
  'referral.credited': 'A member earned a referral.',
  'achievement.earned': 'A member earned an achievement.',
} as const satisfies Record<WebhookEvent, string>

export const eventNames = Object.keys(eventHints) as WebhookEvent[]

/** What stands in the log for an event. */
export function eventWord(event: DeliveryEvent): string {
  return event === 'webhook.test' ? 'Test' : event
}

/** Why an endpoint gets nothing any more. */
export const disabledText = {
  failing: 'Disabled: every attempt failed for more than 18 hours.',
  gone: 'Disabled: the endpoint returned 410 Gone.',
} as const satisfies Record<DisabledReason, string>
