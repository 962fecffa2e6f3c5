import { join } from 'node:path'
import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { type AppendLog, openAppendLog } from './append-log.ts'
import { addFaults, type RequestFault } from './faults.ts'
import { listenOnLoopback, listenOverTls, loopbackServer } from './loopback.ts'
import { type ActivityEntry, createActivity } from './x/activity.ts'
import { type AppsEntry, createApps } from './x/apps.ts'
import { addChatRoutes } from './x/chat-routes.ts'
import { type ChatEntry, createChats } from './x/chats.ts'
import { createCredits } from './x/credits.ts'
import { addDirectMessages } from './x/direct-messages.ts'
import { createLimits, dayLimitHeaders, limitHeaders } from './x/limits.ts'
import { createMessages, type MessageEntry, type Reaction } from './x/messages.ts'
import type { Network } from './x/network.ts'
import { addOAuth } from './x/oauth.ts'
import { answerProblem } from './x/openapi.ts'
import { createPageSessions, type PageSessionEntry } from './x/page-sessions.ts'
import { addPages } from './x/pages.ts'
import { answersInChat, createRegistry, personOf, type RegistryEntry } from './x/people.ts'
import { addPosts } from './x/posts.ts'
import {
  codedProblem,
  genericProblem,
  invalidRequest,
  namedProblem,
  PROBLEM_NAMES,
  Problem,
  type ProblemName,
} from './x/problems.ts'
import { createSwitches } from './x/switches.ts'
import { addTestEndpoints } from './x/test-endpoints.ts'
import { createTokens, type TokenEntry } from './x/tokens.ts'
import { addUsers } from './x/users.ts'

export type XOptions = {
  /** Defaults to any free port. */
  port?: number
  /** Folder for tokens and messages; in memory if unset. */
  stateDir?: string
  /** `real` enforces X's published rate limits. */
  limits?: 'off' | 'real'
  clientId?: string
  /** `null` makes the app a public client, which only sends its `client_id`. */
  clientSecret?: string | null
  /** The secret that signs webhook deliveries. */
  consumerSecret?: string
  /** The app-only token, which registers webhooks. */
  bearerToken?: string
  /** How long people take to read and answer a first message, in milliseconds. */
  answerAfterMs?: number
  /** The share of people who answer in X Chat, from 0 to 1. Defaults to 0. */
  chatShare?: number
  /** Checks each response against X's OpenAPI file. By default only in tests. */
  checksAnswers?: boolean
  /** The clock, in milliseconds since 1970. Tests can advance it. */
  now?: () => number
  /** Also serves TLS on another port, so that a browser accepts the stand-in as x.com. PEM texts. */
  tls?: { key: string; cert: string }
}

export type X = Awaited<ReturnType<typeof startX>>

type Entry = TokenEntry | MessageEntry | ChatEntry | ActivityEntry | AppsEntry | PageSessionEntry | RegistryEntry

/**
 * Starts a stand-in for X: API v2 (users, follows, direct messages), OAuth 2.0, and x.com's pages.
 * See README.md.
 */
export async function startX(options: XOptions = {}) {
  const { port = 0, stateDir, limits = 'off', clientId = 'x-automated', clientSecret = 'x-automated-secret' } = options
  const { answerAfterMs = 3000, chatShare = 0, now = Date.now, tls } = options
  const { checksAnswers = process.env.NODE_ENV === 'test' } = options
  const { consumerSecret = 'x-automated-consumer-secret', bearerToken = 'x-automated-bearer-token' } = options

  // Undefined during the replay, so that replayed entries are not written again.
  let log: AppendLog<Entry> | undefined
  const write = (entry: Entry) => log?.append(entry)
  const firstApp = { id: clientId, secret: clientSecret ?? undefined, consumerSecret, bearerToken }
  const apps = createApps(firstApp, write)
  const registry = createRegistry(write)
  const switches = createSwitches({ chat: { share: chatShare } })
  const tokens = createTokens(now, write)
  const sessions = createPageSessions(write)
  const activity = createActivity(apps, now, write)
  const chats = createChats({ now, write, onEvent: activity.chatted })
  const messages = createMessages({
    now,
    write,
    reactionOf,
    answerAfterMs,
    onSend: activity.sent,
    onRead: activity.read,
    hasChatted: chats.hasWritten,
    chat: (from, to, text) => chats.add({ from, to, text }),
  })
  log = openAppendLog<Entry>(stateDir && join(stateDir, 'x.jsonl'), (entry) => {
    if (entry.type === 'dm') messages.replay(entry)
    else if (entry.type === 'chat') chats.replay(entry)
    else if (entry.type === 'apps') apps.replay(entry)
    else if (entry.type === 'handle') registry.see(entry.handle)
    else if (entry.type === 'renamed') registry.rename(entry.key, entry.to)
    else if (entry.type === 'pageSession') sessions.replay(entry)
    else if (entry.type === 'webhook' || entry.type === 'webhookGone') activity.replay(entry)
    else if (entry.type === 'subscription' || entry.type === 'subscriptionGone') activity.replay(entry)
    else tokens.replay(entry)
  })

  /** Returns a person's reaction to a first message. Accounts that someone signed in to never react automatically. */
  function reactionOf(userId: string): Reaction | undefined {
    const writesThemselves = tokens.hasSignedIn(userId) || sessions.hasSignedIn(userId)
    const handle = writesThemselves ? undefined : registry.find(userId)
    const person = handle === undefined ? undefined : personOf(handle)
    return person?.reads
      ? { answer: person.answer, isInChat: person.hasChat && answersInChat(person, switches.chat.share) }
      : undefined
  }

  function problemOfFault(status: number | undefined, fault: RequestFault): Problem {
    const { code, problem, resetSeconds = 900, dayLimitOf } = fault
    const resetAt = now() + resetSeconds * 1000
    const headers = {
      ...(status === 429 && !dayLimitOf && limitHeaders(15, 0, resetAt)),
      ...(status === 429 && dayLimitOf && limitHeaders(15, 14, now() + 900_000)),
      ...(status === 429 && dayLimitOf && dayLimitHeaders(dayLimitOf, 1440, 0, resetAt)),
    }
    if (problem !== undefined) return namedProblem(problem as ProblemName, status, headers)
    if (code !== undefined) return codedProblem(status ?? 403, code, undefined, headers)
    return genericProblem(status ?? 500, headers)
  }

  const stopping = new AbortController()
  const app = loopbackServer(['x.com', 'api.x.com'])
  let address = { port: 0, url: '' }
  const network: Network = {
    url: () => address.url,
    now,
    registry,
    messages,
    chats,
    tokens,
    apps,
    credits: createCredits(now),
    switches,
    count: createLimits(limits === 'real', now, (clientId) => apps.find(clientId)?.messagesPerDay),
  }

  app.register(formbody)
  acceptEmptyJson(app)
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const problem = error instanceof Problem ? error : problemFrom(error)
    const { body } = problem
    reply.code(problem.status).headers(problem.headers)
    if (typeof body === 'string') return reply.type('text/html; charset=utf-8').send(body)
    const type = 'code' in body ? 'application/json; charset=utf-8' : 'application/problem+json'
    return reply.type(type).send(JSON.stringify(body))
  })
  app.setNotFoundHandler(() => {
    throw genericProblem(404)
  })
  const faults = addFaults(app, stopping.signal, problemOfFault, PROBLEM_NAMES)
  if (checksAnswers) checkAnswers(app)
  addOAuth(app, network, apps)
  apps.addRoutes(app)
  addUsers(app, network)
  addPosts(app, network)
  addDirectMessages(app, network)
  addChatRoutes(app, network)
  addPages(app, network, sessions)
  activity.addRoutes(app, network, faults)
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

/** Like X, accepts a PUT or DELETE that announces JSON but has no body, which X's own clients send. */
function acceptEmptyJson(app: FastifyInstance) {
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, null)
    try {
      done(null, JSON.parse(String(text)))
    } catch (error) {
      done(Object.assign(error as Error, { statusCode: 400 }))
    }
  })
}

/** Replaces a response that X's OpenAPI file does not allow with a 500 and the reason: it is a bug in the stand-in. */
function checkAnswers(app: FastifyInstance) {
  app.addHook('preSerialization', async (request, reply, payload) => {
    const problem = answerProblem(request.method, request.routeOptions.url ?? '', reply.statusCode, payload)
    if (problem !== undefined && !reply.isOddOnPurpose) throw new Error(`X would not answer this. ${problem}`)
    return payload
  })
}

function problemFrom(error: Error & { statusCode?: number }): Problem {
  const status = error.statusCode ?? 500
  if (status === 500) console.error(error)
  return status === 400 ? invalidRequest('body', '', error.message) : genericProblem(status)
}
