import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { callX, X_TIMEOUT_MS, XError } from './x.ts'

/**
 * X's webhooks and Activity API (https://docs.x.com/x-api/webhooks and /activity). Webhooks use the
 * app's token; subscriptions to an account's messages use the account's.
 */
export interface XActivity {
  /** The answer to X's challenge-response check, which proves that the webhook is ours. */
  answerCheck(token: string): string
  /** Whether X has signed this body, byte for byte. */
  isSigned(body: Buffer, signature: string | undefined): boolean
  /**
   * Registers the URL as a webhook if needed and returns its id. @throws XError invalid: X rejected
   * the URL or its check failed
   */
  ensureWebhook(url: string): Promise<string>
  listSubscriptions(): Promise<XSubscription[]>
  /** @returns its id @throws XError */
  subscribe(accessToken: string, wanted: Omit<XSubscription, 'id'>): Promise<string>
  /** Does nothing if the subscription does not exist. */
  unsubscribe(id: string): Promise<void>
}

export interface XSubscription {
  id: string
  eventType: string
  userId: string
  webhookId: string | null
}

/** All events about an account's conversations. */
export const DM_EVENT_TYPES = ['dm.received', 'dm.sent', 'dm.read'] as const

/**
 * An event in a one-to-one conversation. Ids are X user ids; `handles` are those that X included.
 */
export type XHappening = { handles: Record<string, string> } & (
  | { kind: 'message'; eventId: string; senderId: string; recipientId: string; text: string; at: Date }
  | { kind: 'read'; readerId: string; authorId: string; at: Date }
)

export interface XActivityOptions {
  apiUrl: string
  consumerSecret: string
  bearerToken: string
  timeoutMs?: number
}

export function createXActivity({
  apiUrl,
  consumerSecret,
  bearerToken,
  timeoutMs = X_TIMEOUT_MS,
}: XActivityOptions): XActivity {
  const sign = (message: string | Buffer) =>
    `sha256=${createHmac('sha256', consumerSecret).update(message).digest('base64')}`
  const call = (path: string, method = 'GET', body?: object, accessToken = bearerToken) =>
    callX(apiUrl, timeoutMs, path, {
      method,
      accessToken,
      ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
    })

  return {
    answerCheck: sign,
    isSigned(body, signature) {
      const [wanted, given] = [Buffer.from(sign(body)), Buffer.from(signature ?? '')]
      return wanted.length === given.length && timingSafeEqual(wanted, given)
    },
    async ensureWebhook(url) {
      const known = z.array(Webhook).parse((await call('/2/webhooks')).data ?? [])
      const registered = known.find((webhook) => webhook.url === url)
      if (!registered) return Webhook.parse((await call('/2/webhooks', 'POST', { url })).data).id
      // X stops deliveries after a failed check; this repeats the check.
      if (!registered.valid) await call(`/2/webhooks/${encodeURIComponent(registered.id)}`, 'PUT')
      return registered.id
    },
    async listSubscriptions() {
      const { data } = await call('/2/activity/subscriptions')
      return z.array(Subscription).parse(data ?? [])
    },
    async subscribe(accessToken, { eventType, userId, webhookId }) {
      const body = { event_type: eventType, filter: { user_id: userId }, webhook_id: webhookId, tag: eventType }
      const { data } = await call('/2/activity/subscriptions', 'POST', body, accessToken)
      // X's documentation shows both an object and a list.
      return Subscription.parse(Array.isArray(data) ? data[0] : data).id
    },
    async unsubscribe(id) {
      await call(`/2/activity/subscriptions/${encodeURIComponent(id)}`, 'DELETE').catch((error) => {
        if (!(error instanceof XError) || error.kind !== 'not-found') throw error
      })
    },
  }
}

const Webhook = z.object({ id: z.string(), url: z.string(), valid: z.boolean() })

const Subscription = z
  .object({
    subscription_id: z.string(),
    event_type: z.string(),
    filter: z.object({ user_id: z.string().optional() }),
    webhook_id: z.string().optional(),
  })
  .transform((one) => ({
    id: one.subscription_id,
    eventType: one.event_type,
    userId: one.filter.user_id ?? '',
    webhookId: one.webhook_id ?? null,
  }))

/** X's ids are numbers of up to 64 bits. */
const XId = z.string().regex(/^\d{1,20}$/)
const Milliseconds = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform((text) => new Date(Number(text)))

const MessageEvent = z.object({
  type: z.literal('message_create'),
  id: XId,
  created_timestamp: Milliseconds,
  message_create: z.object({
    target: z.object({ recipient_id: XId }),
    sender_id: XId,
    message_data: z.object({ text: z.string().default('') }),
  }),
})
const ReadEvent = z.object({
  created_timestamp: Milliseconds,
  sender_id: XId,
  target: z.object({ recipient_id: XId }),
})
const User = z.object({ data: z.object({ username: z.string().optional() }) })

const Payload = z.object({
  direct_message_events: z.array(z.unknown()).optional(),
  direct_message_mark_read_events: z.array(z.unknown()).optional(),
  users: z.record(z.string(), z.unknown()).optional(),
})
const Delivery = z.object({ data: z.object({ event_type: z.string(), payload: z.unknown() }) })

/** Parses a delivery. Unknown or malformed events are ignored. */
export function readDelivery(body: unknown): XHappening[] {
  const delivery = Delivery.safeParse(body)
  const payload = Payload.safeParse(delivery.data?.data.payload)
  if (!delivery.success || !payload.success) return []
  const { direct_message_events = [], direct_message_mark_read_events = [], users = {} } = payload.data
  const handles: Record<string, string> = {}
  for (const [id, user] of Object.entries(users)) {
    const username = User.safeParse(user).data?.data.username
    if (username) handles[id] = username
  }
  return [
    ...direct_message_events.flatMap((event): XHappening[] => {
      const { data: message } = MessageEvent.safeParse(event)
      if (!message) return []
      const { sender_id, target, message_data } = message.message_create
      return [
        {
          kind: 'message',
          handles,
          eventId: message.id,
          senderId: sender_id,
          recipientId: target.recipient_id,
          text: message_data.text,
          at: message.created_timestamp,
        },
      ]
    }),
    ...direct_message_mark_read_events.flatMap((event): XHappening[] => {
      const { data: read } = ReadEvent.safeParse(event)
      if (!read) return []
      return [
        {
          kind: 'read',
          handles,
          readerId: read.sender_id,
          authorId: read.target.recipient_id,
          at: read.created_timestamp,
        },
      ]
    }),
  ]
}
