import { createHmac, timingSafeEqual } from 'node:crypto'
import { DAY_MS, MINUTE_MS } from '@x-automated/contract/time'
import { z } from 'zod'
import { createXCall, dataOf, type XAnswer } from './x-call.ts'
import { XError } from './x-errors.ts'
import type { XReport } from './x-report.ts'
import { parsed } from './x-schemas.ts'

export type XActivity = ReturnType<typeof createXActivity>

/**
 * X's webhooks and Activity API (https://docs.x.com/x-api/webhooks and /activity). Webhooks use the
 * app's token; subscriptions to an account's messages use the account's token.
 */
export function createXActivity({
  apiUrl,
  consumerSecret,
  bearerToken,
  report,
}: {
  apiUrl: string
  consumerSecret: string
  bearerToken: string
  report?: XReport
}) {
  const sign = (message: string | Buffer) =>
    `sha256=${createHmac('sha256', consumerSecret).update(message).digest('base64')}`
  const { call, read } = createXCall({ apiUrl, report })
  const asApp = { accessToken: bearerToken, caller: 'app' } as const
  const withBody = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const listWebhooks = () =>
    read('/2/webhooks', asApp, (response) => objectsOf(response).map((item) => parsed(item, Webhook)))

  return {
    /** The response to X's challenge, which proves that the webhook is ours. */
    answerCheck: (token: string) => sign(token),
    /** Whether X has signed this body, byte for byte. */
    isSigned(body: Buffer, signature: string | undefined): boolean {
      const [wanted, actual] = [Buffer.from(sign(body)), Buffer.from(signature ?? '')]
      return wanted.length === actual.length && timingSafeEqual(wanted, actual)
    },
    /** Checks that X accepts the app's token. @throws XError unauthorized, forbidden: X does not */
    async checkToken(): Promise<void> {
      await listWebhooks()
    },
    /** Removes the webhook with this URL and its subscriptions, if there is one. @throws XError */
    async removeWebhook(url: string): Promise<void> {
      const webhook = (await listWebhooks()).find((candidate) => candidate.url === url)
      if (!webhook) return
      for (const { id, webhookId } of await listSubscriptions()) if (webhookId === webhook.id) await unsubscribe(id)
      await call(`/2/webhooks/${encodeURIComponent(webhook.id)}`, { ...asApp, method: 'DELETE' })
    },
    /**
     * Registers the URL as a webhook if needed and returns its id. @param isNew the consumer secret
     * may have changed, so X checks the webhook again @throws XError invalid: X rejected the URL or
     * its check failed
     */
    async ensureWebhook(url: string, isNew = false): Promise<string> {
      const isOurs = (webhook: { url: string }) => webhook.url === url
      let registered = (await listWebhooks()).find(isOurs)
      if (!registered) {
        const request = { ...asApp, ...withBody({ url }) }
        registered = await read('/2/webhooks', request, (response) => oneOf(response, 'webhook', Webhook)).catch(
          async (error) => {
            // Another process registered it first.
            const existing = isDuplicate(error) ? (await listWebhooks()).find(isOurs) : null
            if (existing) return existing
            throw error
          },
        )
      } else if (!registered.valid || isNew) {
        // X stops deliveries after a failed check; this repeats the check.
        await call(`/2/webhooks/${encodeURIComponent(registered.id)}`, { ...asApp, method: 'PUT' })
      }
      return registered.id
    },

    /** Makes X redeliver the webhook's events from `from` to `to`, in whole minutes of the last 24 hours. */
    async replay({ webhookId, from, to }: { webhookId: string; from: Date; to: Date }): Promise<void> {
      const earliest = Date.now() - DAY_MS + MINUTE_MS
      const body = {
        webhook_id: webhookId,
        from_date: minuteOf(new Date(Math.max(from.getTime(), earliest))),
        to_date: minuteOf(new Date(Math.ceil(to.getTime() / MINUTE_MS) * MINUTE_MS)),
      }
      await call('/2/webhooks/replay', { ...asApp, ...withBody(body) })
    },

    listSubscriptions,

    /**
     * Subscribes to a type of events, or finds the existing subscription. @returns the
     * subscription's id @throws XError
     */
    async subscribe(accessToken: string, { eventType, userId, webhookId }: Omit<XSubscription, 'id'>): Promise<string> {
      const body = { event_type: eventType, filter: { user_id: userId }, webhook_id: webhookId, tag: eventType }
      const request = { accessToken, ...withBody(body) }
      try {
        const parse = (response: XAnswer) => oneOf(response, 'subscription', Subscription).id
        return await read('/2/activity/subscriptions', request, parse)
      } catch (error) {
        if (!isDuplicate(error)) throw error
        const isSame = (subscription: XSubscription) =>
          subscription.eventType === eventType &&
          subscription.userId === userId &&
          (subscription.webhookId ?? webhookId) === webhookId
        const existing = (await listSubscriptions()).find(isSame)
        if (!existing) throw error
        return existing.id
      }
    },

    unsubscribe,
  }

  /** Ends a subscription. Does nothing if it does not exist. */
  async function unsubscribe(id: string): Promise<void> {
    const path = `/2/activity/subscriptions/${encodeURIComponent(id)}`
    await call(path, { ...asApp, method: 'DELETE' }).catch((error) => {
      if (!(error instanceof XError) || error.kind !== 'not-found') throw error
    })
  }

  /** All subscriptions of the app. */
  async function listSubscriptions(): Promise<XSubscription[]> {
    const subscriptions: XSubscription[] = []
    let cursor: string | null = null
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = new URLSearchParams({ max_results: '1000', ...(cursor ? { pagination_token: cursor } : {}) })
      const { found: items, next } = await read(`/2/activity/subscriptions?${query}`, asApp, (response) => ({
        found: objectsOf(response).map((item) => parsed(item, Subscription)),
        next: Next.safeParse(response).data?.meta.next_token ?? null,
      }))
      subscriptions.push(...items)
      if (next === null || next === cursor) break
      cursor = next
    }
    return subscriptions
  }
}

/** More pages than are needed: X allows 1,500 subscriptions. */
const MAX_PAGES = 20
const Next = z.object({ meta: z.object({ next_token: z.string().min(1) }) })

const isDuplicate = (error: unknown) => error instanceof XError && error.kind === 'duplicate'

/** The entries of a response, which X documents both as a list and as a single object. */
function objectsOf(response: XAnswer): unknown[] {
  const data = dataOf(response) ?? []
  return Array.isArray(data) ? data : [data]
}

/** Returns the object that a call has created. X sends it alone, in a list, or under `name`. */
function oneOf<Data>(response: XAnswer, name: string, schema: z.ZodType<Data>): Data {
  const [data] = objectsOf(response) as Record<string, unknown>[]
  return parsed(data?.[name] ?? data, schema)
}

/** Formats a time as X expects it: '202611281405', in UTC. */
const minuteOf = (moment: Date) => moment.toISOString().replace(/\D/g, '').slice(0, 12)

export const Webhook = z.object({ id: z.string().min(1), url: z.string(), valid: z.boolean().default(false) })

export const Subscription = z
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
