import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { signInPage } from './authorize-page.ts'
import { HANDLE } from './ids.ts'
import { conversationId, type Message } from './messages.ts'
import { type Network, personByHandle, personById, signedInBy } from './network.ts'
import type { PageSessions } from './page-sessions.ts'
import { existenceOf, type Person, personOf } from './people.ts'
import { codedProblem, genericProblem } from './problems.ts'

const Pages = z.strictObject({
  /**
   * The variant of the pages: X's current `chat`; `slow`; asking for a `passcode` or for a new one
   * (`passcode_new`); a message `request`; the chat in a `drawer`; `unclear` closed inboxes;
   * profiles with `no_id`; other names for all parts (`changed`).
   */
  markup: z
    .enum(['chat', 'slow', 'passcode', 'passcode_new', 'request', 'drawer', 'unclear', 'no_id', 'changed'])
    .default('chat'),
  /** The only kind of input that the composer accepts. */
  typing: z.enum(['any', 'command', 'paste', 'setter']).default('any'),
})

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const LONGEST_TEXT = 10_000
const CONVERSATION = /^(\d{1,19})-(\d{1,19})$/

const file = (name: string) => readFileSync(new URL(`pages/${name}`, import.meta.url), 'utf8')

/**
 * Adds the pages of x.com: profiles and conversations, rendered by one script, as on X. The pages
 * and the API share one store of messages.
 */
export function addPages(app: FastifyInstance, network: Network, sessions: PageSessions) {
  let pages = Pages.parse({})
  const shell = file('shell.html')

  const showShell = (reply: FastifyReply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' })
      .send(shell)

  for (const [name, type] of Object.entries({
    'page.js': 'javascript',
    'page.css': 'css',
  })) {
    const content = file(name)
    app.get(`/i/assets/${name}`, (_request, reply) => reply.type(`text/${type}; charset=utf-8`).send(content))
  }

  app.get('/', (request, reply) => reply.redirect(sessions.userOf(request) ? '/home' : '/i/flow/login', 302))
  app.get('/login', (_request, reply) => reply.redirect('/i/flow/login', 302))

  // The former URL of messages.
  app.get('/messages', (_request, reply) => reply.redirect('/i/chat', 302))
  app.get<{ Params: { '*': string } }>('/messages/*', (request, reply) =>
    reply.redirect(`/i/chat/${request.params['*']}`, 302),
  )

  // Private pages redirect to the sign-in page.
  for (const path of ['/home', '/i/chat', '/i/chat/*']) {
    app.get(path, (request, reply) => {
      if (sessions.userOf(request)) return showShell(reply)
      return reply.redirect(`/i/flow/login?redirect_after_login=${encodeURIComponent(request.url)}`, 302)
    })
  }

  app.get<{ Params: { handle: string } }>('/:handle', (request, reply) => {
    if (!HANDLE.test(request.params.handle)) throw genericProblem(404)
    return showShell(reply)
  })

  type SignIn = { Querystring: { redirect_after_login?: string }; Body: Record<string, string> | null }
  app.get<SignIn>('/i/flow/login', (request, reply) => signInPage(reply, ownPath(request.query.redirect_after_login)))
  app.post<SignIn>('/i/flow/login', (request, reply) => {
    const { username = '', password = '', next } = request.body ?? {}
    const userId = signedInBy(network, username, password)
    if (userId === undefined) return signInPage(reply, ownPath(next), username)
    return reply.header('set-cookie', sessions.open(userId)).redirect(ownPath(next), 303)
  })
  app.post('/logout', (request, reply) => reply.header('set-cookie', sessions.close(request)).redirect('/', 303))

  /** The script's API. It is our own, because X's API for its pages is large and private. */
  app.get('/i/api/viewer', async (request) => {
    const viewer = viewerOf(request)
    return { ...pages, viewer: viewer ? { id: viewer.id, handle: viewer.handle, name: viewer.name } : null }
  })

  app.get<{ Params: { handle: string } }>('/i/api/profiles/:handle', async (request) => {
    const { handle } = request.params
    if (!HANDLE.test(handle)) throw genericProblem(404)
    const match = personByHandle(network, handle)
    if ('error' in match) return { existence: existenceOf(handle) }
    const viewer = viewerOf(request)
    const { id, name, bio, location, followerCount, followingCount, inboxOpen } = match.person
    const isOther = viewer !== undefined && viewer.id !== id
    return {
      ...{ existence: 'there', id, handle: match.person.handle, name, bio, location, followerCount, followingCount },
      ...{ isProtected: match.person.protected, inboxOpen },
      conversationId: isOther ? conversationId(viewer.id, id) : null,
    }
  })

  app.get<{ Params: { id: string } }>('/i/api/conversations/:id', async (request) => {
    const viewer = viewerOrRefusal(request)
    const peer = peerOf(viewer, request.params.id)
    const messages = network.messages.ofConversation(viewer.id, peer.id)
    const { id, handle, name, bio } = peer
    return {
      peer: { id, handle, name, bio },
      canWrite: peer.inboxOpen,
      messages: messages.map((message) => toPageMessage(message, viewer)),
    }
  })

  /**
   * X's path, but our own body. Like X, sends once per `request_id`, because browsers repeat
   * requests after a lost connection.
   */
  type Sending = { conversation_id?: unknown; text?: unknown; request_id?: unknown }
  const sentMessages = new Map<string, Message>()
  app.post<{ Body: Sending | null }>('/i/api/1.1/dm/new2.json', async (request) => {
    const viewer = viewerOrRefusal(request)
    const { conversation_id: conversation, text, request_id: requestId } = request.body ?? {}
    if (typeof conversation !== 'string' || typeof text !== 'string') throw genericProblem(400)
    if (typeof requestId !== 'string' || text.trim() === '' || text.length > LONGEST_TEXT) throw genericProblem(400)
    const peer = peerOf(viewer, conversation)
    if (!peer.inboxOpen) throw codedProblem(403, 349)
    const key = `${viewer.id} ${requestId}`
    const message = sentMessages.get(key) ?? network.messages.send(viewer.id, peer.id, text)
    sentMessages.set(key, message)
    return toPageMessage(message, viewer)
  })

  app.get('/_pages', async () => pages)
  app.put('/_pages', async (request, reply) => {
    const parsed = Pages.safeParse(request.body)
    if (!parsed.success) return reply.code(400).send({ error: z.prettifyError(parsed.error) })
    pages = parsed.data
    return pages
  })

  function viewerOf(request: FastifyRequest): Person | undefined {
    const userId = sessions.userOf(request)
    const handle = userId === undefined ? undefined : network.registry.find(userId)
    return handle === undefined ? undefined : personOf(handle)
  }

  function viewerOrRefusal(request: FastifyRequest): Person {
    const viewer = viewerOf(request)
    if (!viewer) throw genericProblem(401)
    return viewer
  }

  function personOrRefusal(id: string): Person {
    const match = /^\d{1,19}$/.test(id) ? personById(network, id) : undefined
    if (!match || 'error' in match) throw genericProblem(404)
    return match.person
  }

  function peerOf(viewer: Person, conversation: string): Person {
    const [, first, other] = CONVERSATION.exec(conversation) ?? []
    const peer = first === viewer.id ? other : other === viewer.id ? first : undefined
    if (peer === undefined || peer === viewer.id) throw genericProblem(404)
    return personOrRefusal(peer)
  }
}

function toPageMessage(message: Message, viewer: Person) {
  return {
    id: message.id,
    mine: message.from === viewer.id,
    text: message.text,
    at: new Date(message.at).toISOString(),
  }
}

/** Returns the path if it is on this site, else `/home`. */
function ownPath(path = '/home'): string {
  return /^\/(?![/\\])/.test(path) ? path : '/home'
}
