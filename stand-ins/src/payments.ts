import { join } from 'node:path'
import formbody from '@fastify/formbody'
import { z } from 'zod'
import { listenOnLoopback, loopbackServer } from './loopback.ts'
import { addApi } from './payments/api.ts'
import { type BuiltInPlan, fillCatalogue, leadBack, linksOf } from './payments/catalogue.ts'
import { createEvents } from './payments/events.ts'
import { createFaults } from './payments/faults.ts'
import type { Machine } from './payments/invoices.ts'
import { addPages } from './payments/pages.ts'
import { openStore } from './payments/store.ts'
import { dueAt, passTime } from './payments/subscriptions.ts'
import { PaymentsProblem, readForm } from './payments/wire.ts'

export type PaymentsOptions = {
  /** 0 (the default) takes a free one. */
  port?: number
  /** Where everything is kept. Without it it dies with the process. */
  stateDir?: string
  secretKey?: string
  /** What all webhooks are signed with; without it each has a secret of its own, as at Stripe. */
  webhookSecret?: string
  /** Where the links of the built-in plans lead once they are paid, as whoever sets them up says; without it they end on a page of this server's. */
  returnUrl?: string
}

export type Payments = {
  url: string
  port: number
  secretKey: string
  /** The hosted pages of the four built-in plans. */
  links: Record<BuiltInPlan, string>
  close(): Promise<void>
}

/** How often it looks whether something is due. */
const LOOK_EVERY_MS = 1_000

/**
 * Starts the stand-in for Stripe on the loopback address: its API v1 as the official library speaks it, its hosted pages, its webhooks,
 * and a clock that can be moved on, with which periods end and subscriptions are renewed. README.md tells its rules.
 */
export async function startPayments(options: PaymentsOptions = {}): Promise<Payments> {
  const { port = 0, stateDir, secretKey = 'sk_test_x_automated', returnUrl } = options
  const store = openStore(stateDir && join(stateDir, 'payments.jsonl'))
  const stopping = new AbortController()
  /** A moment that is gone through while time passes. */
  let passing: number | null = null
  const today = () => Math.floor((Date.now() + store.aheadMs()) / 1_000)
  const now = () => passing ?? today()
  const faults = createFaults(stopping.signal)
  const events = createEvents(store, { now, realNow: Date.now }, faults)
  let address = { port: 0, url: '' }
  const machine: Machine = { store, now, emit: events.emit, url: () => address.url }
  fillCatalogue(store, now())
  if (returnUrl) leadBack(store, returnUrl)

  /** Lets happen what is due, in its order. */
  function letPass(): void {
    for (;;) {
      const next = store
        .all('subscription')
        .map((subscription) => ({ id: subscription.id, at: dueAt(machine, subscription) }))
        .sort((a, b) => a.at - b.at)[0]
      if (!next || next.at > today()) return
      passing = next.at
      try {
        passTime(machine, next.id)
      } finally {
        passing = null
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
  /** Moves the clock on. What is due meanwhile has happened when this answers. */
  app.post('/_clock', async (request, reply) => {
    const given = z.object({ advanceSeconds: z.number().nonnegative() }).safeParse(request.body)
    if (!given.success) return reply.code(400).send({ error: 'The body is { "advanceSeconds": number }' })
    store.setAhead(store.aheadMs() + given.data.advanceSeconds * 1_000)
    letPass()
    return { now: today() }
  })
  app.get('/_clock', async () => ({ now: today() }))

  try {
    address = await listenOnLoopback(app, port)
  } catch (error) {
    store.close()
    throw error
  }
  const timer = setInterval(letPass, LOOK_EVERY_MS)
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
