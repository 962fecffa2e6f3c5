import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Activity } from './activity.ts'
import { CHAT_KINDS, type ChatEvent, encodeEvent, FAILURES } from './chat-events.ts'
import { HANDLE, idOfHandle } from './ids.ts'
import type { Message } from './messages.ts'
import { type Network, personByHandle } from './network.ts'
import type { Person } from './people.ts'
import { addSwitches } from './switches.ts'

const ChatBody = z.strictObject({
  to: z.string(),
  kind: z.enum(CHAT_KINDS).default('message'),
  text: z.string().default(''),
  /** A group's id, which begins with g. */
  group: z
    .string()
    .regex(/^g\d{1,19}$/)
    .optional(),
  failure: z.enum(FAILURES).optional(),
  messageId: z.string().min(1).max(100).optional(),
})
const Cents = z.strictObject({ cents: z.number().min(0).nullable(), clientId: z.string().optional() })

/** Adds endpoints for tests: logs, switches, and ways to make people act. */
export function addTestEndpoints(app: FastifyInstance, network: Network, activity: Activity) {
  const { registry, messages, chats, credits, apps } = network
  const handleOf = (id: string) => {
    const key = registry.find(id)
    return key === undefined ? id : (registry.handleOf(key) ?? id)
  }
  const entryOf = ({ id, from, to, text, at }: Message) => {
    return { id, from: handleOf(from), to: handleOf(to), text, at: new Date(at).toISOString() }
  }
  const chatEntryOf = ({ from, to, at, ...event }: ChatEvent) => {
    const encodedEvent = encodeEvent({ from, to, at, ...event })
    return { ...event, from: handleOf(from), to: handleOf(to), at: new Date(at).toISOString(), encodedEvent }
  }
  /** Returns the id for a handle. A handle that nobody has gets an id that matches nobody. */
  const idOf = (handle: string | undefined) => {
    if (handle === undefined) return undefined
    const name = handle.replace(/^@/, '')
    const key = HANDLE.test(name) ? registry.holderOf(name) : undefined
    return key === undefined ? 'nobody' : idOfHandle(key)
  }
  /** Returns the person with this handle. Sends a 404 if there is none. */
  const personOrReply = (handle: string, reply: FastifyReply): Person | undefined => {
    const name = handle.replace(/^@/, '')
    const result = HANDLE.test(name) ? personByHandle(network, name) : undefined
    if (result && 'person' in result) return result.person
    reply.code(404).send({ error: `Unknown handle: ${handle}` })
    return undefined
  }

  type Log = { Querystring: { to?: string; from?: string } }
  const isBetween = ({ to, from }: Log['Querystring']) => {
    const [receiver, sender] = [idOf(to), idOf(from)]
    return (message: { to: string; from: string }) =>
      (receiver === undefined || message.to === receiver) && (sender === undefined || message.from === sender)
  }
  app.get<Log>('/_log/dms', async ({ query }) => {
    const id = idOf(query.to) ?? idOf(query.from)
    const all = id === undefined ? messages.all() : messages.ofUser(id)
    return all.filter(isBetween(query)).map(entryOf)
  })
  app.get<Log>('/_log/chats', async ({ query }) => chats.all().filter(isBetween(query)).map(chatEntryOf))

  type Reply = { Params: { handle: string }; Body: { to?: unknown; text?: unknown; isEncrypted?: boolean } | null }
  app.post<Reply>('/_people/:handle/reply', async (request, reply) => {
    const { to, text, isEncrypted = false } = request.body ?? {}
    if (typeof to !== 'string' || typeof text !== 'string' || (text === '') !== isEncrypted) {
      return reply
        .code(400)
        .send({ error: 'The body is { "to": handle, "text": string }, without text if "isEncrypted"' })
    }
    const sender = personOrReply(request.params.handle, reply)
    const receiver = sender && personOrReply(to, reply)
    if (!receiver) return reply
    reply.code(201)
    if (!isEncrypted) return entryOf(messages.send(sender.id, receiver.id, text))
    return chatEntryOf(chats.add({ from: sender.id, to: receiver.id }))
  })

  /** Adds an event in X Chat from one person to another, such as a message. */
  app.post<{ Params: { handle: string } }>('/_people/:handle/chat', async (request, reply) => {
    const { data, error } = ChatBody.safeParse(request.body)
    if (error) return reply.code(400).send({ error: z.prettifyError(error) })
    const sender = personOrReply(request.params.handle, reply)
    const receiver = sender && personOrReply(data.to, reply)
    if (!receiver) return reply
    reply.code(201)
    return chatEntryOf(chats.add({ ...data, from: sender.id, to: receiver.id }))
  })

  /** Marks all messages from one person to another as read. */
  app.post<Reply>('/_people/:handle/read', async (request, reply) => {
    const reader = idOf(request.params.handle) ?? ''
    const author = idOf(String(request.body?.to ?? '')) ?? ''
    const isUnknown = reader === 'nobody' || author === 'nobody'
    const last = isUnknown ? undefined : messages.ofConversation(reader, author).findLast(({ from }) => from === author)
    if (!last) return reply.code(404).send({ error: 'There is nothing to read' })
    activity.read(last, network.now())
    return entryOf(last)
  })

  /** Gives a person another handle. Their former handle becomes free, and anyone who had the new one disappears. */
  app.post<{ Params: { handle: string }; Body: { to?: unknown } | null }>(
    '/_people/:handle/rename',
    async (request, reply) => {
      const to = String(request.body?.to ?? '').replace(/^@/, '')
      if (!HANDLE.test(to)) return reply.code(400).send({ error: 'The body is { "to": handle }' })
      const person = personOrReply(request.params.handle, reply)
      if (!person) return reply
      registry.rename(person.key, to)
      activity.renamed(person.id, person.handle, to)
      return { id: person.id, handle: to }
    },
  )

  /** An app's remaining credits, by default the first app's. PUT sets them, and resets what was spent. */
  app.get<{ Querystring: { clientId?: string } }>('/_credits', async ({ query }) =>
    credits.of(query.clientId ?? apps.first.id),
  )
  app.put('/_credits', async (request, reply) => {
    const { data, error } = Cents.safeParse(request.body)
    if (error) return reply.code(400).send({ error: z.prettifyError(error) })
    const appId = data.clientId ?? apps.first.id
    credits.set(appId, data.cents)
    return credits.of(appId)
  })

  addSwitches(app, network.switches)
}
