import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Services } from '../app.ts'
import { Refusal } from '../refusal.ts'
import { sendRefusal } from './envelope.ts'

const READY_TIMEOUT_MS = 2_000

/** Headers that proxies add. A proxy on this machine that adds none looks like a local call: it needs METRICS_TOKEN. */
const FORWARDED = /^(forwarded|via|x-real-ip|x-forwarded-.*)$/

/** GET /healthz (this process lives), GET /readyz (it and what it depends on can serve), GET /metrics (Prometheus). */
export function serveHealth(app: FastifyInstance, services: Services): void {
  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const database = await answersInTime(services.database.pool.query('select 1'))
    const draining = services.isDraining()
    const ready = database && !draining
    return reply.status(ready ? 200 : 503).send({
      ...(ready ? { status: 'ok' } : { success: false, code: 'NOT_READY', error: 'The service is not ready.' }),
      dependencies: { database: database ? 'ok' : 'down', server: draining ? 'draining' : 'ok' },
    })
  })

  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    durations.observe(
      {
        method: request.method,
        route: request.operation ?? request.routeOptions.url ?? 'none',
        status: reply.statusCode,
      },
      reply.elapsedTime / 1000,
    )
  })
  app.get('/metrics', async (request, reply) => {
    const { metricsToken } = services.env
    const forwarded = Object.keys(request.headers).some((name) => FORWARDED.test(name))
    const local = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.socket.remoteAddress ?? '')
    const allowed = metricsToken ? request.headers.authorization === `Bearer ${metricsToken}` : local && !forwarded
    if (!allowed) return sendRefusal(reply, new Refusal('NOT_FOUND'))
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

async function answersInTime(answer: Promise<unknown>): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), READY_TIMEOUT_MS).unref())
  return Promise.race([answer.then(() => true).catch(() => false), late])
}
