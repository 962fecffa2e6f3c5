import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { callX, X_TIMEOUT_MS, XError } from './x.ts'

/** All events about an account's conversations. */
export const DM_EVENT_TYPES = ['dm.received', 'dm.sent', 'dm.read'] as const
/** Events about encrypted conversations (https://docs.x.com/xchat/real-time-events). */
export const CHAT_EVENT_TYPES = ['chat.received', 'chat.sent'] as const

export type XActivity = ReturnType<typeof createXActivity>

/**
 * X's webhooks and Activity API (https://docs.x.com/x-api/webhooks and /activity). Webhooks use the
 * app's token; subscriptions to an account's messages use the account's.
 */
export function createXActivity({
  apiUrl,
  consumerSecret,
  bearerToken,
}: {
  apiUrl: string
  consumerSecret: string
  bearerToken: string
}) {
  const sign = (message: string | Buffer) =>
    `sha256=${createHmac('sha256', consumerSecret).update(message).digest('base64')}`
  const call = (path: string, method = 'GET', body?: object, accessToken = bearerToken) =>
    callX(apiUrl, X_TIMEOUT_MS, path, {
      method,
      accessToken,
      ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
    })

  return {
    /** The answer to X's challenge-response check, which proves that the webhook is ours. */
    answerCheck: (token: string) => sign(token),
    /** Whether X has signed this body, byte for byte. */
    isSigned(body: Buffer, signature: string | undefined): boolean {
      const [wanted, given] = [Buffer.from(sign(body)), Buffer.from(signature ?? '')]
      return wanted.length === given.length && timingSafeEqual(wanted, given)
    },
    /**
     * Registers the URL as a webhook if needed and returns its id. @throws XError invalid: X
     * rejected the URL or its check failed
     */
    async ensureWebhook(url: string): Promise<string> {
      const known = z.array(Webhook).parse((await call('/2/webhooks')).data ?? [])
      const registered = known.find((webhook) => webhook.url === url)
      if (!registered) return Webhook.parse((await call('/2/webhooks', 'POST', { url })).data).id
      // X stops deliveries after a failed check; this repeats the check.
      if (!registered.valid) await call(`/2/webhooks/${encodeURIComponent(registered.id)}`, 'PUT')
      return registered.id
    },
    async listSubscriptions(): Promise<XSubscription[]> {
      const { data } = await call('/2/activity/subscriptions')
      return z.array(Subscription).parse(data ?? [])
    },
    /** @returns its id @throws XError */
    async subscribe(accessToken: string, { eventType, userId, webhookId }: Omit<XSubscription, 'id'>): Promise<string> {
      const body = { event_type: eventType, filter: { user_id: userId }, webhook_id: webhookId, tag: eventType }
      const { data } = await call('/2/activity/subscriptions', 'POST', body, accessToken)
      // X's documentation shows both an object and a list.
      return Subscription.parse(Array.isArray(data) ? data[0] : data).id
    },
    /** Does nothing if the subscription does not exist. */
    async unsubscribe(id: string): Promise<void> {
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
type XSubscription = z.output<typeof Subscription>

/** X's ids are numbers of up to 64 bits. */
const XId = z.string().regex(/^\d{1,20}$/)
const Milliseconds = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform((text) => new Date(Number(text)))

const MessageEvent = z
  .object({
    type: z.literal('message_create'),
    id: XId,
    created_timestamp: Milliseconds,
    message_create: z.object({
      target: z.object({ recipient_id: XId }),
      sender_id: XId,
      message_data: z.object({ text: z.string().default('') }),
    }),
  })
  .transform(({ id, created_timestamp, message_create: { target, sender_id, message_data } }) => ({
    kind: 'message' as const,
    eventId: id,
    senderId: sender_id,
    recipientId: target.recipient_id,
    text: message_data.text,
    at: created_timestamp,
    isEncrypted: false,
  }))
/** Of a group, the conversation's id begins with a letter. */
const ChatEvent = z
  .object({
    id: z.string().min(1).max(100),
    conversation_id: z.string().regex(/^\d{1,20}-\d{1,20}$/),
    sender_id: XId,
    created_at_msec: Milliseconds,
  })
  .transform(({ id, conversation_id, sender_id, created_at_msec }) => {
    const [one = '', other = ''] = conversation_id.split('-')
    return {
      kind: 'message' as const,
      eventId: `chat ${id}`,
      senderId: sender_id,
      recipientId: one === sender_id ? other : one,
      text: '',
      at: created_at_msec,
      isEncrypted: true,
    }
  })
const ReadEvent = z
  .object({ created_timestamp: Milliseconds, sender_id: XId, target: z.object({ recipient_id: XId }) })
  .transform(({ created_timestamp, sender_id, target }) => ({
    kind: 'read' as const,
    readerId: sender_id,
    authorId: target.recipient_id,
    at: created_timestamp,
  }))
const User = z.object({ data: z.object({ username: z.string().min(1) }) })

const Delivery = z.object({
  data: z.object({
    event_type: z.string().optional(),
    payload: z.looseObject({
      direct_message_events: z.array(z.unknown()).default([]),
      direct_message_mark_read_events: z.array(z.unknown()).default([]),
      users: z.record(z.string(), z.unknown()).default({}),
    }),
  }),
})

/**
 * An event in a one-to-one conversation. Ids are X user ids; `handles` are those that X included.
 */
export type XHappening = { handles: Record<string, string> } & (
  | z.output<typeof MessageEvent>
  | z.output<typeof ReadEvent>
)

/** Parses a delivery. Unknown or malformed events are ignored. */
export function readDelivery(body: unknown): XHappening[] {
  const delivery = Delivery.safeParse(body)
  if (!delivery.success) return []
  const { event_type: eventType, payload } = delivery.data.data
  const { direct_message_events: messages, direct_message_mark_read_events: reads, users } = payload
  const isChat = CHAT_EVENT_TYPES.some((type) => type === eventType)
  const handles = Object.fromEntries(
    Object.entries(users).flatMap(([id, user]) => {
      const { data } = User.safeParse(user)
      return data ? [[id, data.data.username]] : []
    }),
  )
  const events = [
    ...parsed(messages, MessageEvent),
    ...parsed(reads, ReadEvent),
    ...(isChat ? parsed([payload], ChatEvent) : []),
  ]
  return events.map((event) => ({ ...event, handles }))
}

function parsed<Event>(events: unknown[], schema: z.ZodType<Event>): Event[] {
  return events.flatMap((event) => schema.safeParse(event).data ?? [])
}
