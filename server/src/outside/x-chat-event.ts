import { createHash } from 'node:crypto'
import { z } from 'zod'
import { readEnvelope } from './x-chat-envelope.ts'
import { isGroup, pairOf, unreadable, XId } from './x-schemas.ts'

/**
 * An event in a conversation of X Chat, whose text is encrypted. `identity` is the same however the
 * event arrives. Null: not known. `unknown`: may be a message.
 */
export interface XChatEvent {
  identity: string
  messageId: string | null
  sequenceId: string | null
  senderId: string
  conversationId: string
  at: Date | null
  kind: 'message' | 'other' | 'unknown'
  encodedEvent: string
}

export interface XChatConversation {
  id: string
  /** When the conversation last changed; null: X does not say. */
  updatedAt: Date | null
  /** The X ids of the participants; null: X does not say. */
  participantIds: string[] | null
  isGroup: boolean
}

const text = z.string().nullish()
const Moment = z.iso
  .datetime({ offset: true })
  .transform((moment) => new Date(moment))
  .nullish()
  .catch(null)

export const ChatConversation = z
  .object({
    id: z.string().min(1).max(200),
    type: text,
    updated_at: Moment,
    participant_ids: z.array(XId).nullish(),
  })
  .transform(({ id, type, updated_at, participant_ids }): XChatConversation => {
    const pair = pairOf(id)
    return {
      id,
      updatedAt: updated_at ?? null,
      participantIds: participant_ids ?? pair,
      isGroup: /group/i.test(type ?? '') || isGroup(id),
    }
  })

export const ChatEvent = z.object({
  id: text,
  sender_id: XId.nullish().catch(null),
  created_at: Moment,
  encoded_event: text,
})

/** Reads an event of a conversation's history. @throws XError unknown: its sender cannot be read */
export function chatEventOf(data: unknown, conversationId: string): XChatEvent {
  const { data: event } = ChatEvent.safeParse(data)
  const encodedEvent = event?.encoded_event ?? ''
  const envelope = readEnvelope(encodedEvent)
  const senderId = event?.sender_id ?? envelope.senderId
  if (!event || senderId === null) throw unreadable('X sent an event without its sender.')
  const { messageId, sequenceId } = idsOf(envelope, event.id)
  const people = pairOf(conversationId) ?? [conversationId]
  return {
    identity: identityOf(people, { messageId, sequenceId }, encodedEvent || JSON.stringify(data)),
    messageId,
    sequenceId,
    senderId,
    conversationId,
    at: envelope.at ?? event.created_at ?? null,
    kind: envelope.kind,
    encodedEvent,
  }
}

type Ids = Pick<XChatEvent, 'messageId' | 'sequenceId'>

/** The ids of an event: those in its head, else `id`, which is a sequence id if it is a number. */
export function idsOf(envelope: Ids, id: string | null | undefined): Ids {
  const { messageId, sequenceId } = envelope
  if (messageId !== null || !id || !/^[\w-]{1,100}$/.test(id)) return { messageId, sequenceId }
  return /^\d+$/.test(id) ? { messageId, sequenceId: sequenceId ?? id } : { messageId: id, sequenceId }
}

/**
 * An identity that is the same for each delivery of a message: the two people, in any order, and
 * the message's id or, if unknown, its sequence id or a hash of its content.
 */
export function identityOf(people: readonly string[], { messageId, sequenceId }: Ids, content: string): string {
  const own = messageId
    ? `message ${messageId}`
    : sequenceId
      ? `sequence ${sequenceId}`
      : `hash ${createHash('sha256').update(content).digest('hex')}`
  return `chat ${inOrder(people).join('-')} ${own}`
}

/** Sorts X's ids by number. */
function inOrder(ids: readonly string[]): string[] {
  return ids.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
}

/** A conversation's id as X's paths expect it: with a hyphen, the smaller user id first. */
export function pathIdOf(conversationId: string): string {
  const pair = pairOf(conversationId)
  return pair ? inOrder(pair).join('-') : conversationId
}
