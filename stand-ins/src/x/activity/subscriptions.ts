import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App, Apps } from '../apps.ts'
import { appOf, callerOf, grantOf, type Network } from '../network.ts'
import { genericProblem, invalidRequest, rejected } from '../problems.ts'
import { count, longToken, positionIn, readId, readQuery } from '../queries.ts'
import type { Webhooks } from './webhooks.ts'

type Subscription = {
  id: string
  clientId: string
  eventType: string
  userId: string
  webhookId: string | undefined
  tag: string | undefined
  createdAt: number
}

/** Stored on disk, so that subscriptions survive a restart. */
export type SubscriptionEntry = ({ type: 'subscription' } & Subscription) | { type: 'subscriptionGone'; id: string }

/** Events of conversations. X only delivers them to the account that they belong to. */
const PRIVATE = /^(dm|chat)\./
const NewSubscription = z.object({
  event_type: z.string(),
  filter: z.object({ user_id: z.string().regex(/^\d{1,19}$/) }),
  tag: z.string().optional(),
  webhook_id: z.string().optional(),
})
const LIST = 'subscriptions'

/** Manages the subscriptions of all apps (docs.x.com/x-api/activity). `write` must store before returning. */
export function createSubscriptions(apps: Apps, nextId: () => string, write: (entry: SubscriptionEntry) => void) {
  const subscriptions = new Map<string, Subscription>()
  /** Indexed by event type and user, because each message needs four lookups. */
  const byEvent = new Map<string, Set<Subscription>>()
  const keyOf = (eventType: string, userId: string) => `${eventType} ${userId}`

  function replay(entry: SubscriptionEntry) {
    if (entry.type === 'subscription') {
      // Entries of older versions belong to the first app.
      const subscription = { ...entry, clientId: entry.clientId ?? apps.first.id }
      const key = keyOf(entry.eventType, entry.userId)
      subscriptions.set(entry.id, subscription)
      byEvent.set(key, (byEvent.get(key) ?? new Set()).add(subscription))
      return
    }
    const subscription = subscriptions.get(entry.id)
    subscriptions.delete(entry.id)
    if (subscription) byEvent.get(keyOf(subscription.eventType, subscription.userId))?.delete(subscription)
  }
  function record(entry: SubscriptionEntry) {
    write(entry)
    replay(entry)
  }
  const ofApp = (app: App) => [...subscriptions.values()].filter(({ clientId }) => clientId === app.id)

  function addRoutes(fastify: FastifyInstance, network: Network, webhooks: Webhooks) {
    fastify.get('/2/activity/subscriptions', async (request) => {
      const app = appOf(network, request)
      const query = readQuery(request.query, { max_results: count(1000), pagination_token: z.string().optional() })
      const all = ofApp(app)
      const start = Number(positionIn(LIST, query.pagination_token))
      const end = start + query.max_results
      const data = all.slice(start, end).map(subscriptionJson)
      const next = end < all.length && { next_token: longToken(LIST, end) }
      return { data, meta: { result_count: data.length, total_subscriptions: all.length, ...next } }
    })

    fastify.post('/2/activity/subscriptions', async (request, reply) => {
      const isUser = grantOf(network, request) !== undefined
      const caller = isUser ? callerOf(network, request, reply, 'subscribe', ['tweet.read', 'users.read']) : undefined
      const app = caller?.app ?? appOf(network, request)
      const { data, error } = NewSubscription.safeParse(request.body)
      if (error) throw invalidRequest(String(error.issues[0]?.path[0] ?? 'body'), '', z.prettifyError(error))
      const { event_type: eventType, filter, tag, webhook_id: webhookId } = data
      if (PRIVATE.test(eventType)) requireOwner(request, filter.user_id, caller?.person.id)
      if (webhookId !== undefined && webhooks.find(webhookId)?.clientId !== app.id)
        throw rejected('WebhookIdInvalid', 'The webhook does not belong to this app.')

      const { answer: form, duplicate, most } = network.switches.subscriptions
      const answerWith = (subscription: Subscription) => {
        const json = subscriptionJson(subscription)
        const total = { meta: { total_subscriptions: ofApp(app).length } }
        if (form === 'nested') return { data: { subscription: json }, ...total }
        reply.isOddOnPurpose = true
        return { data: form === 'list' ? [json] : json, ...total }
      }
      const same = [...(byEvent.get(keyOf(eventType, filter.user_id)) ?? [])].find(
        (subscription) => subscription.clientId === app.id && subscription.webhookId === webhookId,
      )
      if (same && duplicate === 'success') return answerWith(same)
      if (same) throw rejected('DuplicateSubscription', 'This subscription already exists.')
      if (ofApp(app).length >= most) throw rejected('SubscriptionLimitExceeded', `An app has at most ${most}.`)
      const subscription = {
        id: nextId(),
        clientId: app.id,
        eventType,
        userId: filter.user_id,
        webhookId,
        tag,
        createdAt: network.now(),
      }
      record({ type: 'subscription', ...subscription })
      return answerWith(subscription)
    })

    /** Requires the account's own token with `dm.read`, because its messages are private. @throws a 403 */
    function requireOwner(request: FastifyRequest, userId: string, callerId: string | undefined) {
      const scopes = grantOf(network, request)?.scopes ?? []
      if (userId !== callerId || !scopes.includes('dm.read')) throw genericProblem(403)
    }

    fastify.delete<{ Params: { id: string } }>('/2/activity/subscriptions/:id', async (request) => {
      const app = appOf(network, request)
      const id = readId('subscription_id', request.params.id)
      if (subscriptions.get(id)?.clientId !== app.id) throw genericProblem(404)
      record({ type: 'subscriptionGone', id })
      return { data: { deleted: true }, meta: { total_subscriptions: ofApp(app).length } }
    })
  }

  return {
    replay,
    addRoutes,
    to: (eventType: string, userId: string): Iterable<Subscription> => byEvent.get(keyOf(eventType, userId)) ?? [],
    ofWebhook: (id: string) => [...subscriptions.values()].filter(({ webhookId }) => webhookId === id),
  }
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
