import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { hash } from './hash.ts'
import { linksIn } from './links.ts'
import { conversationId, type Message } from './messages.ts'
import { type Caller, callerOf, type Network, personById } from './network.ts'
import type { Person } from './people.ts'
import { codedProblem, invalidRequest, namedProblem } from './problems.ts'
import { count, longToken, positionIn, readId, readQuery, words } from './queries.ts'
import { userFields, userJson } from './users.ts'

/** A message as `dm_events` shows it. */
type EventMessage = Message & { entities: object | undefined }

/** The supported event fields; the last two are expansions. */
const FIELDS: Record<string, (message: EventMessage) => unknown> = {
  id: ({ id }) => id,
  event_type: () => 'MessageCreate',
  text: ({ text }) => text,
  created_at: ({ at }) => new Date(at).toISOString(),
  dm_conversation_id: ({ from, to }) => conversationId(from, to),
  entities: ({ entities }) => entities,
  attachments: () => undefined,
  sender_id: ({ from }) => from,
  participant_ids: ({ from, to }) => [from, to],
}
const PARAMETERS = {
  max_results: count(100),
  pagination_token: z.string().optional(),
  event_types: words(),
  'dm_event.fields': words(),
  expansions: words(),
  'user.fields': userFields,
}

const READ_DMS = ['dm.read', 'tweet.read', 'users.read']
const THIRTY_DAYS = 30 * 24 * 60 * 60 * 1000
const LONGEST_TEXT = 10_000

/** Adds routes that send and read direct messages. */
export function addDirectMessages(app: FastifyInstance, network: Network) {
  type Participant = { Params: { participant_id: string } }

  app.post<Participant>('/2/dm_conversations/with/:participant_id/messages', async (request, reply) => {
    const { person: sender, app: xApp } = callerOf(network, request, reply, 'sendDm', [
      'dm.write',
      'tweet.read',
      'users.read',
    ])
    const participantId = readId('participant_id', request.params.participant_id)
    const text = textOf(request.body)
    network.credits.require(xApp.id)
    const result = personById(network, participantId)
    // For an unknown recipient, X returns the error of a closed inbox, not a 404.
    if ('error' in result) throw codedProblem(403, 349)
    const recipient = result.person
    refuseMessage(sender, recipient)
    const message = network.messages.send(sender.id, recipient.id, text)
    network.credits.charge(xApp.id, 'send', [message.id])
    reply.code(201)
    return { data: { dm_conversation_id: conversationId(sender.id, recipient.id), dm_event_id: message.id } }
  })

  app.get('/2/dm_events', async (request, reply) => {
    const caller = callerOf(network, request, reply, 'readDms', READ_DMS)
    return eventsPage('dm', network.messages.ofUser(caller.person.id), request.query, caller)
  })

  app.get<Participant>('/2/dm_conversations/with/:participant_id/dm_events', async (request, reply) => {
    const caller = callerOf(network, request, reply, 'readConversation', READ_DMS)
    const participantId = readId('participant_id', request.params.participant_id)
    const messages = network.messages.ofConversation(caller.person.id, participantId)
    return eventsPage(`dm ${participantId}`, messages, request.query, caller)
  })

  /** Returns one page, by default newest first. The cursor is an event's id, so new messages do not shift pages. */
  function eventsPage(list: string, messages: readonly Message[], rawQuery: unknown, caller: Caller) {
    const query = readQuery(rawQuery, PARAMETERS)
    const { max_results: size, event_types: types, expansions } = query
    const { order, endsAfter, hasSender, empty } = network.switches.reading
    const last = positionIn(list, query.pagination_token)
    network.credits.require(caller.app.id)
    if (empty !== null) return { counted: { meta: { result_count: 0 } }, data: { data: [] }, bare: {} }[empty]

    const isWanted = types.size === 0 || types.has('MessageCreate')
    const { page, hasMore } = isWanted ? pageAfter(messages, last, Math.min(size, endsAfter ?? size)) : EMPTY
    if (page.length === 0) return { meta: { result_count: 0 } }
    network.credits.charge(
      caller.app.id,
      'dmEvent',
      page.map(({ id }) => id),
    )

    const next = hasMore && endsAfter === null && { next_token: longToken(list, BigInt(page.at(-1)?.id ?? 0)) }
    const meta = { result_count: page.length, ...next }
    const expanded = [...expansions].filter((name) => name in FIELDS && (hasSender || name !== 'sender_id'))
    const fields = new Set(['id', 'event_type', 'text', ...query['dm_event.fields'], ...expanded])
    const data = page
      .map(toEventMessage)
      .map((message) => Object.fromEntries([...fields].map((name) => [name, FIELDS[name]?.(message)])))
    if (expanded.length === 0) return { data, meta }
    const ids = page.flatMap(({ from, to }) => (expansions.has('participant_ids') ? [from, to] : [from]))
    return { data, includes: { users: usersOf(ids, query['user.fields'], caller.person) }, meta }

    function pageAfter(all: readonly Message[], after: bigint, most: number) {
      const isRecent = ({ at }: Message) => at >= network.now() - THIRTY_DAYS
      if (order === 'newest') {
        const end = after === 0n ? all.length : all.findLastIndex(({ id }) => BigInt(id) < after) + 1
        const start = Math.max(0, end - most)
        return { page: all.slice(start, end).filter(isRecent).reverse(), hasMore: all.slice(0, start).some(isRecent) }
      }
      const recent = all.filter(isRecent)
      if (order === 'shuffled') recent.sort((a, b) => hash(a.id) - hash(b.id))
      const start = after === 0n ? 0 : recent.findIndex(({ id }) => BigInt(id) === after) + 1
      return { page: recent.slice(start, start + most), hasMore: recent.length > start + most }
    }
  }

  function toEventMessage(message: Message): EventMessage {
    const { text: form, shortensLinks } = network.switches.reading
    const text = form === 'normalized' ? normalized(message.text) : message.text
    const links = shortensLinks ? linksIn(text) : { text, urls: [] }
    return { ...message, text: links.text, entities: links.urls.length > 0 ? { urls: links.urls } : undefined }
  }

  function usersOf(ids: string[], fields: ReadonlySet<string>, viewer: Person): object[] {
    return [...new Set(ids)].flatMap((id) => {
      const result = personById(network, id)
      return 'person' in result ? [userJson(network, result.person, fields, viewer)] : []
    })
  }
}

const EMPTY = { page: [], hasMore: false }

/** @throws X's error if X refuses messages from this sender to this recipient */
function refuseMessage(sender: Person, recipient: Person) {
  if (!recipient.inboxOpen || recipient.id === sender.id) throw codedProblem(403, 349)
  const takesPremium = recipient.refusal === 'premium' && sender.verified
  if (recipient.refusal && !takesPremium) throw namedProblem(recipient.refusal)
}

/** Returns a text as some systems store it: in NFC, with single spaces and without emoji variation selectors. */
function normalized(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\uFE0F/gu, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim()
}

/** Returns the text of a body that has passed `checkRequest`. Attachments can come without text. */
function textOf(body: unknown): string {
  const { text, attachments = [] } = body as { text?: string; attachments?: unknown[] }
  const isSomething = text === undefined ? attachments.length > 0 : /\S/.test(text)
  if (isSomething && (text ?? '').length <= LONGEST_TEXT) return text ?? ''
  throw invalidRequest('text', text, `The text must have 1 to ${LONGEST_TEXT} characters`)
}
