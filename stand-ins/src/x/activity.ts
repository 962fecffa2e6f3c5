import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Message } from './messages.ts'
import { callerOf, type Network, personById } from './network.ts'
import { genericProblem, invalidRequest, Problem } from './problems.ts'
import { readId } from './queries.ts'
import { userJson } from './users.ts'

/*
 * X's webhooks and its Activity API, as docs.x.com/x-api/webhooks and /x-api/activity tell: a webhook is registered with the app's own token once it has
 * answered a challenge, and then subscriptions, each with the token of the account it is about, send what happens there to it, signed.
 */

type Webhook = { id: string; url: string; valid: boolean; createdAt: number }
type Subscription = {
  id: string
  eventType: string
  userId: string
  webhookId: string | undefined
  tag: string | undefined
  createdAt: number
}

/** Kept on disk, so that registrations outlive the process. */
export type ActivityEntry =
  | ({ type: 'webhook' } & Webhook)
  | { type: 'webhookGone'; id: string }
  | ({ type: 'subscription' } & Subscription)
  | { type: 'subscriptionGone'; id: string }

/** Of X's event types those that this stand-in makes happen. */
const EVENT_TYPES = ['dm.received', 'dm.sent', 'dm.read']
const WEBHOOKS_MAX = 5
const ANSWER_WITHIN_MS = 10_000
/** X does not publish how often it tries again. */
const RETRY_AFTER_MS = [500, 2_000, 5_000]

const USER_FIELDS = new Set(['username', 'name', 'id'])

const NewSubscription = z.object({
  event_type: z.enum(EVENT_TYPES),
  filter: z.object({ user_id: z.string().regex(/^\d{1,19}$/) }),
  tag: z.string().max(200).optional(),
  webhook_id: z.string().optional(),
})

export interface Activity {
  /** Takes an entry back in at start. */
  replay(entry: ActivityEntry): void
  /** Tells the subscribers of a message that has just taken effect. */
  sent(message: Message): void
  /** Tells the author that `message`, and all before it, was read. */
  read(message: Message, at: number): void
  addRoutes(app: FastifyInstance, network: Network): void
  /** Resolves when what is under way has been delivered or given up. */
  stop(): Promise<void>
}

/** @param secrets the app's consumer secret, which signs, and its own token, which registers */
export function createActivity(
  now: () => number,
  write: (entry: ActivityEntry) => void,
  secrets: { consumerSecret: string; bearerToken: string },
): Activity {
  const webhooks = new Map<string, Webhook>()
  const subscriptions = new Map<string, Subscription>()
  const stopping = new AbortController()
  /** Deliveries to a webhook go one after the other. */
  const lines = new Map<string, Promise<void>>()
  let network: Network | undefined
  let lastId = 0n

  const nextId = () => {
    const id = BigInt(now()) << 20n
    lastId = id > lastId ? id : lastId + 1n
    return String(lastId)
  }
  const sign = (text: string) => `sha256=${createHmac('sha256', secrets.consumerSecret).update(text).digest('base64')}`

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
  async function passesCheck(url: string): Promise<boolean> {
    const token = randomBytes(18).toString('base64url')
    const asked = new URL(url)
    asked.searchParams.set('crc_token', token)
    asked.searchParams.set('nonce', randomBytes(12).toString('base64url'))
    try {
      const response = await fetch(asked, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), redirect: 'error' })
      const body = (await response.json()) as { response_token?: string }
      return response.ok && body.response_token === sign(token)
    } catch {
      return false
    }
  }

  function emit(eventType: string, userId: string, payload: object) {
    for (const subscription of subscriptions.values()) {
      if (subscription.eventType !== eventType || subscription.userId !== userId) continue
      const { webhookId, tag } = subscription
      if (webhookId === undefined) continue
      const body = JSON.stringify({
        data: {
          event_uuid: nextId(),
          filter: { user_id: userId },
          event_type: eventType,
          ...(tag === undefined ? {} : { tag }),
          payload,
        },
      })
      lines.set(
        webhookId,
        (lines.get(webhookId) ?? Promise.resolve()).then(() => deliver(webhookId, body)),
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
          headers: { 'content-type': 'application/json', 'x-twitter-webhooks-signature': sign(body) },
          body,
          redirect: 'error',
          signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
        })
        await response.arrayBuffer()
        if (response.ok) return
      } catch {
        // Tried again.
      }
    }
  }

  function usersOf(ids: string[]) {
    const users: Record<string, unknown> = {}
    for (const id of ids) {
      const found = network ? personById(network, id) : { error: {} }
      if (network && 'person' in found) users[id] = { data: userJson(network, found.person, USER_FIELDS, found.person) }
    }
    return users
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

  // X gives no example of this payload: its shape is that of the Account Activity API, of which the messages above are too.
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

  function requireApp(request: FastifyRequest) {
    if (request.headers.authorization !== `Bearer ${secrets.bearerToken}`) throw genericProblem(401)
  }
  function webhookOf(request: FastifyRequest): Webhook {
    requireApp(request)
    const { webhook_id } = request.params as { webhook_id: string }
    const webhook = webhooks.get(readId('webhook_id', webhook_id))
    if (!webhook) throw refused('WebhookIdInvalid', 'The webhook is not one of this app.')
    return webhook
  }

  function addRoutes(app: FastifyInstance, given: Network) {
    network = given

    app.get('/2/webhooks', async (request) => {
      requireApp(request)
      return { data: [...webhooks.values()].map(webhookJson), meta: { result_count: webhooks.size } }
    })

    app.post('/2/webhooks', async (request) => {
      requireApp(request)
      const { url } = (request.body ?? {}) as { url?: unknown }
      if (typeof url !== 'string' || !mayBeCalled(url))
        throw refused('UrlValidationFailed', 'The URL must be https, public, and without a port.')
      if ([...webhooks.values()].some((one) => one.url === url))
        throw refused('DuplicateUrlFailed', 'A webhook of this URL is registered already.')
      if (webhooks.size >= WEBHOOKS_MAX) throw refused('WebhookLimitExceeded', 'There are as many webhooks as may be.')
      if (!(await passesCheck(url))) throw refused('CrcValidationFailed', 'The URL did not pass the check.')
      const webhook = { id: nextId(), url, valid: true, createdAt: now() }
      record({ type: 'webhook', ...webhook })
      return { data: webhookJson(webhook) }
    })

    app.put('/2/webhooks/:webhook_id', async (request) => {
      const webhook = webhookOf(request)
      const valid = await passesCheck(webhook.url)
      record({ type: 'webhook', ...webhook, valid })
      if (!valid) throw refused('CrcValidationFailed', 'The URL did not pass the check.')
      return { data: { valid } }
    })

    app.delete('/2/webhooks/:webhook_id', async (request) => {
      record({ type: 'webhookGone', id: webhookOf(request).id })
      return { data: { deleted: true } }
    })

    app.get('/2/activity/subscriptions', async (request) => {
      requireApp(request)
      const data = [...subscriptions.values()].map(subscriptionJson)
      return { data, meta: { total_subscriptions: data.length } }
    })

    // What happens in an account's messages is private: only with its own token may it be subscribed to.
    app.post('/2/activity/subscriptions', async (request) => {
      const { person } = callerOf(given, request, 'subscribe', ['dm.read', 'tweet.read', 'users.read'])
      const read = NewSubscription.safeParse(request.body)
      if (!read.success) throw invalidRequest('body', '', z.prettifyError(read.error))
      const { event_type: eventType, filter, tag, webhook_id: webhookId } = read.data
      if (filter.user_id !== person.id) throw genericProblem(403)
      if (webhookId !== undefined && !webhooks.has(webhookId))
        throw refused('WebhookIdInvalid', 'The webhook is not one of this app.')
      const same = [...subscriptions.values()].find(
        (one) => one.eventType === eventType && one.userId === person.id && one.webhookId === webhookId,
      )
      if (same) throw refused('DuplicateSubscription', 'There is such a subscription already.')
      const subscription = { id: nextId(), eventType, userId: person.id, webhookId, tag, createdAt: now() }
      record({ type: 'subscription', ...subscription })
      return { data: subscriptionJson(subscription), meta: { total_subscriptions: subscriptions.size } }
    })

    app.delete<{ Params: { id: string } }>('/2/activity/subscriptions/:id', async (request) => {
      requireApp(request)
      const id = readId('subscription_id', request.params.id)
      if (!subscriptions.has(id)) throw genericProblem(404)
      record({ type: 'subscriptionGone', id })
      return { data: { deleted: true }, meta: { total_subscriptions: subscriptions.size } }
    })
  }

  return {
    replay,
    sent,
    read,
    addRoutes,
    async stop() {
      stopping.abort()
      await Promise.all(lines.values())
    },
  }
}

/** As X: https, without a port. Besides that anything on this machine, as that is where the product runs. */
function mayBeCalled(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) return url.protocol.startsWith('http')
  return url.protocol === 'https:' && url.port === ''
}

function refused(reason: string, detail: string): Problem {
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
    ...(tag === undefined ? {} : { tag }),
    ...(webhookId === undefined ? {} : { webhook_id: webhookId }),
  }
}
