import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Faults } from './faults.ts'
import type { Event, WebhookEndpoint } from './objects.ts'
import type { Store } from './store.ts'
import { toResponse } from './wire.ts'

export const API_VERSION = '2026-10-28.endive'

const ANSWER_WITHIN_MS = 10_000
/** Much shorter than Stripe's, which retries for days. */
const RETRY_AFTER_MS = [500, 2_000, 5_000, 15_000, 60_000]

export type Events = ReturnType<typeof createEvents>

/**
 * Stores events and sends them to webhooks, signed (docs.stripe.com/webhooks). Deliveries pending
 * at the end of the process are lost.
 */
export function createEvents(store: Store, clock: { now(): number; realNow(): number }, faults: Faults) {
  const stopping = new AbortController()
  const inFlight = new Set<Promise<void>>()
  /** Deliveries to an endpoint run one at a time. */
  const queues = new Map<string, Promise<void>>()
  let held: Event[] = []

  function emit(type: string, object: unknown): void {
    const event = store.put<Event>({
      id: store.newId('evt'),
      object: 'event',
      created: clock.now(),
      livemode: false,
      api_version: API_VERSION,
      data: { object: toResponse(object, [], () => undefined) },
      pending_webhooks: 0,
      request: null,
      type,
    })
    const fault = faults.forEvent(type)
    if (fault?.webhook === 'lose') return
    if (fault?.webhook === 'delay') {
      track(wait(fault.delayMs ?? 1_000).then(() => publish(event)))
      return
    }
    if (fault?.webhook === 'reorder') {
      held.push(event)
      if (held.length < (fault.count ?? 2)) return
      const reversed = held.reverse()
      held = []
      for (const one of reversed) publish(one)
      return
    }
    publish(event)
    if (fault?.webhook === 'repeat') publish(event)
  }

  function publish(event: Event): void {
    for (const endpoint of store.all('webhook_endpoint')) {
      if (!wants(endpoint, event.type)) continue
      const delivery = (queues.get(endpoint.id) ?? Promise.resolve()).then(() => deliver(endpoint.id, event))
      queues.set(endpoint.id, delivery)
      track(delivery)
    }
  }

  /** Retries failed deliveries separately, so they do not hold up the queue. */
  async function deliver(endpointId: string, event: Event): Promise<void> {
    const endpoint = store.find('webhook_endpoint', endpointId)
    if (endpoint && !stopping.signal.aborted && !(await attempt(endpoint, event))) track(retry(endpointId, event))
  }

  async function retry(endpointId: string, event: Event): Promise<void> {
    for (const ms of RETRY_AFTER_MS) {
      await wait(ms)
      const endpoint = store.find('webhook_endpoint', endpointId)
      if (!endpoint || stopping.signal.aborted || (await attempt(endpoint, event))) return
    }
  }

  async function attempt(endpoint: WebhookEndpoint, event: Event): Promise<boolean> {
    const body = JSON.stringify(event)
    try {
      const response = await fetch(endpoint.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': signature(endpoint.secret, body, Math.floor(clock.realNow() / 1_000)),
        },
        body,
        redirect: 'error',
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      })
      await response.arrayBuffer()
      return response.ok
    } catch {
      return false
    }
  }

  const wait = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})
  function track(work: Promise<void>): void {
    const tracked = work.finally(() => inFlight.delete(tracked))
    inFlight.add(tracked)
  }

  return {
    emit,
    /** Sends an event again. */
    replay: (id: string) => publish(store.get('event', id)),
    async stop() {
      stopping.abort()
      await Promise.all(inFlight)
    },
  }
}

function wants(endpoint: WebhookEndpoint, type: string): boolean {
  return endpoint.status === 'enabled' && endpoint.enabled_events.some((one) => one === '*' || one === type)
}

/** `t=…,v1=…`: HMAC-SHA256 of the time and the body. */
export function signature(secret: string, body: string, at: number): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}
