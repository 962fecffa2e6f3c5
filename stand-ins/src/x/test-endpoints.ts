import type { FastifyInstance } from 'fastify'
import type { Activity } from './activity.ts'
import { HANDLE, idOfHandle } from './ids.ts'
import type { Message } from './messages.ts'
import { type Network, personByHandle } from './network.ts'

/** Endpoints for tests: the log of messages, and ways to make people reply and read. */
export function addTestEndpoints(app: FastifyInstance, network: Network, activity: Activity) {
  const handleOf = (id: string) => network.registry.find(id) ?? id
  const entryOf = ({ id, from, to, text, at }: Message) => {
    return { id, from: handleOf(from), to: handleOf(to), text, at: new Date(at).toISOString() }
  }

  app.get<{ Querystring: { to?: string; from?: string } }>('/_log/dms', async (request) => {
    const to = idOf(request.query.to)
    const from = idOf(request.query.from)
    const one = to ?? from
    const messages = one === undefined ? network.messages.all() : network.messages.ofUser(one)
    return messages
      .filter((message) => (to === undefined || message.to === to) && (from === undefined || message.from === from))
      .map(entryOf)
  })

  type Reply = { Params: { handle: string }; Body: { to?: unknown; text?: unknown; isEncrypted?: boolean } | null }
  app.post<Reply>('/_people/:handle/reply', async (request, reply) => {
    const { to, text, isEncrypted = false } = request.body ?? {}
    if (typeof to !== 'string' || typeof text !== 'string' || (text === '') !== isEncrypted) {
      return reply
        .code(400)
        .send({ error: 'The body is { "to": handle, "text": string }, without text if "isEncrypted"' })
    }
    const people = []
    for (const given of [request.params.handle, to]) {
      const handle = given.replace(/^@/, '')
      const found = HANDLE.test(handle) ? personByHandle(network, handle) : undefined
      if (!found || 'error' in found) return reply.code(404).send({ error: `Unknown handle: ${given}` })
      people.push(found.person.id)
    }
    const [sender, receiver] = people as [string, string]
    reply.code(201)
    if (!isEncrypted) return entryOf(network.messages.send(sender, receiver, text))
    activity.chatted(sender, receiver, network.now())
    return {}
  })

  /** Marks all messages from one person to another as read. */
  app.post<Reply>('/_people/:handle/read', async (request, reply) => {
    const reader = idOf(request.params.handle) ?? ''
    const author = idOf(String(request.body?.to ?? '')) ?? ''
    const last = network.messages.ofConversation(reader, author).findLast(({ from }) => from === author)
    if (!last) return reply.code(404).send({ error: 'There is nothing to read' })
    activity.read(last, network.now())
    return entryOf(last)
  })
}

/** An invalid handle matches nobody. */
function idOf(handle: string | undefined): string | undefined {
  if (handle === undefined) return undefined
  const name = handle.replace(/^@/, '')
  return HANDLE.test(name) ? idOfHandle(name) : 'nobody'
}
