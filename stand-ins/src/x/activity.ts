import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App, Apps } from './apps.ts'
import { conversationId, type Message } from './messages.ts'
import { callerOf, grantOf, type Network, personById } from './network.ts'
import { genericProblem, invalidRequest, Problem } from './problems.ts'
import { readId } from './queries.ts'
import { userJson } from './users.ts'

// X's webhooks and Activity API (docs.x.com/x-api/webhooks, /x-api/activity). An app's webhooks
// must pass a challenge. They get the signed events of accounts that subscribe with their token.

/** `clientId`: whose it is; left out by entries from before several apps were possible. */
type Webhook = { id: string; clientId?: string; url: string; valid: boolean; createdAt: number }
type Subscription = {
  id: string
  clientId?: string
  eventType: string
  userId: string
  webhookId: string | undefined
  tag: string | undefined
  createdAt: number
}

/** Stored on disk, so that registrations survive a restart. */
export type ActivityEntry =
  | ({ type: 'webhook' } & Webhook)
  | { type: 'webhookGone'; id: string }
  | ({ type: 'subscription' } & Subscription)
  | { type: 'subscriptionGone'; id: string }

/** The supported event types of X. */
const EVENT_TYPES = ['dm.received', 'dm.sent', 'dm.read', 'chat.received', 'chat.sent']
const WEBHOOKS_MAX = 5
const ANSWER_WITHIN_MS = 10_000
/** X does not document its retries. */
const RETRY_AFTER_MS = [500, 2_000, 5_000]

const NewSubscription = z.object({
  event_type: z.enum(EVENT_TYPES),
  filter: z.object({ user_id: z.string().regex(/^\d{1,19}$/) }),
  tag: z.string().max(200).optional(),
  webhook_id: z.string().optional(),
})

export type Activity = ReturnType<typeof createActivity>

export function createActivity(now: () => number, write: (entry: ActivityEntry) => void, apps: Apps) {
  const webhooks = new Map<string, Webhook>()
  const subscriptions = new Map<string, Subscription>()
  const stopping = new AbortController()
  /** Deliveries to a webhook run one at a time. */
  const lines = new Map<string, Promise<void>>()
  let network: Network | undefined
  let lastId = 0n

  const nextId = () => {
    const id = BigInt(now()) << 20n
    lastId = id > lastId ? id : lastId + 1n
    return String(lastId)
  }
  const sign = (clientId: string | undefined, text: string) => {
    const consumerSecret = (apps.find(clientId) ?? apps.first).consumerSecret
    return `sha256=${createHmac('sha256', consumerSecret).update(text).digest('base64')}`
  }
  const isOf = (app: App) => (one: { clientId?: string }) => (one.clientId ?? apps.first.id) === app.id
  const webhooksOf = (app: App) => [...webhooks.values()].filter(isOf(app))
  const subscriptionsOf = (app: App) => [...subscriptions.values()].filter(isOf(app))

  function replay(entry: ActivityEntry) {
    if (entry.type === 'webhook') webhooks.set(entry.id, entry)
    else if (entry.type === 'webhookGone') webhooks.delete(entry.id)
    else if (entry.type === 'subscription') subscriptions.set(entry.id, entry)
    else subscriptions.delete(entry.id)
  }
  function record(entry: ActivityEntry) {
    write(entry)
    replay(entry)
  }

  /** Challenge-response check. */
  async function passesCheck(app: App, url: string): Promise<boolean> {
    const token = randomBytes(18).toString('base64url')
    const asked = new URL(url)
    asked.searchParams.set('crc_token', token)
    asked.searchParams.set('nonce', randomBytes(12).toString('base64url'))
    try {
      const response = await fetch(asked, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), redirect: 'error' })
      const body = (await response.json()) as { response_token?: string }
      return response.ok && body.response_token === sign(app.id, token)
    } catch {
      return false
    }
  }

  function emit(eventType: string, userId: string, payload: object) {
    for (const subscription of subscriptions.values()) {
      if (subscription.eventType !== eventType || subscription.userId !== userId) continue
      const { webhookId, tag } = subscription
      if (webhookId === undefined) continue
      const data = { event_uuid: nextId(), filter: { user_id: userId }, event_type: eventType, tag, payload }
      const line = lines.get(webhookId) ?? Promise.resolve()
      lines.set(
        webhookId,
        line.then(() => deliver(webhookId, JSON.stringify({ data }))),
      )
    }
  }

  async function deliver(webhookId: string, body: string): Promise<void> {
    for (const wait of [0, ...RETRY_AFTER_MS]) {
      if (wait > 0) await sleep(wait, undefined, { signal: stopping.signal }).catch(() => {})
      const webhook = webhooks.get(webhookId)
      if (!webhook?.valid || stopping.signal.aborted) return
      try {
        const response = await fetch(webhook.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-twitter-webhooks-signature': sign(webhook.clientId, body) },
          body,
          redirect: 'error',
          signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
        })
        await response.arrayBuffer()
        if (response.ok) return
      } catch {
        // Retried below.
      }
    }
  }

  function usersOf(ids: string[]) {
    const users = ids.flatMap((id) => {
      const found = network && personById(network, id)
      if (!network || !found || 'error' in found) return []
      return [[id, { data: userJson(network, found.person, new Set(), found.person) }]]
    })
    return Object.fromEntries(users)
  }

  function sent(message: Message) {
    const payload = {
      direct_message_events: [
        {
          type: 'message_create',
          id: message.id,
          created_timestamp: String(message.at),
          message_create: {
            target: { recipient_id: message.to },
            sender_id: message.from,
            message_data: {
              text: message.text,
              entities: { hashtags: [], symbols: [], user_mentions: [], urls: [] },
            },
          },
        },
      ],
      users: usersOf([message.from, message.to]),
    }
    emit('dm.sent', message.from, payload)
    emit('dm.received', message.to, payload)
  }

  // X documents no example of this payload, so it follows the Account Activity API, like the
  // messages above.
  function read(message: Message, at: number) {
    emit('dm.read', message.from, {
      direct_message_mark_read_events: [
        {
          created_timestamp: String(at),
          sender_id: message.to,
          target: { recipient_id: message.from },
          last_read_event_id: message.id,
        },
      ],
      users: usersOf([message.from, message.to]),
    })
  }

  /** An encrypted message. X names only its conversation, and encrypts the text for its members. */
  function chatted(from: string, to: string, at: number) {
    const payload = {
      id: nextId(),
      conversation_id: conversationId(from, to),
      sender_id: from,
      created_at_msec: String(at),
      encoded_event: randomBytes(96).toString('base64'),
    }
    emit('chat.sent', from, payload)
    emit('chat.received', to, payload)
  }

  function webhookOf(request: FastifyRequest, app: App): Webhook {
    const { webhook_id } = request.params as { webhook_id: string }
    const webhook = webhooks.get(readId('webhook_id', webhook_id))
    if (!webhook || !isOf(app)(webhook)) throw rejected('WebhookIdInvalid', 'The webhook does not belong to this app.')
    return webhook
  }

  function addRoutes(app: FastifyInstance, given: Network) {
    network = given

    app.get('/2/webhooks', async (request) => {
      const data = webhooksOf(apps.ofBearer(request)).map(webhookJson)
      return { data, meta: { result_count: data.length } }
    })

    app.post('/2/webhooks', async (request) => {
      const by = apps.ofBearer(request)
      const { url } = (request.body ?? {}) as { url?: unknown }
      if (typeof url !== 'string' || !isAllowedUrl(url))
        throw rejected('UrlValidationFailed', 'The URL must be https, public, and without a port.')
      const own = webhooksOf(by)
      if (own.some((one) => one.url === url)) throw rejected('DuplicateUrlFailed', 'This URL is already registered.')
      if (own.length >= WEBHOOKS_MAX) throw rejected('WebhookLimitExceeded', 'The webhook limit is reached.')
      if (!(await passesCheck(by, url))) throw rejected('CrcValidationFailed', 'The URL did not pass the challenge.')
      const webhook = { id: nextId(), clientId: by.id, url, valid: true, createdAt: now() }
      record({ type: 'webhook', ...webhook })
      return { data: webhookJson(webhook) }
    })

    app.put('/2/webhooks/:webhook_id', async (request) => {
      const by = apps.ofBearer(request)
      const webhook = webhookOf(request, by)
      const valid = await passesCheck(by, webhook.url)
      record({ type: 'webhook', ...webhook, valid })
      if (!valid) throw rejected('CrcValidationFailed', 'The URL did not pass the challenge.')
      return { data: { valid } }
    })

    app.delete('/2/webhooks/:webhook_id', async (request) => {
      record({ type: 'webhookGone', id: webhookOf(request, apps.ofBearer(request)).id })
      return { data: { deleted: true } }
    })

    app.get('/2/activity/subscriptions', async (request) => {
      const data = subscriptionsOf(apps.ofBearer(request)).map(subscriptionJson)
      return { data, meta: { total_subscriptions: data.length } }
    })

    // An account's messages are private, so only its own token can subscribe to them.
    app.post('/2/activity/subscriptions', async (request, reply) => {
      const person = callerOf(given, request, reply, 'subscribe', ['dm.read', 'tweet.read', 'users.read'])
      const read = NewSubscription.safeParse(request.body)
      if (!read.success) throw invalidRequest('body', '', z.prettifyError(read.error))
      const { event_type: eventType, filter, tag, webhook_id: webhookId } = read.data
      if (filter.user_id !== person.id) throw genericProblem(403)
      const by = apps.find(grantOf(given, request)?.clientId)
      if (!by) throw genericProblem(401)
      if (webhookId !== undefined && !webhooksOf(by).some(({ id }) => id === webhookId))
        throw rejected('WebhookIdInvalid', 'The webhook does not belong to this app.')
      const same = subscriptionsOf(by).find(
        (one) => one.eventType === eventType && one.userId === person.id && one.webhookId === webhookId,
      )
      if (same) throw rejected('DuplicateSubscription', 'This subscription already exists.')
      const subscription = {
        id: nextId(),
        clientId: by.id,
        eventType,
        userId: person.id,
        webhookId,
        tag,
        createdAt: now(),
      }
      record({ type: 'subscription', ...subscription })
      return { data: subscriptionJson(subscription), meta: { total_subscriptions: subscriptionsOf(by).length } }
    })

    app.delete<{ Params: { id: string } }>('/2/activity/subscriptions/:id', async (request) => {
      const by = apps.ofBearer(request)
      const id = readId('subscription_id', request.params.id)
      if (!subscriptionsOf(by).some((one) => one.id === id)) throw genericProblem(404)
      record({ type: 'subscriptionGone', id })
      return { data: { deleted: true }, meta: { total_subscriptions: subscriptionsOf(by).length } }
    })
  }

  return {
    /** Replays a stored entry. */
    replay,
    /** Notifies subscribers of a sent message. */
    sent,
    /** Notifies the author that `message` and all before it were read. */
    read,
    /** Notifies both sides of an encrypted message. */
    chatted,
    addRoutes,
    /** Resolves when all deliveries have succeeded or been given up. */
    async stop() {
      stopping.abort()
      await Promise.all(lines.values())
    },
  }
}

/** Like X, requires https without a port, but also accepts any loopback address. */
function isAllowedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) return url.protocol.startsWith('http')
  return url.protocol === 'https:' && url.port === ''
}

function rejected(reason: string, detail: string): Problem {
  return new Problem(400, {
    title: reason,
    detail: `${reason}: ${detail}`,
    type: 'https://api.x.com/2/problems/invalid-request',
    status: 400,
  })
}

function webhookJson({ id, url, valid, createdAt }: Webhook) {
  return { id, url, valid, created_at: new Date(createdAt).toISOString() }
}

function subscriptionJson({ id, eventType, userId, webhookId, tag, createdAt }: Subscription) {
  const at = new Date(createdAt).toISOString()
  return {
    subscription_id: id,
    event_type: eventType,
    filter: { user_id: userId },
    created_at: at,
    updated_at: at,
    tag,
    webhook_id: webhookId,
  }
}
