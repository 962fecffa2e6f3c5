import { createECDH, createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type ChatEvent, encodeEvent } from './chat-events.ts'
import { chatId } from './chats.ts'
import { hash } from './hash.ts'
import type { LimitedCall } from './limits.ts'
import { callerOf, type Network, personById } from './network.ts'
import type { Person } from './people.ts'
import { genericProblem, invalidRequest } from './problems.ts'
import { count, idList, longToken, positionIn, readId, readQuery, words } from './queries.ts'
import { userFields, userJson } from './users.ts'

// X Chat's endpoints (docs.x.com/x-api/chat). Even without keys, they show who has written and
// when.

type Conversation = { id: string; members: string[]; updatedAt: number; createdAt: number }

const CONVERSATION_FIELDS: Record<string, (conversation: Conversation) => unknown> = {
  id: ({ id }) => id,
  type: ({ id }) => (id.startsWith('g') ? 'group' : 'direct'),
  created_at: ({ createdAt }) => new Date(createdAt).toISOString(),
  updated_at: ({ updatedAt }) => new Date(updatedAt).toISOString(),
  is_muted: () => false,
  group_avatar_url: () => undefined,
  group_name: () => undefined,
  message_ttl_ms: () => undefined,
  screen_capture_blocking_enabled: () => false,
  screen_capture_detection_enabled: () => false,
  participant_ids: ({ members }) => members,
  member_ids: ({ id, members }) => (id.startsWith('g') ? members : undefined),
  admin_ids: ({ id, members }) => (id.startsWith('g') ? members.slice(0, 1) : undefined),
}
const EVENT_FIELDS: Record<string, (event: ChatEvent) => unknown> = {
  id: ({ sequenceId }) => sequenceId,
  conversation_id: ({ conversation }) => pathOf(conversation),
  conversation_token: () => undefined,
  created_at: ({ at }) => new Date(at).toISOString(),
  encoded_event: encodeEvent,
  is_trusted: () => true,
  message_event_signature: () => undefined,
  previous_id: ({ previousId }) => previousId,
  sender_id: ({ from }) => from,
}
const KEY_FIELDS: Record<string, (person: Person, viewer: Person) => unknown> = {
  public_key_version: ({ createdAt }) => String(Date.parse(createdAt)),
  public_key: ({ key }) => publicKeyOf(`identity ${key}`),
  signing_public_key: ({ key }) => publicKeyOf(`signing ${key}`),
  identity_public_key_signature: ({ key }) => createHash('sha512').update(key).digest('base64'),
  // X returns this only to the keys' owner.
  juicebox_config: ({ id }, viewer) => (id === viewer.id ? { max_guess_count: 20, token_map: [] } : undefined),
}

const READ = ['dm.read', 'users.read']

/** Adds routes that read X Chat's conversations and public keys. */
export function addChatRoutes(app: FastifyInstance, network: Network) {
  /** Returns the calling person. @throws a 403 or 404 if the account has no X Chat */
  function memberOf(request: FastifyRequest, reply: FastifyReply, call: LimitedCall, scopes: string[]) {
    const caller = callerOf(network, request, reply, call, scopes)
    if (!caller.person.hasChat) throw genericProblem(network.switches.chat.withoutChat)
    return caller.person
  }

  app.get('/2/chat/conversations', async (request, reply) => {
    const viewer = memberOf(request, reply, 'readChats', READ)
    const query = readQuery(request.query, {
      max_results: count(100, 10),
      pagination_token: z.string().optional(),
      'chat_conversation.fields': words(),
      expansions: words(),
      'user.fields': userFields,
    })
    const { requests, order } = network.switches.chat
    const [accepted, asking] = conversationsOf(viewer.id)
    const all = requests === 'hidden' ? accepted : [...accepted, ...asking]
    all.sort((a, b) => b.updatedAt - a.updatedAt)
    if (order === 'ascending') all.reverse()
    if (order === 'shuffled') all.sort((a, b) => hash(a.id) - hash(b.id))

    const list = `chats ${viewer.id}`
    const start = Number(positionIn(list, query.pagination_token))
    const page = all.slice(start, start + query.max_results)
    const hasMore = all.length > start + page.length
    const meta = {
      result_count: page.length,
      has_more: hasMore,
      has_message_requests: asking.length > 0,
      ...(hasMore && { next_token: longToken(list, start + page.length) }),
    }
    const fields = new Set(['id', ...query['chat_conversation.fields'], ...query.expansions])
    const data = page.map((conversation) =>
      Object.fromEntries([...fields].map((name) => [name, CONVERSATION_FIELDS[name]?.(conversation)])),
    )
    if (query.expansions.size === 0) return { data, meta }
    const ids = new Set(page.flatMap(({ members }) => members))
    const users = [...ids].flatMap((id) => {
      const result = personById(network, id)
      return 'person' in result ? [userJson(network, result.person, query['user.fields'], viewer)] : []
    })
    return { data, includes: { users }, meta }
  })

  /** Returns a person's conversations, and the requests from strangers. */
  function conversationsOf(userId: string): [accepted: Conversation[], requests: Conversation[]] {
    const accepted: Conversation[] = []
    const requests: Conversation[] = []
    for (const [id, events] of network.chats.ofUser(userId)) {
      const members = [...new Set(events.flatMap(({ from, to }) => [from, to]))]
      const [first, last] = [events[0]?.at ?? 0, events.at(-1)?.at ?? 0]
      const conversation = { id: pathOf(id), members, createdAt: first, updatedAt: last }
      const isAccepted = id.startsWith('g') || members.every((other) => other === userId || knows(userId, other))
      ;(isAccepted ? accepted : requests).push(conversation)
    }
    return [accepted, requests]
  }

  const knows = (userId: string, other: string) =>
    network.chats.hasWritten(userId, other) ||
    network.messages.ofConversation(userId, other).some(({ from }) => from === userId)

  app.get<{ Params: { id: string } }>('/2/chat/conversations/:id/events', async (request, reply) => {
    const viewer = memberOf(request, reply, 'readChatEvents', [...READ, 'tweet.read'])
    const query = readQuery(request.query, {
      max_results: count(100, 10),
      pagination_token: z.string().optional(),
      'chat_message_event.fields': words(),
    })
    const conversation = conversationIn(request.params.id, viewer.id)
    const events = network.chats.ofUser(viewer.id).get(conversation) ?? []
    const list = `chat ${conversation}`
    const after = positionIn(list, query.pagination_token)
    const end = after === 0n ? events.length : events.findLastIndex((event) => BigInt(event.sequenceId) < after) + 1
    const page = events.slice(Math.max(0, end - query.max_results), end).reverse()
    const hasMore = end > page.length
    const keyEvents = events.filter(({ kind }) => kind === 'keyChange').map(encodeEvent)
    const meta = {
      result_count: page.length,
      has_more: hasMore,
      conversation_key_events: keyEvents,
      ...(hasMore && { next_token: longToken(list, BigInt(page.at(-1)?.sequenceId ?? 0)) }),
    }
    const fields = new Set(['id', 'encoded_event', ...query['chat_message_event.fields']])
    const data = page.map((event) => Object.fromEntries([...fields].map((name) => [name, EVENT_FIELDS[name]?.(event)])))
    return { data, meta }
  })

  app.get<{ Params: { id: string } }>('/2/users/:id/public_keys', async (request, reply) => {
    const { person: viewer } = callerOf(network, request, reply, 'publicKeys', [...READ, 'tweet.read'])
    const { 'public_key.fields': fields } = readQuery(request.query, { 'public_key.fields': keyFields })
    const result = personById(network, readId('id', request.params.id))
    if ('error' in result) return { errors: [result.error] }
    return { data: keysOf(result.person, fields, viewer) }
  })

  app.get('/2/users/public_keys', async (request, reply) => {
    const { person: viewer } = callerOf(network, request, reply, 'publicKeys', [...READ, 'tweet.read'])
    const { ids, 'public_key.fields': fields } = readQuery(request.query, {
      ids: idList,
      'public_key.fields': keyFields,
    })
    const results = ids.map((id) => personById(network, id))
    const errors = results.flatMap((result) => ('error' in result ? [result.error] : []))
    const data = results.flatMap((result) => ('person' in result ? keysOf(result.person, fields, viewer) : []))
    return { data, ...(errors.length > 0 && { errors }) }
  })
}

const keyFields = words()

function keysOf(person: Person, fields: ReadonlySet<string>, viewer: Person): object[] {
  if (!person.hasChat) return []
  const names = new Set(['public_key', 'public_key_version', ...fields])
  return [Object.fromEntries([...names].map((name) => [name, KEY_FIELDS[name]?.(person, viewer)]))]
}

/** Returns a P-256 public key, always the same for the same text, as SubjectPublicKeyInfo in base64. */
function publicKeyOf(text: string): string {
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(createHash('sha256').update(text).digest())
  return Buffer.concat([P256, curve.getPublicKey()]).toString('base64')
}
/** The bytes before a point on P-256 (RFC 5480). */
const P256 = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')

/** Returns a conversation's id for lists and paths: `a-b`, where events contain `a:b`. */
const pathOf = (conversation: string) => conversation.replace(':', '-')

/** Returns the conversation that a path names: by its id, in either order, or by the other member's id. */
function conversationIn(id: string, viewerId: string): string {
  const [, a, b] = /^(\d{1,19})(?:-(\d{1,19}))?$/.exec(id) ?? []
  if (/^g\d{1,19}$/.test(id)) return id
  if (a === undefined) throw invalidRequest('id', id, `The \`id\` query parameter value [${id}] is not valid`)
  const members = b === undefined ? [a, viewerId] : [a, b]
  if (!members.includes(viewerId)) throw genericProblem(403)
  return chatId(members[0] ?? '', members[1] ?? '')
}
