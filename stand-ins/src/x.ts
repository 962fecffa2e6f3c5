import { join } from 'node:path'
import formbody from '@fastify/formbody'
import { type AppendLog, openAppendLog } from './append-log.ts'
import { listenOnLoopback, listenOverTls, loopbackServer, type Secure } from './loopback.ts'
import { type ActivityEntry, createActivity } from './x/activity.ts'
import { addDirectMessages } from './x/direct-messages.ts'
import { addFaults } from './x/faults.ts'
import { createLimits } from './x/limits.ts'
import { createMessages, type MessageEntry, type Reaction } from './x/messages.ts'
import type { Network } from './x/network.ts'
import { addOAuth } from './x/oauth.ts'
import { createPageSessions, type PageSessionEntry } from './x/page-sessions.ts'
import { addPages } from './x/pages.ts'
import { createRegistry, personOf } from './x/people.ts'
import { genericProblem, invalidRequest, Problem } from './x/problems.ts'
import { addTestEndpoints } from './x/test-endpoints.ts'
import { createTokens, type TokenEntry } from './x/tokens.ts'
import { addUsers } from './x/users.ts'

export type XOptions = {
  /** 0 (the default) takes a free one. */
  port?: number
  /** Where tokens and messages are kept. Without it they die with the process. */
  stateDir?: string
  /** `real` enforces the rate limits that X publishes. */
  limits?: 'off' | 'real'
  clientId?: string
  /** `null` makes the app a public client, which names itself by `client_id` alone. */
  clientSecret?: string | null
  /** Signs what X tells webhooks. */
  consumerSecret?: string
  /** The app's own token: it registers webhooks. */
  bearerToken?: string
  /** How long people take to read and answer a first message. */
  answerAfterMs?: number
  /** The clock, in milliseconds since 1970: tests move it on. */
  now?: () => number
  /** Answers over TLS too, on a port of its own: so that a browser takes it for x.com. PEM texts. */
  tls?: { key: string; cert: string }
}

export type X = {
  url: string
  port: number
  tlsPort: number | undefined
  clientId: string
  clientSecret: string | null
  consumerSecret: string
  bearerToken: string
  close(): Promise<void>
}

type Entry = TokenEntry | MessageEntry | ActivityEntry | PageSessionEntry | { type: 'handle'; handle: string }

/**
 * Starts the stand-in for X on the loopback address: X API v2 for users, follows and direct messages, OAuth 2.0, and
 * x.com's pages of profiles and conversations.
 * Its people follow from their handles; README.md tells the rules. What it has answered for survives `kill -9`.
 */
export async function startX(options: XOptions = {}): Promise<X> {
  const { port = 0, stateDir, limits = 'off', clientId = 'x-automated', clientSecret = 'x-automated-secret' } = options
  const { answerAfterMs = 3000, now = Date.now, tls } = options
  const { consumerSecret = 'x-automated-consumer-secret', bearerToken = 'x-automated-bearer-token' } = options

  // While the log is replayed there is none yet, so nothing is written twice.
  let log: AppendLog<Entry> | undefined
  const write = (entry: Entry) => log?.append(entry)
  const registry = createRegistry((handle) => write({ type: 'handle', handle }))
  const tokens = createTokens(now, write)
  const sessions = createPageSessions(write)
  const activity = createActivity(now, write, { consumerSecret, bearerToken })
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
    else if (entry.type === 'handle') registry.see(entry.handle)
    else if (entry.type === 'pageSession') sessions.replay(entry)
    else if (entry.type === 'webhook' || entry.type === 'webhookGone') activity.replay(entry)
    else if (entry.type === 'subscription' || entry.type === 'subscriptionGone') activity.replay(entry)
    else tokens.replay(entry)
  })

  /** Who signed in reads and writes for themselves; of the others some read, and some answer. */
  function reactionOf(userId: string): Reaction | undefined {
    const writesThemselves = tokens.hasSignedIn(userId) || sessions.hasSignedIn(userId)
    const handle = writesThemselves ? undefined : registry.find(userId)
    const person = handle === undefined ? undefined : personOf(handle)
    return person?.reads ? { answer: person.answer } : undefined
  }

  const stopping = new AbortController()
  const app = loopbackServer(['x.com', 'api.x.com'])
  let address = { port: 0, url: '' }
  let secure: Secure | undefined
  const network: Network = {
    url: () => address.url,
    now,
    registry,
    messages,
    tokens,
    count: createLimits(limits === 'real', now),
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
  addFaults(app, now, stopping.signal)
  addOAuth(app, network, { id: clientId, secret: clientSecret ?? undefined })
  addUsers(app, network)
  addDirectMessages(app, network)
  addPages(app, network, sessions)
  activity.addRoutes(app, network)
  addTestEndpoints(app, network, activity)

  try {
    address = await listenOnLoopback(app, port)
    secure = tls && (await listenOverTls(app, tls))
  } catch (error) {
    log.close()
    throw error
  }
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
      log?.close()
    },
  }
}

function problemFrom(error: Error & { statusCode?: number }): Problem {
  const status = error.statusCode ?? 500
  if (status === 500) console.error(error)
  return status === 400 ? invalidRequest('body', '', error.message) : genericProblem(status)
}
