import { join } from 'node:path'
import formbody from '@fastify/formbody'
import { z } from 'zod'
import { listenOnLoopback, loopbackServer } from './loopback.ts'
import { addApi } from './payments/api.ts'
import { type BuiltInPlan, fillCatalogue, linksOf, setReturnUrl } from './payments/catalogue.ts'
import { createEvents } from './payments/events.ts'
import { createFaults } from './payments/faults.ts'
import type { Machine } from './payments/invoices.ts'
import { addPages } from './payments/pages.ts'
import { openStore } from './payments/store.ts'
import { dueAt, processDueEvent } from './payments/subscriptions.ts'
import { PaymentsProblem, readForm } from './payments/wire.ts'

export type PaymentsOptions = {
  /** Default 0: any free port. */
  port?: number
  /** Folder for all data; in memory if unset. */
  stateDir?: string
  secretKey?: string
  /** Signs all webhooks. If unset, each endpoint has its own secret, as at Stripe. */
  webhookSecret?: string
  /** Where the built-in payment links redirect after payment; a page of the stand-in if unset. */
  returnUrl?: string
}

export type Payments = {
  url: string
  port: number
  secretKey: string
  /** Payment links of the four built-in plans. */
  links: Record<BuiltInPlan, string>
  close(): Promise<void>
}

const DUE_CHECK_MS = 1_000

/**
 * Starts a stand-in for Stripe: API v1, hosted pages, webhooks, and a clock that tests advance. See
 * README.md.
 */
export async function startPayments(options: PaymentsOptions = {}): Promise<Payments> {
  const { port = 0, stateDir, secretKey = 'sk_test_x_automated', returnUrl } = options
  const store = openStore(stateDir && join(stateDir, 'payments.jsonl'))
  const stopping = new AbortController()
  /** The time of the event being processed while the clock is advanced. */
  let eventTime: number | null = null
  const today = () => Math.floor((Date.now() + store.aheadMs()) / 1_000)
  const now = () => eventTime ?? today()
  const faults = createFaults(stopping.signal)
  const events = createEvents(store, { now, realNow: Date.now }, faults)
  let address = { port: 0, url: '' }
  const machine: Machine = { store, now, emit: events.emit, url: () => address.url }
  fillCatalogue(store, now())
  if (returnUrl) setReturnUrl(store, returnUrl)

  /** Processes all due events in order. */
  function processDueEvents(): void {
    for (;;) {
      const next = store
        .all('subscription')
        .map((subscription) => ({ id: subscription.id, at: dueAt(machine, subscription) }))
        .sort((a, b) => a.at - b.at)[0]
      if (!next || next.at > today()) return
      eventTime = next.at
      try {
        processDueEvent(machine, next.id)
      } finally {
        eventTime = null
      }
    }
  }

  const app = loopbackServer()
  app.register(formbody, { parser: readForm })
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const problem =
      error instanceof PaymentsProblem ? error : new PaymentsProblem(error.statusCode ?? 500, error.message)
    if (problem.status === 500) console.error(error)
    return reply.code(problem.status).send(problem.body)
  })
  app.setNotFoundHandler((request) => {
    throw new PaymentsProblem(404, `Unrecognized request URL (${request.method}: ${request.url.split('?')[0]}).`)
  })
  faults.addTo(app)
  addApi(app, machine, { secretKey, webhookSecret: options.webhookSecret })
  addPages(app, machine)
  app.get('/', async (_request, reply) => reply.redirect(linksOf(address.url).pro_monthly))
  app.post('/_events/replay', async (request, reply) => {
    const given = z.object({ id: z.string() }).safeParse(request.body)
    if (!given.success) return reply.code(400).send({ error: 'The body is { "id": of an event }' })
    events.replay(given.data.id)
    return { id: given.data.id }
  })
  /** Advances the clock and processes everything that becomes due. */
  app.post('/_clock', async (request, reply) => {
    const given = z.object({ advanceSeconds: z.number().nonnegative() }).safeParse(request.body)
    if (!given.success) return reply.code(400).send({ error: 'The body is { "advanceSeconds": number }' })
    store.setAhead(store.aheadMs() + given.data.advanceSeconds * 1_000)
    processDueEvents()
    return { now: today() }
  })
  app.get('/_clock', async () => ({ now: today() }))

  try {
    address = await listenOnLoopback(app, port)
  } catch (error) {
    store.close()
    throw error
  }
  const timer = setInterval(processDueEvents, DUE_CHECK_MS)
  timer.unref()

  return {
    ...address,
    secretKey,
    links: linksOf(address.url),
    async close() {
      clearInterval(timer)
      stopping.abort()
      await events.stop()
      await app.close()
      store.close()
    },
  }
}
