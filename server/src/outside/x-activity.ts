import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { callX, dataOf, X_TIMEOUT_MS } from './x-call.ts'
import { XError } from './x-errors.ts'
import { parsed } from './x-schemas.ts'

export { CHAT_EVENT_TYPES, DM_EVENT_TYPES, readDelivery, type XDelivery, type XHappening } from './x-delivery.ts'

export type XActivity = ReturnType<typeof createXActivity>

/**
 * X's webhooks and Activity API (https://docs.x.com/x-api/webhooks and /activity). Webhooks use the
 * app's token; subscriptions to an account's messages use the account's.
 */
export function createXActivity({
  apiUrl,
  consumerSecret,
  bearerToken,
}: {
  apiUrl: string
  consumerSecret: string
  bearerToken: string
}) {
  const sign = (message: string | Buffer) =>
    `sha256=${createHmac('sha256', consumerSecret).update(message).digest('base64')}`
  const call = (path: string, method = 'GET', body?: object, accessToken = bearerToken) =>
    callX(apiUrl, X_TIMEOUT_MS, path, {
      method,
      accessToken,
      caller: accessToken === bearerToken ? 'app' : 'account',
      ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
    })

  return {
    /** The answer to X's challenge-response check, which proves that the webhook is ours. */
    answerCheck: (token: string) => sign(token),
    /** Whether X has signed this body, byte for byte. */
    isSigned(body: Buffer, signature: string | undefined): boolean {
      const [wanted, given] = [Buffer.from(sign(body)), Buffer.from(signature ?? '')]
      return wanted.length === given.length && timingSafeEqual(wanted, given)
    },
    /**
     * Registers the URL as a webhook if needed and returns its id. @throws XError invalid: X
     * rejected the URL or its check failed
     */
    async ensureWebhook(url: string): Promise<string> {
      const webhooks = objectsOf(await call('/2/webhooks')).map((webhook) => parsed(webhook, Webhook))
      const registered = webhooks.find((webhook) => webhook.url === url)
      if (!registered) return oneOf(await call('/2/webhooks', 'POST', { url }), 'webhook', Webhook).id
      // X stops deliveries after a failed check; this repeats the check.
      if (!registered.valid) await call(`/2/webhooks/${encodeURIComponent(registered.id)}`, 'PUT')
      return registered.id
    },

    /** Has X deliver the webhook's events of this time again, to the minute, of at most the last 24 hours. */
    async replay({ webhookId, from, to }: { webhookId: string; from: Date; to: Date }): Promise<void> {
      await call('/2/webhooks/replay', 'POST', {
        webhook_id: webhookId,
        from_date: minuteOf(from),
        to_date: minuteOf(new Date(Math.min(to.getTime() + 59_999, Date.now()))),
      })
    },

    listSubscriptions,

    /** Subscribes to a type of events, or finds that subscription. @returns its id @throws XError */
    async subscribe(accessToken: string, { eventType, userId, webhookId }: Omit<XSubscription, 'id'>): Promise<string> {
      const body = { event_type: eventType, filter: { user_id: userId }, webhook_id: webhookId, tag: eventType }
      try {
        return oneOf(await call('/2/activity/subscriptions', 'POST', body, accessToken), 'subscription', Subscription)
          .id
      } catch (error) {
        if (!(error instanceof XError) || error.kind !== 'duplicate') throw error
        const existing = (await listSubscriptions()).find((one) => one.eventType === eventType && one.userId === userId)
        if (!existing) throw error
        return existing.id
      }
    },

    /** Does nothing if the subscription does not exist. */
    async unsubscribe(id: string): Promise<void> {
      await call(`/2/activity/subscriptions/${encodeURIComponent(id)}`, 'DELETE').catch((error) => {
        if (!(error instanceof XError) || error.kind !== 'not-found') throw error
      })
    },
  }

  /** All subscriptions of the app. */
  async function listSubscriptions(): Promise<XSubscription[]> {
    const subscriptions: XSubscription[] = []
    let cursor: string | null = null
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = new URLSearchParams({ max_results: '1000', ...(cursor ? { pagination_token: cursor } : {}) })
      const answer = await call(`/2/activity/subscriptions?${query}`)
      subscriptions.push(...objectsOf(answer).map((one) => parsed(one, Subscription)))
      const next: string | null = Next.safeParse(answer).data?.meta.next_token ?? null
      if (next === null || next === cursor) break
      cursor = next
    }
    return subscriptions
  }
}

/** X allows 1,500 subscriptions. */
const MAX_PAGES = 20
const Next = z.object({ meta: z.object({ next_token: z.string().min(1) }) })

/** The entries of an answer, which X documents as a list and as one object. */
function objectsOf(answer: Record<string, unknown>): unknown[] {
  const data = dataOf(answer) ?? []
  return Array.isArray(data) ? data : [data]
}

/** What a call has created: the object, the only one of a list, or the object under its name. */
function oneOf<Data>(answer: Record<string, unknown>, name: string, schema: z.ZodType<Data>): Data {
  const [data] = objectsOf(answer) as Record<string, unknown>[]
  return parsed(data?.[name] ?? data, schema)
}

/** '202611281405', in UTC. */
const minuteOf = (moment: Date) => moment.toISOString().replace(/\D/g, '').slice(0, 12)

const Webhook = z.object({ id: z.string().min(1), url: z.string(), valid: z.boolean().default(false) })

const Subscription = z
  .object({
    subscription_id: z.string().min(1),
    event_type: z.string().default(''),
    filter: z.object({ user_id: z.string().nullish() }).nullish(),
    webhook_id: z.string().nullish(),
  })
  .transform(({ subscription_id, event_type, filter, webhook_id }) => ({
    id: subscription_id,
    eventType: event_type,
    userId: filter?.user_id ?? '',
    webhookId: webhook_id ?? null,
  }))
type XSubscription = z.output<typeof Subscription>
