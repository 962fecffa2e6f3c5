import type { FastifyInstance } from 'fastify'
import { conversationId, type Message } from './messages.ts'
import { callerOf, type Network, personById } from './network.ts'
import type { Person } from './people.ts'
import { codedProblem, invalidRequest } from './problems.ts'
import { readCount, readId, readQuery, readWords } from './queries.ts'
import { fieldsOf, userJson } from './users.ts'

const EVENT_TYPES = ['MessageCreate', 'ParticipantsJoin', 'ParticipantsLeave']
const EVENT_FIELDS = [
  'attachments',
  'created_at',
  'dm_conversation_id',
  'entities',
  'event_type',
  'id',
  'participant_ids',
  'referenced_tweets',
  'sender_id',
  'text',
]
const EXPANSIONS = ['attachments.media_keys', 'participant_ids', 'referenced_tweets.id', 'sender_id']
const QUERY = [
  'max_results',
  'pagination_token',
  'event_types',
  'dm_event.fields',
  'expansions',
  'user.fields',
  'media.fields',
  'tweet.fields',
]
const DEFAULT_FIELDS = ['id', 'event_type', 'text']

const THIRTY_DAYS = 30 * 24 * 60 * 60 * 1000
const LONGEST_TEXT = 10_000

/** Routes that send and read direct messages. */
export function addDirectMessages(app: FastifyInstance, network: Network) {
  type Participant = { Params: { participant_id: string } }

  app.post<Participant>('/2/dm_conversations/with/:participant_id/messages', async (request, reply) => {
    const { person: sender, limits } = callerOf(network, request, 'sendDm', ['dm.write', 'tweet.read', 'users.read'])
    reply.headers(limits)
    const participantId = readId('participant_id', request.params.participant_id)
    const text = textOf(request.body)
    const found = personById(network, participantId)
    // For an unknown recipient X returns the error of a closed inbox, not a 404.
    if ('error' in found || !found.person.inboxOpen || found.person.id === sender.id) throw codedProblem(403, 349)
    const message = network.messages.send(sender.id, found.person.id, text)
    reply.code(201)
    return { data: { dm_conversation_id: conversationId(sender.id, found.person.id), dm_event_id: message.id } }
  })

  app.get('/2/dm_events', async (request, reply) => {
    const { person, limits } = callerOf(network, request, 'readDms', ['dm.read', 'tweet.read', 'users.read'])
    reply.headers(limits)
    return eventsPage(network.messages.ofUser(person.id), request.query, person)
  })

  app.get<Participant>('/2/dm_conversations/with/:participant_id/dm_events', async (request, reply) => {
    const { person, limits } = callerOf(network, request, 'readConversation', ['dm.read', 'tweet.read', 'users.read'])
    reply.headers(limits)
    const participantId = readId('participant_id', request.params.participant_id)
    return eventsPage(network.messages.ofConversation(person.id, participantId), request.query, person)
  })

  /** Newest first. The cursor is the last event's id, so new messages do not shift pages. */
  function eventsPage(messages: readonly Message[], rawQuery: unknown, viewer: Person) {
    const query = readQuery(rawQuery, QUERY)
    const size = readCount('max_results', query.max_results, 100, 100)
    const types = readWords('event_types', query.event_types, EVENT_TYPES)
    const expansions = readWords('expansions', query.expansions, EXPANSIONS)
    const fields = readWords('dm_event.fields', query['dm_event.fields'], EVENT_FIELDS)
    const userFields = fieldsOf(query)
    for (const field of DEFAULT_FIELDS) fields.add(field)
    if (expansions.has('sender_id')) fields.add('sender_id')

    const oldest = network.now() - THIRTY_DAYS
    let place = messages.length
    if (query.pagination_token !== undefined) {
      const last = idOfToken(query.pagination_token)
      place = messages.findLastIndex(({ id }) => BigInt(id) < last) + 1
    }
    const page: Message[] = []
    let more = false
    if (types.size === 0 || types.has('MessageCreate')) {
      for (let i = place - 1; i >= 0; i--) {
        const message = messages[i] as Message
        if (message.at < oldest) break
        more = page.length === size
        if (more) break
        page.push(message)
      }
    }
    const meta: Record<string, unknown> = { result_count: page.length }
    const last = page.at(-1)
    if (more && last) meta.next_token = Buffer.from(`dm.${last.id}`).toString('base64url')
    if (page.length === 0) return { meta }

    const data = page.map((message) => eventJson(message, fields))
    if (!expansions.has('sender_id')) return { data, meta }
    const users = [...new Set(page.map(({ from }) => from))].flatMap((id) => {
      const found = personById(network, id)
      return 'person' in found ? [userJson(network, found.person, userFields, viewer)] : []
    })
    return { data, includes: { users }, meta }
  }
}

function eventJson(message: Message, fields: Set<string>) {
  const event: Record<string, unknown> = { id: message.id, event_type: 'MessageCreate', text: message.text }
  if (fields.has('created_at')) event.created_at = new Date(message.at).toISOString()
  if (fields.has('sender_id')) event.sender_id = message.from
  if (fields.has('dm_conversation_id')) event.dm_conversation_id = conversationId(message.from, message.to)
  if (fields.has('participant_ids')) event.participant_ids = [message.from, message.to]
  return event
}

function textOf(body: unknown): string {
  const { text, ...rest } = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const unknown = Object.keys(rest).find((key) => key !== 'attachments')
  if (unknown !== undefined)
    throw invalidRequest(unknown, rest[unknown], `The body parameter [${unknown}] is not one of [text,attachments]`)
  if (rest.attachments !== undefined)
    throw invalidRequest('attachments', rest.attachments, 'The stand-in does not support attachments')
  if (typeof text !== 'string' || text.trim() === '') throw invalidRequest('text', text, '`text` must not be empty')
  if (text.length > LONGEST_TEXT)
    throw invalidRequest('text', text.length, `\`text\` is longer than ${LONGEST_TEXT} characters`)
  return text
}

function idOfToken(token: string): bigint {
  const id = /^dm\.(\d{1,20})$/.exec(Buffer.from(token, 'base64url').toString())?.[1]
  if (id !== undefined) return BigInt(id)
  throw invalidRequest(
    'pagination_token',
    token,
    `The \`pagination_token\` query parameter value [${token}] is not valid`,
  )
}
