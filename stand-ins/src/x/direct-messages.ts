import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { conversationId, type Message } from './messages.ts'
import { callerOf, type Network, personById } from './network.ts'
import type { Person } from './people.ts'
import { codedProblem, invalidRequest } from './problems.ts'
import { count, invalidToken, readId, readQuery, words } from './queries.ts'
import { userFields, userJson } from './users.ts'

/** The supported event fields. */
const FIELDS: Record<string, (message: Message) => unknown> = {
  id: ({ id }) => id,
  event_type: () => 'MessageCreate',
  text: ({ text }) => text,
  created_at: ({ at }) => new Date(at).toISOString(),
  sender_id: ({ from }) => from,
  dm_conversation_id: ({ from, to }) => conversationId(from, to),
  participant_ids: ({ from, to }) => [from, to],
  attachments: () => undefined,
  entities: () => undefined,
}
const PARAMETERS = {
  max_results: count(100),
  pagination_token: z.string().optional(),
  event_types: words(['MessageCreate', 'ParticipantsJoin', 'ParticipantsLeave']),
  'dm_event.fields': words(Object.keys(FIELDS)),
  expansions: words(['sender_id', 'participant_ids']),
  'user.fields': userFields,
}

const READ_DMS = ['dm.read', 'tweet.read', 'users.read']
const THIRTY_DAYS = 30 * 24 * 60 * 60 * 1000
const LONGEST_TEXT = 10_000

/** Routes that send and read direct messages. */
export function addDirectMessages(app: FastifyInstance, network: Network) {
  type Participant = { Params: { participant_id: string } }

  app.post<Participant>('/2/dm_conversations/with/:participant_id/messages', async (request, reply) => {
    const sender = callerOf(network, request, reply, 'sendDm', ['dm.write', 'tweet.read', 'users.read'])
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
    const person = callerOf(network, request, reply, 'readDms', READ_DMS)
    return eventsPage(network.messages.ofUser(person.id), request.query, person)
  })

  app.get<Participant>('/2/dm_conversations/with/:participant_id/dm_events', async (request, reply) => {
    const person = callerOf(network, request, reply, 'readConversation', READ_DMS)
    const participantId = readId('participant_id', request.params.participant_id)
    return eventsPage(network.messages.ofConversation(person.id, participantId), request.query, person)
  })

  /** Newest first. The cursor is the last event's id, so new messages do not shift pages. */
  function eventsPage(messages: readonly Message[], rawQuery: unknown, viewer: Person) {
    const query = readQuery(rawQuery, PARAMETERS)
    const { max_results: size, event_types: types, expansions } = query
    const token = query.pagination_token
    const isWanted = types.size === 0 || types.has('MessageCreate')
    const end = token === undefined ? messages.length : messages.findLastIndex(isBefore(idOfToken(token))) + 1
    const isRecent = ({ at }: Message) => at >= network.now() - THIRTY_DAYS
    const page = isWanted
      ? messages
          .slice(Math.max(0, end - size), end)
          .filter(isRecent)
          .reverse()
      : []
    const last = page.at(-1)
    if (!last) return { meta: { result_count: 0 } }

    const next = messages[end - size - 1]
    const meta = { result_count: page.length, ...(next && isRecent(next) && { next_token: tokenOf(last) }) }
    const hasUsers = expansions.has('sender_id')
    const fields = new Set([
      'id',
      'event_type',
      'text',
      ...query['dm_event.fields'],
      ...(hasUsers ? ['sender_id'] : []),
    ])
    const data = page.map((message) => Object.fromEntries([...fields].map((name) => [name, FIELDS[name]?.(message)])))
    if (!hasUsers) return { data, meta }
    const users = [...new Set(page.map(({ from }) => from))].flatMap((id) => {
      const found = personById(network, id)
      return 'person' in found ? [userJson(network, found.person, query['user.fields'], viewer)] : []
    })
    return { data, includes: { users }, meta }
  }
}

const Body = z.strictObject({ text: z.string().max(LONGEST_TEXT).regex(/\S/) })

function textOf(body: unknown): string {
  const { data, error } = Body.safeParse(body)
  if (data) return data.text
  throw invalidRequest('text', (body as { text?: unknown } | null)?.text, z.prettifyError(error))
}

function tokenOf({ id }: Message): string {
  return Buffer.from(`dm.${id}`).toString('base64url')
}

function idOfToken(token: string): bigint {
  const id = /^dm\.(\d{1,20})$/.exec(Buffer.from(token, 'base64url').toString())?.[1]
  if (id === undefined) throw invalidToken(token)
  return BigInt(id)
}

function isBefore(last: bigint) {
  return ({ id }: Message) => BigInt(id) < last
}
