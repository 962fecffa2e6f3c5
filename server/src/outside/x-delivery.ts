import { z } from 'zod'
import { momentOf, readEnvelope } from './x-chat-envelope.ts'
import { identityOf, idsOf } from './x-chat-event.ts'
import { keysOf, type XNote } from './x-report.ts'
import { isGroup, pairOf, XId } from './x-schemas.ts'

/** All events about an account's conversations. */
export const DM_EVENT_TYPES = ['dm.received', 'dm.sent', 'dm.read'] as const
/** Events about encrypted conversations (https://docs.x.com/xchat/real-time-events). */
export const CHAT_EVENT_TYPES = ['chat.received', 'chat.sent'] as const

/** An event about an account. Ids are X user ids; `handles` are those that X included. */
export type XHappening = { handles: Record<string, string> } & (
  | {
      kind: 'message'
      /** The message's id, which is the same however the message arrives. */
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
export type XMessage = Extract<XHappening, { kind: 'message' }>

export interface XDelivery {
  eventType: string | null
  /** The id of the event, which a repeated delivery has too; null if X sends none. */
  eventUuid: string | null
  /** The account whose subscription the delivery is for. */
  accountXUserId: string | null
  happenings: XHappening[]
  /** The unreadable part of the delivery; null: there is none. */
  unreadable: {
    eventType: string | null
    /** The names of the delivery's fields, without their values. */
    keys: string[]
    /** The account that the delivery names. */
    accountXUserId: string | null
    /** The person that the delivery names. */
    personXUserId: string | null
    /** The delivery may be a message that `happenings` does not have. */
    mayBeMessage: boolean
  } | null
  /** The delivery is about a group, and otherwise ignored. */
  isGroup: boolean
}

/** X's docs show a text; logs published by others show a number. */
const Milliseconds = z
  .union([z.string(), z.number()])
  .transform(momentOf)
  .refine((at) => at !== null)
const text = z.string().nullish().catch(null)
const UserId = XId.nullish().catch(null)

const Delivery = z.object({
  data: z.looseObject({
    event_type: text,
    event_uuid: z.unknown().optional(),
    // One of X's samples has no filter.
    filter: z.object({ user_id: UserId }).nullish().catch(null),
    payload: z.looseObject({}).catch({}),
    includes: z.unknown().optional(),
  }),
})

/** Reads a delivery of the Activity API (https://docs.x.com/x-api/activity/event-payloads). */
export function readDelivery(body: unknown): XDelivery {
  const { data: delivery } = Delivery.safeParse(body)
  if (!delivery)
    return { ...NOTHING, unreadable: { ...NOBODY, eventType: null, keys: keysOf(body), mayBeMessage: true } }
  const { event_type: eventType = null, event_uuid, filter, payload, includes } = delivery.data
  const event: Event = { type: eventType ?? '', uuid: event_uuid, accountXUserId: filter?.user_id ?? null, payload }
  const read = READERS.get(event.type) ?? readOther
  const { happenings = [], unreadable = null, isGroup = false, accountXUserId } = read(event)
  const handles = handlesOf(payload.users, includes)
  const account = event.accountXUserId ?? accountXUserId ?? null
  return {
    eventType,
    eventUuid: typeof event_uuid === 'string' || typeof event_uuid === 'number' ? String(event_uuid) : null,
    accountXUserId: account,
    happenings: happenings.map((happening) => ({ ...happening, handles })),
    unreadable: unreadable && { ...NOBODY, accountXUserId: account, ...unreadable, eventType, keys: keysOf(body) },
    isGroup,
  }
}

/** Returns what to report about a delivery. */
export function notesOf({ eventType, isGroup: isAboutGroup, unreadable }: XDelivery): XNote[] {
  const name = eventType === null ? 'none' : /^[a-z_.]{1,60}$/.test(eventType) ? eventType : 'other'
  if (isAboutGroup) return [{ source: 'group', name, keys: [] }]
  return unreadable ? [{ source: 'event', name, keys: unreadable.keys }] : []
}

const NOTHING: XDelivery = {
  eventType: null,
  eventUuid: null,
  accountXUserId: null,
  happenings: [],
  unreadable: null,
  isGroup: false,
}
const NOBODY = { accountXUserId: null, personXUserId: null }

type Bare<Happening> = Happening extends unknown ? Omit<Happening, 'handles'> : never

interface Event {
  type: string
  uuid: unknown
  accountXUserId: string | null
  payload: Record<string, unknown>
}

interface Reading {
  /** The account of an event without a filter. */
  accountXUserId?: string | null
  happenings?: Bare<XHappening>[]
  unreadable?: { personXUserId?: string | null; mayBeMessage: boolean } | null
  isGroup?: boolean
}

/** How to read each type of event. */
const READERS: ReadonlyMap<string, (event: Event) => Reading> = new Map([
  ['dm.received', readMessages],
  ['dm.sent', readMessages],
  ['dm.read', readReceipts],
  ['chat.received', readChat],
  ['chat.sent', readChat],
  ['profile.update.handle', readHandle],
  ['oauth.revoke', readRevoked],
])

/** Documented types that say nothing about replies (https://docs.x.com/x-api/activity/introduction). */
const IGNORED = new Set([
  'dm.indicate_typing',
  'chat.conversation_join',
  'chat.conversation.join',
  'chat.conversation.admin_added',
  'chat.conversation.admin_removed',
  'chat.conversation.member_added',
  'chat.conversation.member_removed',
  'chat.update.group_name',
  'chat.update.restrictions',
])
const isDocumented = (type: string) =>
  IGNORED.has(type) || /^(?:post|follow|like|profile|oauth|news|spaces)\.[a-z_.]{1,40}$/.test(type)

/** Reads nothing from a documented type. An undocumented type may be a new form of a message. */
function readOther({ type }: Event): Reading {
  return isDocumented(type) ? {} : { unreadable: { mayBeMessage: true } }
}

const Message = z
  .object({
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
/** Events other than messages, such as joining and leaving a group. */
const OtherMessageEvent = z.object({ type: z.string().refine((type) => type !== 'message_create') })
const People = z.object({
  message_create: z.object({
    sender_id: UserId,
    target: z.object({ recipient_id: UserId }).nullish().catch(null),
  }),
})

function readMessages({ type, accountXUserId, payload }: Event): Reading {
  const events = Array.isArray(payload.direct_message_events) ? payload.direct_message_events : []
  const messages = events.flatMap((event) => Message.safeParse(event).data ?? [])
  const lost = events.filter(
    (event) => !Message.safeParse(event).success && !OtherMessageEvent.safeParse(event).success,
  )
  const isSent = type === 'dm.sent'
  const [first] = messages
  const account = accountXUserId ?? (isSent ? first?.senderId : first?.recipientId) ?? null
  if (events.length > 0 && lost.length === 0) return { happenings: messages, accountXUserId: account }
  const people = new Set(
    lost.flatMap((event) => {
      const { sender_id: sender, target } = People.safeParse(event).data?.message_create ?? {}
      return (isSent ? target?.recipient_id : sender) ?? []
    }),
  )
  const personXUserId = lost.length > 0 && people.size === 1 ? ([...people][0] ?? null) : null
  return { happenings: messages, accountXUserId: account, unreadable: { personXUserId, mayBeMessage: true } }
}

const Receipt = z
  .object({ created_timestamp: Milliseconds, sender_id: XId, target: z.object({ recipient_id: XId }) })
  .transform(({ created_timestamp, sender_id, target }) => ({
    kind: 'read' as const,
    readerId: sender_id,
    authorId: target.recipient_id,
    at: created_timestamp as Date,
  }))

/** X does not document this event. The format is that of its older API. */
function readReceipts({ payload }: Event): Reading {
  const events = Array.isArray(payload.direct_message_mark_read_events) ? payload.direct_message_mark_read_events : []
  const receipts = events.flatMap((event) => Receipt.safeParse(event).data ?? [])
  const isRead = events.length > 0 && receipts.length === events.length
  return { happenings: receipts, unreadable: isRead ? null : { mayBeMessage: false } }
}

const Chat = z.object({
  id: z
    .union([z.string(), z.number().transform(String)])
    .nullish()
    .catch(null),
  conversation_id: text,
  sender_id: UserId,
  created_at_msec: z.union([z.string(), z.number()]).nullish().catch(null),
  encoded_event: text,
})

function readChat({ type, uuid, accountXUserId: subscriber, payload }: Event): Reading {
  const chat = Chat.parse(payload)
  const encodedEvent = chat.encoded_event ?? ''
  const envelope = readEnvelope(encodedEvent)
  const conversationId = chat.conversation_id ?? envelope.conversationId ?? ''
  if (isGroup(conversationId)) return { isGroup: true }
  const isSent = type === 'chat.sent'
  const pair = pairOf(conversationId)
  const named = chat.sender_id ?? envelope.senderId
  const otherThan = (id: string | null) => pair?.find((party) => party !== id) ?? null
  const accountXUserId = subscriber ?? (isSent ? named : named && otherThan(named))
  const senderId = named ?? (isSent ? accountXUserId : accountXUserId && otherThan(accountXUserId))
  const recipientId = senderId && (otherThan(senderId) ?? (senderId === accountXUserId ? null : accountXUserId))
  // Keys, receipts, typing and deletions are not messages.
  if (envelope.kind === 'other') return { accountXUserId }
  const isForeign = (id: string | null) => id !== null && pair !== null && !pair.includes(id)
  if (isForeign(named) || isForeign(subscriber))
    return { accountXUserId: subscriber, unreadable: { mayBeMessage: true } }
  if (!senderId || !recipientId) {
    const personXUserId = [senderId, otherThan(accountXUserId)].find((id) => id && id !== accountXUserId) ?? null
    return { accountXUserId, unreadable: { personXUserId, mayBeMessage: true } }
  }
  const ids = idsOf(envelope, chat.id)
  const message = {
    kind: 'message' as const,
    eventId: identityOf([senderId, recipientId], ids, encodedEvent || JSON.stringify([uuid, payload])),
    messageId: ids.messageId,
    senderId,
    recipientId,
    text: '',
    at: momentOf(chat.created_at_msec) ?? envelope.at,
    isEncrypted: true,
  }
  return {
    accountXUserId,
    happenings: [message],
    unreadable: envelope.kind === 'unknown' ? { mayBeMessage: false } : null,
  }
}

const Handle = z.string().regex(/^@?\w{1,15}$/)

function readHandle({ accountXUserId, payload }: Event): Reading {
  const { data: after } = Handle.safeParse(payload.after)
  if (!accountXUserId || !after) return { unreadable: { mayBeMessage: false } }
  return { happenings: [{ kind: 'handle', userId: accountXUserId, handle: after.replace('@', '') }] }
}

function readRevoked({ payload }: Event): Reading {
  const { data: userId } = XId.safeParse(payload.user_id)
  if (!userId) return { unreadable: { mayBeMessage: false } }
  return { accountXUserId: userId, happenings: [{ kind: 'revoked', userId }] }
}

const Named = z.object({ id: XId, username: z.string().min(1) })

/**
 * Returns the handles of a delivery's people by id. X sends a map or a list, each person with or
 * without `data` around.
 */
function handlesOf(users: unknown, includes: unknown): Record<string, string> {
  const included = (includes as { users?: unknown } | null | undefined)?.users
  const people = [users, included].flatMap((some) => (typeof some === 'object' && some ? Object.entries(some) : []))
  return Object.fromEntries(
    people.flatMap(([key, person]) => {
      const bare = (person as { data?: unknown } | null)?.data ?? person
      const { data } = Named.safeParse({ id: key, ...(typeof bare === 'object' ? bare : {}) })
      return data ? [[data.id, data.username]] : []
    }),
  )
}
