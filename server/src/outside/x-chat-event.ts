import { createHash } from 'node:crypto'
import { z } from 'zod'
import { XError } from './x-errors.ts'
import { pairOf, XId } from './x-schemas.ts'

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
  /** Null if X does not say. */
  updatedAt: Date | null
  /** Null if X does not say. */
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
      isGroup: /group/i.test(type ?? '') || /^g/i.test(id),
    }
  })

const ChatEvent = z.object({
  id: text,
  conversation_id: text,
  sender_id: XId.nullish(),
  created_at: Moment,
  encoded_event: text,
})

/** An event of a conversation's history. @throws XError unknown: nobody can say whose it is */
export function chatEventOf(data: unknown, conversationId: string): XChatEvent {
  const { data: event } = ChatEvent.safeParse(data)
  if (!event?.sender_id) throw new XError('unknown', 'X sent an event without its sender.')
  const encodedEvent = event.encoded_event ?? ''
  const ids = { messageId: event.id ?? null, sequenceId: null }
  return {
    ...ids,
    identity: identityOf(conversationId, ids, encodedEvent),
    senderId: event.sender_id,
    conversationId,
    at: event.created_at ?? null,
    kind: 'unknown',
    encodedEvent,
  }
}

/** One identity per message: by its id, else by its place in the conversation, else by its content. */
export function identityOf(
  conversationId: string,
  { messageId, sequenceId }: Pick<XChatEvent, 'messageId' | 'sequenceId'>,
  encodedEvent: string,
): string {
  const pair = pairOf(conversationId)
  const [small, large] = pair ? pair.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)) : [conversationId, '']
  const own = messageId
    ? `message ${messageId}`
    : sequenceId
      ? `sequence ${sequenceId}`
      : `hash ${createHash('sha256').update(encodedEvent).digest('hex')}`
  return `chat ${small}-${large} ${own}`
}
