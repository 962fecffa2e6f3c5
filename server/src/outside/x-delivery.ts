import { z } from 'zod'
import { identityOf } from './x-chat-event.ts'
import { pairOf, XId } from './x-schemas.ts'

/** All events about an account's conversations. */
export const DM_EVENT_TYPES = ['dm.received', 'dm.sent', 'dm.read'] as const
/** Events about encrypted conversations (https://docs.x.com/xchat/real-time-events). */
export const CHAT_EVENT_TYPES = ['chat.received', 'chat.sent'] as const

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
    conversation_id: z.string().refine((id) => pairOf(id) !== null),
    sender_id: XId,
    created_at_msec: Milliseconds,
    encoded_event: z.string().default(''),
  })
  .transform(({ id, conversation_id, sender_id, created_at_msec, encoded_event }) => ({
    kind: 'message' as const,
    eventId: identityOf(conversation_id, { messageId: id, sequenceId: null }, encoded_event),
    messageId: id,
    senderId: sender_id,
    recipientId: pairOf(conversation_id)?.find((party) => party !== sender_id) ?? sender_id,
    text: '',
    at: created_at_msec,
    isEncrypted: true,
  }))
const ReadEvent = z
  .object({ created_timestamp: Milliseconds, sender_id: XId, target: z.object({ recipient_id: XId }) })
  .transform(({ created_timestamp, sender_id, target }) => ({
    kind: 'read' as const,
    readerId: sender_id,
    authorId: target.recipient_id,
    at: created_timestamp,
  }))
const User = z.object({ data: z.object({ username: z.string().min(1) }) })

/** What happened to an account. Ids are X user ids; `handles` are those that X included. */
export type XHappening = { handles: Record<string, string> } & (
  | {
      kind: 'message'
      /** The same however the message arrives. */
      eventId: string
      /** The message's own id in X Chat, if it is known. */
      messageId?: string | null
      senderId: string
      recipientId: string
      text: string
      /** Null if X does not say. */
      at: Date | null
      isEncrypted: boolean
    }
  | { kind: 'read'; readerId: string; authorId: string; at: Date }
  | { kind: 'handle'; userId: string; handle: string }
  | { kind: 'revoked'; userId: string }
)

export interface XDelivery {
  eventType: string | null
  /** Whose subscription it is. */
  accountXUserId: string | null
  happenings: XHappening[]
  /** An event of a known type that cannot be read; null if there is none. */
  unreadable: {
    eventType: string | null
    /** The names of its fields, without their values. */
    keys: string[]
    /** Whom it names. */
    accountXUserId: string | null
    personXUserId: string | null
  } | null
}

const Delivery = z.object({
  data: z.object({
    event_type: z.string().optional(),
    filter: z.object({ user_id: z.string().optional() }).optional(),
    payload: z.looseObject({
      direct_message_events: z.array(z.unknown()).default([]),
      direct_message_mark_read_events: z.array(z.unknown()).default([]),
      users: z.record(z.string(), z.unknown()).default({}),
    }),
  }),
})

/** Parses a delivery. */
export function readDelivery(body: unknown): XDelivery {
  const delivery = Delivery.safeParse(body)
  if (!delivery.success) return { eventType: null, accountXUserId: null, happenings: [], unreadable: null }
  const { event_type: eventType = null, filter, payload } = delivery.data.data
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
  const happenings = events.map((event) => ({ ...event, handles }))
  return { eventType, accountXUserId: filter?.user_id ?? null, happenings, unreadable: null }
}

function parsed<Event>(events: unknown[], schema: z.ZodType<Event>): Event[] {
  return events.flatMap((event) => schema.safeParse(event).data ?? [])
}
