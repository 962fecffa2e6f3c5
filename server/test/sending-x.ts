import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { afterAll, expect } from 'vitest'
import { noteGap, replayGaps } from '../src/core/replies/gaps.ts'
import { OPERATOR_APP_ID } from '../src/domains/platform/x-apps/tables.ts'
import { createXApi } from '../src/outside/x.ts'
import { CHAT_EVENT_TYPES, DM_EVENT_TYPES } from '../src/outside/x-delivery.ts'
import { XError } from '../src/outside/x-errors.ts'
import type { TestApp } from './open-app.ts'
import { setFaults } from './outreach.ts'

// Controls what the stand-in X delivers, shows and charges in tests of sending.

interface Delivery {
  body: string
  signature: string
  type: string
  at: number
  /** X wrote it in a form that the product cannot read. */
  isUnreadable: boolean
}

/** Forms of X's deliveries, as settings of the stand-in's switch `/_events`. */
export const FORMS = [
  {},
  { conversationId: 'dash-swapped', hasIds: false, times: 'number' },
  { conversationId: 'colon-swapped', hasFilter: false, uuids: 'negative' },
  { unreadable: 'payload' },
  { unreadable: 'payload', hasFilter: false },
  { unreadable: 'encodedEvent' },
  { unreadable: 'encodedEvent', hasIds: false },
  { unreadable: 'envelope' },
] as const

const MESSAGES = { method: 'GET', path: '/2/dm_events' }
const CHATS = { method: 'GET', path: '/2/chat/conversations' }
const CHAT = { method: 'GET', path: '/2/chat/conversations/*/events' }
const CONVERSATION = { method: 'GET', path: '/2/dm_conversations/with/*/dm_events' }
/** A response with a count of two, but without entries. */
const WRONG_COUNT = { status: 200, body: { data: [], meta: { result_count: 2 } } }
const NO_COUNT = { status: 200, body: { data: [], meta: {} } }

/** Ways in which X's lists become unreadable or unusual. The server must not take them for lists without a reply. */
export const UNREADABLE = {
  'no messages': { faults: [{ ...MESSAGES, status: 403 }] },
  'a wrong count of messages': { faults: [{ ...MESSAGES, ...WRONG_COUNT }] },
  'no count of messages': { faults: [{ ...MESSAGES, ...NO_COUNT }] },
  'no chats': { faults: [{ ...CHATS, status: 403 }] },
  'a wrong count of chats': { faults: [{ ...CHATS, ...WRONG_COUNT }] },
  'no events of chats': { faults: [{ ...CHAT, status: 403 }] },
  'a wrong count of events': { faults: [{ ...CHAT, ...WRONG_COUNT }] },
  'no conversation': { faults: [{ ...CONVERSATION, status: 403, times: 1 }] },
  'a page of HTML': { faults: [MESSAGES, CHATS, CONVERSATION].map((call) => ({ ...call, problem: 'cloudflare' })) },
  'a wrong count of a conversation': { faults: [{ ...CONVERSATION, ...WRONG_COUNT }] },
  'limits that ended before': { faults: [MESSAGES, CHATS].map((call) => ({ ...call, status: 429, resetSeconds: -5 })) },
  'messages without senders': { reading: { hasSender: false } },
  'empty messages': { reading: { empty: 'data' } },
  'a bare answer': { reading: { empty: 'bare' } },
  'messages in another order': { reading: { order: 'oldest', text: 'normalized' } },
  'lists in no order': { reading: { order: 'shuffled' }, chat: { order: 'shuffled', requests: 'hidden' } },
  'conversations that end early': { endsEarly: true },
} satisfies Record<string, Unreadable>
interface Unreadable {
  faults?: object[]
  reading?: object
  chat?: object
  endsEarly?: boolean
}

/** An X app with its own credits, so that what people do on X's page costs our app nothing. */
const PAGE = { id: 'page', secret: 'page secret', consumerSecret: 'page', bearerToken: 'page' }

/**
 * The webhook of a test file at X. It keeps what X delivers, until a test passes it on, loses it or
 * repeats it.
 */
export async function openWebhook(app: TestApp) {
  const waiting: Delivery[] = []
  const passed: Delivery[] = []
  let unreadable: string | null = null
  let received = 0
  const server = createServer(async (request, response) => {
    const token = new URL(request.url ?? '', 'http://webhook').searchParams.get('crc_token')
    if (token !== null) {
      const digest = createHmac('sha256', app.x.consumerSecret).update(token).digest('base64')
      return response.end(JSON.stringify({ response_token: `sha256=${digest}` }))
    }
    const body = await text(request)
    const type = JSON.parse(body).data?.event_type ?? ''
    const signature = String(request.headers['x-twitter-webhooks-signature'])
    waiting.push({ body, signature, type, at: app.clock.now(), isUnreadable: isUnreadable(type) })
    received += 1
    return response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const activity = () => app.services.xActivity as NonNullable<typeof app.services.xActivity>
  const webhookId = await activity().ensureWebhook(url)
  const page = createXApi({ apiUrl: app.x.url, clientId: PAGE.id, clientSecret: PAGE.secret })
  await put(app, '/_apps', [PAGE])

  const isUnreadable = (type: string) =>
    unreadable !== null && (unreadable !== 'encodedEvent' || type.startsWith('chat.'))

  const pass = async (delivery: Delivery) => {
    const { body, signature } = delivery
    const headers = { 'content-type': 'application/json', 'x-twitter-webhooks-signature': signature }
    const { status } = await fetch(`${app.url}/x/webhook`, { method: 'POST', headers, body })
    expect([200, 503]).toContain(status)
    return status === 200
  }

  return {
    page,
    async subscribe(handle: string, accessToken: string): Promise<void> {
      for (const eventType of [...DM_EVENT_TYPES, ...CHAT_EVENT_TYPES])
        await activity().subscribe(accessToken, { eventType, userId: idOfHandle(handle), webhookId })
    },
    /** Ends all subscriptions, and discards all deliveries. */
    async reset(): Promise<void> {
      for (const { id } of await activity().listSubscriptions()) await activity().unsubscribe(id)
      waiting.splice(0)
      passed.splice(0)
    },
    setForm(form: (typeof FORMS)[number]) {
      unreadable = 'unreadable' in form ? form.unreadable : null
      return put(app, '/_events', form)
    },
    /** Whether X now delivers in an unreadable form. */
    isUnreadable: () => unreadable !== null,
    /** Runs `act`, and waits until X has delivered its event to this webhook. */
    async cause<Result>(act: () => Promise<Result>): Promise<Result> {
      const before = received
      const result = await act()
      for (let looks = 0; received === before && looks < 100; looks += 1)
        await new Promise((wake) => setTimeout(wake, 5))
      return result
    },
    /** Removes and returns the deliveries that have not been passed on, newest first. */
    take: (): Delivery[] => waiting.splice(0).reverse(),
    /** Returns the deliveries that the server has accepted, newest last. */
    passed: (): readonly Delivery[] => passed,
    /** Passes deliveries on to the server, and keeps those that it rejects. @returns how many it accepted */
    async passOn(deliveries: readonly Delivery[]): Promise<number> {
      const accepted = await Promise.all(deliveries.map(pass))
      for (const [i, delivery] of deliveries.entries()) {
        if (!accepted[i]) waiting.push(delivery)
        else if (!passed.includes(delivery)) passed.push(delivery)
      }
      return accepted.filter(Boolean).length
    },
    /** Makes X redeliver what the server may have missed. */
    async replay(): Promise<void> {
      await noteGap(app.db, OPERATOR_APP_ID)
      await replayGaps(app.services, async () => ({ activity: activity(), id: webhookId }))
    },
  }
}
export type WebhookOfTest = Awaited<ReturnType<typeof openWebhook>>

/** Makes X's lists unreadable, or readable again. @param times how many calls each fault affects; by default all */
export async function setReadable(app: TestApp, { faults = [], reading = {}, chat = {} }: Unreadable, times?: number) {
  await setFaults(app, ...faults.map((fault) => ({ ...(times ? { times } : {}), ...fault })))
  await put(app, '/_reading', reading)
  await put(app, '/_chat', chat)
}

/** Sets our app's remaining credits at X, in cents; null: unlimited. */
export const setCredits = (app: TestApp, cents: number | null) => put(app, '/_credits', { cents })

/** Makes a person write to an account, in X Chat or not. @returns when, in milliseconds since 1970 */
export async function write(app: TestApp, from: string, to: string, words: string, isChat: boolean): Promise<number> {
  const { at } = await post(app, `/_people/${from}/${isChat ? 'chat' : 'reply'}`, { to, text: words })
  return new Date(at).getTime()
}

/** Makes a person do something other than writing in X Chat. */
export async function stir(app: TestApp, from: string, to: string, kind: string): Promise<void> {
  await post(app, `/_people/${from}/chat`, { to, kind })
}

const put = (app: TestApp, path: string, body: object) => call(app, 'PUT', path, body)
const post = (app: TestApp, path: string, body: object) => call(app, 'POST', path, body)

async function call(app: TestApp, method: string, path: string, body: object): Promise<{ at: string }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${app.x.url}${path}`, { method, headers, body: JSON.stringify(body) })
  expect(response.ok, `${method} ${path}`).toBe(true)
  return (await response.json()) as { at: string }
}

/** True if X has responded that our app has no credits. */
export const isOutOfFunds = (error: unknown) => error instanceof XError && error.kind === 'funds'
