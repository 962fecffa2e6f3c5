import type { FastifyInstance } from 'fastify'
import type { Faults } from '../faults.ts'
import { createDeliveries } from './activity/deliveries.ts'
import { createPayloads } from './activity/payloads.ts'
import { createSubscriptions, type SubscriptionEntry } from './activity/subscriptions.ts'
import { createWebhooks, type Webhook, type WebhookEntry } from './activity/webhooks.ts'
import type { Apps } from './apps.ts'
import type { ChatEvent } from './chat-events.ts'
import type { Message } from './messages.ts'
import type { Network } from './network.ts'

// X's webhooks and Activity API. An app's webhook must pass a challenge, and then receives signed
// events of accounts that subscribe with their token.

export type ActivityEntry = WebhookEntry | SubscriptionEntry

/** An event about `userId`, to which apps can subscribe. X charges once per `id`. */
type Happening = { eventType: string; userId: string; id: string; at: number; payload: () => object }

/** Number of reads and renames that are stored for replays. */
const REMEMBERED_MAX = 10_000

export type Activity = ReturnType<typeof createActivity>

/** Creates X's webhooks, subscriptions and deliveries. `write` must store an entry before returning. */
export function createActivity(apps: Apps, now: () => number, write: (entry: ActivityEntry) => void) {
  let lastId = 0n
  const nextId = () => {
    const id = BigInt(now()) << 20n
    lastId = id > lastId ? id : lastId + 1n
    return String(lastId)
  }
  const webhooks = createWebhooks(apps, nextId, write)
  const subscriptions = createSubscriptions(apps, nextId, write)
  const stopping = new AbortController()
  const deliveries = createDeliveries(webhooks.targetOf, stopping.signal)
  /** Reads and renames, for replays. Messages are in their own stores. */
  const remembered: Happening[] = []
  let network: Network | undefined
  const connected = () => {
    if (!network) throw new Error('Events are emitted before the routes exist')
    return network
  }
  const payloads = createPayloads(connected)

  const ofMessage = (message: Message): Happening[] =>
    [
      { eventType: 'dm.sent', userId: message.from },
      { eventType: 'dm.received', userId: message.to },
    ].map((event) => ({ ...event, id: message.id, at: message.at, payload: () => payloads.message(message) }))

  /** A failure is only delivered to the sender, because nobody received the message. */
  const ofChat = (event: ChatEvent): Happening[] =>
    [
      { eventType: 'chat.sent', userId: event.from },
      ...(event.kind === 'failure' ? [] : [{ eventType: 'chat.received', userId: event.to }]),
    ].map((other) => ({ ...other, id: event.sequenceId, at: event.at, payload: () => payloads.chat(event) }))

  function emit({ eventType, userId, id, payload }: Happening, isWanted = (_webhookId: string) => true) {
    for (const { webhookId, tag, clientId } of subscriptions.to(eventType, userId)) {
      if (webhookId === undefined || !isWanted(webhookId)) continue
      const body = payloads.envelope(eventType, userId, tag, nextId(), payload())
      connected().credits.charge(clientId, eventType, [id])
      deliveries.send(webhookId, { eventType, body: JSON.stringify(body) })
    }
  }

  function emitAndRemember(happening: Happening) {
    remembered.push(happening)
    if (remembered.length > REMEMBERED_MAX) remembered.shift()
    emit(happening)
  }

  /** Redelivers the events of a webhook's subscriptions in a time span, oldest first. */
  function replayEvents(webhook: Webhook, from: number, to: number) {
    const { messages, chats } = connected()
    const wanted = subscriptions.ofWebhook(webhook.id)
    const since = (eventType: string, userId: string) =>
      wanted.find((subscription) => subscription.eventType === eventType && subscription.userId === userId)?.createdAt
    const happenings = new Map<string, Happening>()
    const add = (happening: Happening) => {
      const start = since(happening.eventType, happening.userId)
      if (start === undefined || happening.at < Math.max(from, start) || happening.at > to) return
      happenings.set(`${happening.eventType} ${happening.userId} ${happening.id}`, happening)
    }
    for (const userId of new Set(wanted.map((subscription) => subscription.userId))) {
      for (const message of messages.ofUser(userId)) ofMessage(message).forEach(add)
      for (const events of chats.ofUser(userId).values()) for (const event of events) ofChat(event).forEach(add)
    }
    remembered.forEach(add)
    const inOrder = [...happenings.values()].sort((a, b) => a.at - b.at)
    for (const happening of inOrder) emit(happening, (webhookId) => webhookId === webhook.id)
  }

  return {
    /** Applies an entry from disk. */
    replay(entry: ActivityEntry) {
      if (entry.type === 'webhook' || entry.type === 'webhookGone') webhooks.replay(entry)
      else subscriptions.replay(entry)
    },
    /** Notifies subscribers of a sent message. */
    sent: (message: Message) => ofMessage(message).forEach((happening) => void emit(happening)),
    /** Notifies the author that `message` and all earlier ones were read. */
    read(message: Message, at: number) {
      const payload = () => payloads.read(message, at)
      emitAndRemember({ eventType: 'dm.read', userId: message.from, id: `${message.id} ${at}`, at, payload })
    },
    /** Notifies the members of a conversation in X Chat. */
    chatted: (event: ChatEvent) => ofChat(event).forEach((happening) => void emit(happening)),
    /** Notifies everyone who watches a person that their handle has changed. */
    renamed(userId: string, before: string, after: string) {
      const payload = () => ({ before, after })
      emitAndRemember({ eventType: 'profile.update.handle', userId, id: nextId(), at: now(), payload })
    },
    addRoutes(app: FastifyInstance, attached: Network, faults: Faults) {
      network = attached
      deliveries.useFaults(faults)
      webhooks.addRoutes(app, attached, replayEvents)
      subscriptions.addRoutes(app, attached, webhooks)
    },
    /** Resolves once every delivery has succeeded or been given up. */
    async stop() {
      stopping.abort()
      await deliveries.settled()
    },
  }
}
