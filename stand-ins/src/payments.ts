import { join } from 'node:path'
import formbody from '@fastify/formbody'
import { z } from 'zod'
import { addFaults } from './faults.ts'
import { listenOnLoopback, loopbackServer } from './loopback.ts'
import { addApi } from './payments/api.ts'
import { fillCatalogue, linksOf } from './payments/catalogue.ts'
import { createEvents } from './payments/events.ts'
import type { Machine } from './payments/invoices.ts'
import { addPages } from './payments/pages.ts'
import { openStore } from './payments/store.ts'
import { nextDue } from './payments/subscriptions.ts'
import { PaymentsProblem, readForm } from './payments/wire.ts'

export type PaymentsOptions = {
  /** Defaults to any free port. */
  port?: number
  /** Folder for all data; in memory if unset. */
  stateDir?: string
  /** The secret that signs all webhooks. If unset, each endpoint has its own secret, as with Stripe. */
  webhookSecret?: string
  /** Where the built-in payment links redirect after payment. Defaults to a page of the stand-in. */
  returnUrl?: string
}

export type Payments = Awaited<ReturnType<typeof startPayments>>

const SECRET_KEY = 'sk_test_x_automated'
const DUE_CHECK_MS = 1_000

/** Starts a stand-in for Stripe: API v1, hosted pages, webhooks, and a clock that tests can advance. See README.md. */
export async function startPayments({ port = 0, stateDir, webhookSecret, returnUrl }: PaymentsOptions = {}) {
  const store = openStore(stateDir && join(stateDir, 'payments.jsonl'))
  fillCatalogue(store, returnUrl ?? null)
  const stopping = new AbortController()
  const app = loopbackServer()
  const faults = addFaults(app, stopping.signal, (status = 500) => {
    const code = status === 429 ? { code: 'rate_limit' } : {}
    return new PaymentsProblem(status, `Injected fault: ${status}`, code)
  })
  const events = createEvents(store, faults, stopping.signal)
  let address = { port: 0, url: '' }
  const machine: Machine = { store, emit: events.emit, url: () => address.url }

  /** Processes all due events in order. */
  function processDueEvents(): void {
    for (;;) {
      const due = store.all('subscription').flatMap((subscription) => nextDue(machine, subscription) ?? [])
      const [next] = due.sort((a, b) => a.at - b.at)
      if (!next || next.at > store.today()) return
      store.at(next.at, next.run)
    }
  }

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
  addApi(app, machine, { secretKey: SECRET_KEY, webhookSecret })
  addPages(app, machine)
  app.get('/', async (_request, reply) => reply.redirect(linksOf(address.url).pro_monthly))
  app.post<{ Body: { id: string } }>('/_events/replay', async (request) => {
    events.replay(request.body.id)
    return request.body
  })
  /** Advances the clock, and processes everything that becomes due. */
  app.post('/_clock', async (request, reply) => {
    const parsed = z.object({ advanceSeconds: z.number().nonnegative() }).safeParse(request.body)
    if (!parsed.success) return reply.code(400).send({ error: 'The body is { "advanceSeconds": number }' })
    store.advance(parsed.data.advanceSeconds * 1_000)
    processDueEvents()
    return { now: store.today() }
  })
  app.get('/_clock', async () => ({ now: store.today() }))

  app.addHook('onClose', async () => store.close())
  address = await listenOnLoopback(app, port)
  const timer = setInterval(processDueEvents, DUE_CHECK_MS)
  timer.unref()

  return {
    ...address,
    secretKey: SECRET_KEY,
    /** Payment links of the four built-in plans. */
    links: linksOf(address.url),
    async close() {
      clearInterval(timer)
      stopping.abort()
      await events.settled()
      await app.close()
    },
  }
}
