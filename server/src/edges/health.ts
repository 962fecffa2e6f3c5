import { RELEASE } from '@x-automated/contract/platform/early-features'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import { sendRefusal } from './envelope.ts'

const READY_TIMEOUT_MS = 2_000

/** Headers that proxies add. If a local proxy adds none, set METRICS_TOKEN, because its calls look local. */
const FORWARDED = /^(forwarded|via|x-real-ip|x-forwarded-.*)$/

/** GET /healthz (it runs), GET /readyz (it can serve requests), GET /metrics (Prometheus). */
export function serveHealth(app: FastifyInstance, services: Services): void {
  app.get('/healthz', async () => ({ status: 'ok', version: RELEASE }))

  let checking: Promise<DatabaseState> | null = null
  app.get('/readyz', async (_request, reply) => {
    // Concurrent requests share one database check.
    checking ??= checkDatabase(services.database.for('signIn').pool).finally(() => {
      checking = null
    })
    const database = await checking
    const draining = services.isDraining()
    const ready = database === 'ok' && !draining
    return reply.status(ready ? 200 : 503).send({
      ...(ready ? { status: 'ok' } : { success: false, code: 'NOT_READY', error: "The service isn't ready." }),
      dependencies: { database, server: draining ? 'draining' : 'ok' },
    })
  })

  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  registry.registerMetric(services.unreadables.metric)
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Response time by route and status',
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

type DatabaseState = 'ok' | 'full' | 'down'

/** Exceeds work_mem, so PostgreSQL writes a temporary file, which fails if its disk is full. */
const WRITES_TO_DISK = "set local work_mem = '64kB'; select count(*) from generate_series(1, 20000)"
/** PostgreSQL's disk_full. */
const DISK_FULL = '53100'

async function checkDatabase(pool: pg.Pool): Promise<DatabaseState> {
  const late = new Promise<'down'>((resolve) => setTimeout(() => resolve('down'), READY_TIMEOUT_MS).unref())
  const state = pool.query(WRITES_TO_DISK).then(
    () => 'ok' as const,
    ({ code }) => (code === DISK_FULL ? ('full' as const) : ('down' as const)),
  )
  return Promise.race([state, late])
}
