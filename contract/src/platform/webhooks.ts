import { z } from 'zod'
import { Id, Page, paging, Success, Time, text } from '../fields.ts'
import { formatNumber } from '../format.ts'
import { routes } from '../route.ts'

const route = routes('Webhooks')

/** Events that endpoints can subscribe to. docs/webhooks.md describes their payloads. */
export const WEBHOOK_EVENTS = ['member.joined', 'referral.credited', 'achievement.earned'] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** Events in the log. These include test events of operators. */
export const DELIVERY_EVENTS = [...WEBHOOK_EVENTS, 'webhook.test'] as const
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number]

/** `pending`: the next attempt is at `nextAttemptAt`. `failed`: all attempts failed. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** `failing`: every attempt failed for about a day. `gone`: the endpoint returned 410 Gone. */
export const DISABLED_REASONS = ['failing', 'gone'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** Number of attempts per delivery, spread over about a day. */
export const DELIVERY_ATTEMPTS = 8
export const ENDPOINTS_MAX = 20
/** Deliveries are counted up to this number. */
export const COUNTED_DELIVERIES_MAX = 10_000

export const WebhookEndpoint = z.object({
  id: z.string(),
  url: z.string(),
  description: z.string(),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  enabled: z.boolean(),
  /** Null if the endpoint is enabled, or an operator disabled it. */
  disabledReason: z.enum(DISABLED_REASONS).nullable(),
  /** Every attempt since this time has failed; null if the last one succeeded. */
  failingSince: Time.nullable(),
  createdAt: Time,
})
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>

export const WebhookDelivery = z.object({
  id: z.string(),
  /** The `webhook-id` of every attempt. */
  eventId: z.string(),
  event: z.enum(DELIVERY_EVENTS),
  payload: z.record(z.string(), z.unknown()),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.number().int(),
  nextAttemptAt: Time.nullable(),
  lastAttemptAt: Time.nullable(),
  /** Status of the last response; null if there was none. */
  lastStatus: z.number().int().nullable(),
  /** Why the last attempt failed; null if it succeeded. */
  lastError: z.string().nullable(),
  /** The start of the last response body, at most 1 KB. */
  responseExcerpt: z.string().nullable(),
  createdAt: Time,
})
export type WebhookDelivery = z.output<typeof WebhookDelivery>

/** `whsec_` and 24 random bytes in base64 (standardwebhooks.com). Shown only once, when created. */
const Secret = z.string()

const Url = z
  .string()
  .trim()
  .max(2_000)
  .pipe(z.url({ protocol: /^https?$/, error: 'must be a web address, like https://example.com/hooks' }))
  .refine((url) => !/^[a-z]+:\/\/[^/?#]*@/i.test(url), 'must not contain a user name or password')
  .refine((url) => !url.includes('#'), 'must not have a fragment')
const Events = z
  .array(z.enum(WEBHOOK_EVENTS))
  .min(1, 'Choose at least one event.')
  .max(WEBHOOK_EVENTS.length)
  .refine((events) => new Set(events).size === events.length, 'must not name an event twice')
const description = text(200)

const EndpointInput = z.strictObject({ id: Id })

/** Operations for the people in OPERATORS. Everyone else gets a 404, as if these paths did not exist. */
export const webhooks = {
  list: route('GET /operator/webhooks', 'operator', 'none', { summary: 'List endpoints' }).output(
    z.object({ endpoints: z.array(WebhookEndpoint) }),
  ),

  create: route('POST /operator/webhooks', 'operator', 'rows', {
    summary: 'Add an endpoint',
    description: `Returns its signing secret, which is shown only once. At most ${ENDPOINTS_MAX} endpoints. The URL must be public and use https.`,
    errors: ['WEBHOOK_LIMIT'],
  })
    .input(z.strictObject({ url: Url, description: description.default(''), events: Events }))
    .output(WebhookEndpoint.extend({ secret: Secret })),

  update: route('PATCH /operator/webhooks/{id}', 'operator', 'rows', {
    summary: 'Change, disable or enable an endpoint',
    description: 'While it is disabled, it gets no new events. Pending deliveries are sent once it is enabled again.',
    errors: ['WEBHOOK_NOT_FOUND'],
  })
    .input(
      z.strictObject({
        id: Id,
        url: Url.optional(),
        description: description.optional(),
        events: Events.optional(),
        enabled: z.boolean().optional(),
      }),
    )
    .output(WebhookEndpoint),

  remove: route('DELETE /operator/webhooks/{id}', 'operator', 'rows', {
    summary: 'Delete an endpoint and its log',
    errors: ['WEBHOOK_NOT_FOUND'],
  }).input(EndpointInput),

  test: route('POST /operator/webhooks/{id}/test', 'operator', 'outside', {
    summary: 'Send a test event now',
    description: 'Makes one attempt, even if the endpoint is disabled, and returns its result.',
    errors: ['WEBHOOK_NOT_FOUND'],
  })
    .input(EndpointInput)
    .output(WebhookDelivery),

  rotateSecret: route('POST /operator/webhooks/{id}/secret', 'operator', 'rows', {
    summary: 'Create a new signing secret',
    description: 'Returns the new secret, which is shown only once. The old one also signs for 24 hours.',
    errors: ['WEBHOOK_NOT_FOUND'],
  })
    .input(EndpointInput)
    .output(Success.extend({ secret: Secret, previousSecretUntil: Time })),

  deliveries: route('GET /operator/webhooks/{id}/deliveries', 'operator', 'none', {
    summary: 'List the deliveries of an endpoint, newest first',
    description: `Kept for 30 days. \`total\` counts up to ${formatNumber(COUNTED_DELIVERIES_MAX)}. Use \`cursor\` for deep pages.`,
    errors: ['WEBHOOK_NOT_FOUND'],
  })
    .input(
      z.object({
        id: Id,
        status: z.enum(DELIVERY_STATUSES).optional(),
        ...paging(25),
        /** The last id on the previous page. */
        cursor: Id.optional(),
      }),
    )
    .output(z.object({ deliveries: z.array(WebhookDelivery), ...Page.shape, cursor: z.string().nullable() })),

  redeliver: route('POST /operator/deliveries/{id}/redeliver', 'operator', 'rows', {
    summary: 'Send an event to its endpoint again',
    description: 'Creates a new delivery with the same event id, so that the receiver can detect duplicates.',
    errors: ['DELIVERY_NOT_FOUND', 'DELIVERY_STATE'],
  })
    .input(EndpointInput)
    .output(WebhookDelivery),
}
