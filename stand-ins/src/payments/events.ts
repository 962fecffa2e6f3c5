import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Faults } from '../faults.ts'
import type { Event, EventType, WebhookEndpoint } from './objects.ts'
import type { Store } from './store.ts'
import { API_VERSION, toResponse } from './wire.ts'

const ANSWER_WITHIN_MS = 10_000
/** Delay before each retry. Stripe's delays are much longer: they span days. */
const RETRY_AFTER_MS = [500, 2_000, 5_000, 15_000, 60_000]

/**
 * Stores events, and sends them to webhooks, signed (docs.stripe.com/webhooks). Deliveries that are
 * pending when the process ends are lost.
 */
export function createEvents(store: Store, faults: Faults, stopping: AbortSignal) {
  const inFlight = new Set<Promise<void>>()
  /** Deliveries to an endpoint run one at a time. */
  const queues = new Map<string, Promise<void>>()
  let held: Event[] = []

  function emit(type: EventType, object: unknown): void {
    const data = { object: toResponse(object, [], () => undefined) }
    const event = store.create('event', { type, api_version: API_VERSION, data })
    const fault = faults.forEvent(type)
    switch (fault?.webhook) {
      case 'lose':
        return
      case 'delay':
        track(wait(fault.delayMs).then(() => publish(event)))
        return
      case 'reorder':
        held.unshift(event)
        if (held.length < fault.count) return
        for (const heldEvent of held) publish(heldEvent)
        held = []
        return
      case 'repeat':
        publish(event)
    }
    publish(event)
  }

  function publish(event: Event): void {
    for (const { id, enabled_events: wanted } of store.all('webhook_endpoint')) {
      if (!wanted.includes('*') && !wanted.includes(event.type)) continue
      const delivery = (queues.get(id) ?? Promise.resolve()).then(() => deliver(id, event))
      queues.set(id, delivery)
      track(delivery)
    }
  }

  /** Delivers an event. Retries run separately, so that they do not block the queue. */
  async function deliver(endpointId: string, event: Event): Promise<void> {
    if (!(await attempt(endpointId, event))) track(retry(endpointId, event))
  }

  async function retry(endpointId: string, event: Event): Promise<void> {
    for (const ms of RETRY_AFTER_MS) {
      await wait(ms)
      if (await attempt(endpointId, event)) return
    }
  }

  /** @returns whether the endpoint accepted the event, or no longer wants it */
  async function attempt(endpointId: string, event: Event): Promise<boolean> {
    const endpoint = store.find('webhook_endpoint', endpointId)
    if (!endpoint || stopping.aborted) return true
    return await post(endpoint, JSON.stringify(event)).catch(() => false)
  }

  async function post({ url, secret }: WebhookEndpoint, body: string): Promise<boolean> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': signature(secret, body, Math.floor(Date.now() / 1_000)),
      },
      body,
      redirect: 'error',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
    })
    await response.arrayBuffer()
    return response.ok
  }

  const wait = (ms: number) => sleep(ms, undefined, { signal: stopping }).catch(() => {})
  function track(work: Promise<void>): void {
    const tracked = work.finally(() => inFlight.delete(tracked))
    inFlight.add(tracked)
  }

  return {
    emit,
    /** Sends an event again. */
    replay: (id: string) => publish(store.get('event', id)),
    /** Resolves when no delivery is in progress. */
    settled: () => Promise.all(inFlight),
  }
}

/** Returns `t=…,v1=…`: the time (Unix seconds), and the HMAC-SHA256 of the time and the body. */
export function signature(secret: string, body: string, at: number): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}
