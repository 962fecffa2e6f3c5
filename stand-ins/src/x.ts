import { join } from 'node:path'
import formbody from '@fastify/formbody'
import { type AppendLog, openAppendLog } from './append-log.ts'
import { addFaults } from './faults.ts'
import { listenOnLoopback, listenOverTls, loopbackServer } from './loopback.ts'
import { type ActivityEntry, createActivity } from './x/activity.ts'
import { type AppsEntry, createApps } from './x/apps.ts'
import { addDirectMessages } from './x/direct-messages.ts'
import { createLimits, limitHeaders } from './x/limits.ts'
import { createMessages, type MessageEntry, type Reaction } from './x/messages.ts'
import type { Network } from './x/network.ts'
import { addOAuth } from './x/oauth.ts'
import { createPageSessions, type PageSessionEntry } from './x/page-sessions.ts'
import { addPages } from './x/pages.ts'
import { createRegistry, personOf } from './x/people.ts'
import { addPosts } from './x/posts.ts'
import { codedProblem, genericProblem, invalidRequest, Problem } from './x/problems.ts'
import { addTestEndpoints } from './x/test-endpoints.ts'
import { createTokens, type TokenEntry } from './x/tokens.ts'
import { addUsers } from './x/users.ts'

export type XOptions = {
  /** Default 0: any free port. */
  port?: number
  /** Folder for tokens and messages; in memory if unset. */
  stateDir?: string
  /** `real` enforces X's published rate limits. */
  limits?: 'off' | 'real'
  clientId?: string
  /** `null` makes the app a public client, which sends only its `client_id`. */
  clientSecret?: string | null
  /** Signs webhook deliveries. */
  consumerSecret?: string
  /** The app's token, which registers webhooks. */
  bearerToken?: string
  /** How long people take to read and answer a first message, in milliseconds. */
  answerAfterMs?: number
  /** The clock, in milliseconds since 1970, which tests can advance. */
  now?: () => number
  /** Serves TLS on another port, so that a browser accepts it as x.com. PEM texts. */
  tls?: { key: string; cert: string }
}

export type X = Awaited<ReturnType<typeof startX>>

type Entry =
  | TokenEntry
  | MessageEntry
  | ActivityEntry
  | AppsEntry
  | PageSessionEntry
  | { type: 'handle'; handle: string }

/**
 * Starts a stand-in for X: API v2 (users, follows, direct messages), OAuth 2.0, and x.com's pages.
 * See README.md.
 */
export async function startX(options: XOptions = {}) {
  const { port = 0, stateDir, limits = 'off', clientId = 'x-automated', clientSecret = 'x-automated-secret' } = options
  const { answerAfterMs = 3000, now = Date.now, tls } = options
  const { consumerSecret = 'x-automated-consumer-secret', bearerToken = 'x-automated-bearer-token' } = options

  // Undefined during the replay, so that nothing is written twice.
  let log: AppendLog<Entry> | undefined
  const write = (entry: Entry) => log?.append(entry)
  const registry = createRegistry((handle) => write({ type: 'handle', handle }))
  const tokens = createTokens(now, write)
  const sessions = createPageSessions(write)
  const apps = createApps({ id: clientId, secret: clientSecret ?? undefined, consumerSecret, bearerToken }, write)
  const activity = createActivity(now, write, apps)
  const messages = createMessages({
    now,
    write,
    reactionOf,
    answerAfterMs,
    onSend: activity.sent,
    onRead: activity.read,
  })
  log = openAppendLog<Entry>(stateDir && join(stateDir, 'x.jsonl'), (entry) => {
    if (entry.type === 'dm') messages.replay(entry)
    else if (entry.type === 'apps') apps.replay(entry)
    else if (entry.type === 'handle') registry.see(entry.handle)
    else if (entry.type === 'pageSession') sessions.replay(entry)
    else if (entry.type === 'webhook' || entry.type === 'webhookGone') activity.replay(entry)
    else if (entry.type === 'subscription' || entry.type === 'subscriptionGone') activity.replay(entry)
    else tokens.replay(entry)
  })

  /**
   * What a person does on a first message. Accounts that someone signed in to never react on their
   * own.
   */
  function reactionOf(userId: string): Reaction | undefined {
    const writesThemselves = tokens.hasSignedIn(userId) || sessions.hasSignedIn(userId)
    const handle = writesThemselves ? undefined : registry.find(userId)
    const person = handle === undefined ? undefined : personOf(handle)
    return person?.reads ? { answer: person.answer } : undefined
  }

  const stopping = new AbortController()
  const app = loopbackServer(['x.com', 'api.x.com'])
  let address = { port: 0, url: '' }
  const network: Network = {
    url: () => address.url,
    now,
    registry,
    messages,
    tokens,
    count: createLimits(limits === 'real', now, (clientId) => apps.find(clientId)?.messagesPerDay),
  }

  app.register(formbody)
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const problem = error instanceof Problem ? error : problemFrom(error)
    const type = 'code' in problem.body ? 'application/json; charset=utf-8' : 'application/problem+json'
    return reply.code(problem.status).headers(problem.headers).type(type).send(JSON.stringify(problem.body))
  })
  app.setNotFoundHandler(() => {
    throw genericProblem(404)
  })
  addFaults(app, stopping.signal, (status, { code, resetSeconds = 900 }) => {
    if (code !== undefined) return codedProblem(status, code)
    return genericProblem(status, status === 429 ? limitHeaders(15, 0, now() + resetSeconds * 1000) : undefined)
  })
  addOAuth(app, network, apps)
  apps.addRoutes(app)
  addUsers(app, network)
  addPosts(app, network)
  addDirectMessages(app, network)
  addPages(app, network, sessions)
  activity.addRoutes(app, network)
  addTestEndpoints(app, network, activity)

  app.addHook('onClose', async () => log?.close())
  address = await listenOnLoopback(app, port)
  const secure = tls && (await listenOverTls(app, tls))
  messages.resume()

  return {
    ...address,
    tlsPort: secure?.port,
    clientId,
    clientSecret,
    consumerSecret,
    bearerToken,
    async close() {
      stopping.abort()
      messages.stop()
      await activity.stop()
      await Promise.all([app.close(), secure?.close()])
    },
  }
}

function problemFrom(error: Error & { statusCode?: number }): Problem {
  const status = error.statusCode ?? 500
  if (status === 500) console.error(error)
  return status === 400 ? invalidRequest('body', '', error.message) : genericProblem(status)
}
