import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Faults } from '../../faults.ts'

const ANSWER_WITHIN_MS = 10_000
/** Delay before each retry. X does not document its delays. */
const RETRY_AFTER_MS = [500, 2_000, 5_000]
/** Maximum number of concurrent deliveries to a webhook. */
const CONCURRENCY = 20

type Delivery = { eventType: string; body: string }

/** Returns `sha256=` and the HMAC of a text, for webhook signatures and challenge responses. */
export function signatureOf(secret: string, text: string): string {
  return `sha256=${createHmac('sha256', secret).update(text).digest('base64')}`
}

/**
 * Sends signed events to webhooks, at most 20 at a time to each, with retries. Deliveries still
 * waiting when the process ends are lost, but can be replayed.
 */
export function createDeliveries(
  targetOf: (webhookId: string) => { url: string; secret: string } | undefined,
  stopping: AbortSignal,
) {
  const inFlight = new Set<Promise<unknown>>()
  const lines = new Map<string, { running: number; waiting: (() => void)[] }>()
  let faults: Faults | undefined
  let heldBack: (() => void)[] = []

  const wait = (ms: number) => sleep(ms, undefined, { signal: stopping }).catch(() => {})
  function track(work: Promise<unknown>): void {
    const tracked = work.finally(() => inFlight.delete(tracked))
    inFlight.add(tracked)
  }

  function send(webhookId: string, delivery: Delivery): void {
    const deliverOnce = () => track(deliver(webhookId, delivery))
    const fault = faults?.forEvent(delivery.eventType)
    switch (fault?.webhook) {
      case 'lose':
        return
      case 'delay':
        track(wait(fault.delayMs).then(deliverOnce))
        return
      case 'reorder':
        heldBack.unshift(deliverOnce)
        if (heldBack.length < fault.count) return
        for (const deliverNext of heldBack) deliverNext()
        heldBack = []
        return
      case 'repeat':
        deliverOnce()
    }
    deliverOnce()
  }

  async function deliver(webhookId: string, delivery: Delivery): Promise<void> {
    for (const ms of [0, ...RETRY_AFTER_MS]) {
      if (ms > 0) await wait(ms)
      if (await inTurn(webhookId, () => attempt(webhookId, delivery))) return
    }
  }

  /** Runs `work` as soon as fewer than 20 others run for this webhook. */
  async function inTurn<Result>(webhookId: string, work: () => Promise<Result>): Promise<Result> {
    const line = lines.get(webhookId) ?? { running: 0, waiting: [] }
    lines.set(webhookId, line)
    if (line.running < CONCURRENCY) line.running++
    else await new Promise<void>((resolve) => line.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.waiting.shift()
      if (next) next()
      else line.running--
    }
  }

  /** @returns whether the webhook accepted the event, or no longer wants it */
  async function attempt(webhookId: string, { body }: Delivery): Promise<boolean> {
    const target = targetOf(webhookId)
    if (!target || stopping.aborted) return true
    try {
      const response = await fetch(target.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-twitter-webhooks-signature': signatureOf(target.secret, body),
        },
        body,
        redirect: 'error',
        signal: AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      })
      await response.arrayBuffer()
      return response.ok
    } catch {
      return false
    }
  }

  return {
    send,
    /** Injects these faults from now on. */
    useFaults: (next: Faults) => (faults = next),
    /** Resolves once every delivery has succeeded or been given up. */
    settled: () => Promise.all(inFlight),
  }
}
