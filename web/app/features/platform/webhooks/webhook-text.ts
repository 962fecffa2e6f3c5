import type { DeliveryEvent, DisabledReason, WebhookEvent } from '@x-automated/contract/platform/webhooks'

/** Events (docs/webhooks.md). Repeated here, so that the bundle does not contain the contract's schemas. */
export const eventHints = {
  'member.joined': 'Someone joined the waitlist. Includes their email address.',
  'referral.credited': 'A member earned a referral.',
  'achievement.earned': 'A member earned an achievement.',
} as const satisfies Record<WebhookEvent, string>

export const eventNames = Object.keys(eventHints) as WebhookEvent[]

/** An event's name in the log. */
export function eventLabel(event: DeliveryEvent): string {
  return event === 'webhook.test' ? 'Test' : event
}

/** Why an endpoint was disabled. */
export const disabledText = {
  failing: 'Disabled: every attempt failed for more than 18 hours.',
  gone: 'Disabled: the endpoint returned 410 Gone.',
} as const satisfies Record<DisabledReason, string>
