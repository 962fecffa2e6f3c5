import { randomBytes, randomUUID } from 'node:crypto'
import { type ChatEvent, encodeEvent, keyVersionOf } from '../chat-events.ts'
import { linksIn } from '../links.ts'
import type { Message } from '../messages.ts'
import { type Network, personById } from '../network.ts'
import { userJson } from '../users.ts'

/** The user fields in X's examples. */
const USER_FIELDS = new Set(
  'created_at,description,entities,location,profile_image_url,protected,public_metrics,url,verified,verified_type'.split(
    ',',
  ),
)

/** Builds payloads of events, as X documents them (docs.x.com/x-api/activity, /xchat/real-time-events). */
export function createPayloads(network: () => Network) {
  const forms = () => network().switches.events
  const timeOf = (at: number) => (forms().times === 'text' ? String(at) : at)

  function usersOf(ids: string[]) {
    const users = ids.flatMap((id) => {
      const result = personById(network(), id)
      if ('error' in result) return []
      return [[id, { data: userJson(network(), result.person, USER_FIELDS, result.person) }]]
    })
    return Object.fromEntries(users)
  }

  return {
    /** Returns the payload of `dm.sent` and `dm.received`. */
    message({ id, from, to, text, at }: Message): object {
      const { text: shownText, urls } = network().switches.reading.shortensLinks ? linksIn(text) : { text, urls: [] }
      const links = urls.map(({ start, end, ...url }) => ({ ...url, indices: [start, end] }))
      const message_data = { text: shownText, entities: { hashtags: [], symbols: [], user_mentions: [], urls: links } }
      const created = { target: { recipient_id: to }, sender_id: from, message_data }
      return {
        direct_message_events: [{ type: 'message_create', id, created_timestamp: timeOf(at), message_create: created }],
        users: usersOf([from, to]),
      }
    },

    /** Returns the payload of `dm.read`. X documents no example, so it follows the Account Activity API. */
    read(message: Message, at: number): object {
      const mark = {
        created_timestamp: timeOf(at),
        sender_id: message.to,
        target: { recipient_id: message.from },
        last_read_event_id: message.id,
      }
      return { direct_message_mark_read_events: [mark], users: usersOf([message.from, message.to]) }
    },

    /** Returns the payload of `chat.sent` and `chat.received`. */
    chat(event: ChatEvent): object {
      const { conversationId, hasIds, hasKeys, unreadable } = forms()
      const [small = '', large = ''] = event.conversation.split(':')
      const pair = conversationId.endsWith('swapped') ? [large, small] : [small, large]
      const isGroup = event.conversation.startsWith('g')
      const encoded = unreadable === 'encodedEvent' && isUnreadable('chat.') ? garbage() : encodeEvent(event)
      return {
        ...(hasIds && { id: event.sequenceId }),
        conversation_id: isGroup ? event.conversation : pair.join(conversationId.startsWith('dash') ? '-' : ':'),
        sender_id: event.from,
        ...(hasIds && { created_at_msec: timeOf(event.at) }),
        encoded_event: encoded,
        ...(hasKeys && {
          conversation_key_version: keyVersionOf(event),
          conversation_key_change_event: encodeEvent({ ...event, kind: 'keyChange' }),
        }),
      }
    },

    /** Returns the body of a delivery. */
    envelope(eventType: string, userId: string, tag: string | undefined, id: string, payload: object): object {
      const { uuids, hasFilter, unreadable } = forms()
      const event_uuid = uuids === 'uuid' ? randomUUID() : uuids === 'negative' ? `-${id}` : id
      const filter = hasFilter && { filter: { user_id: userId } }
      const isBroken = isUnreadable(eventType)
      if (isBroken && unreadable === 'envelope') return { events: [{ kind: eventType, id: event_uuid }] }
      const content = isBroken && unreadable === 'payload' ? { v2: garbage() } : payload
      return { data: { event_uuid, ...filter, event_type: eventType, tag, payload: content } }
    },
  }

  function isUnreadable(eventType: string): boolean {
    const { unreadable, unreadableTypes } = forms()
    return unreadable !== null && (eventType.startsWith(unreadableTypes) || unreadableTypes.startsWith(eventType))
  }
}

const garbage = () => randomBytes(96).toString('base64')
