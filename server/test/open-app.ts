import { appendFileSync } from 'node:fs'
import { createClient } from '@x-automated/contract/client'
import { contract } from '@x-automated/contract/contract'
import type { Google } from '@x-automated/stand-ins/google'
import type { Mailbox } from '@x-automated/stand-ins/mailbox'
import type { ModelStandIn } from '@x-automated/stand-ins/model'
import type { Payments } from '@x-automated/stand-ins/payments'
import type { Sso } from '@x-automated/stand-ins/sso'
import type { X, XOptions } from '@x-automated/stand-ins/x'
import { expect, inject } from 'vitest'
import type { Db } from '../src/db/open.ts'
import { type Env, readEnv } from '../src/env.ts'
import { EVENT_TYPES } from '../src/outside/payments.ts'
import { type RunningServer, startServer } from '../src/start.ts'
import { type Clock, openClock } from './clock.ts'
import { cloneDatabase } from './database.ts'
import { type Opened, watch } from './opened.ts'
import { paymentsEnv } from './payments-env.ts'
import { openScratchCluster, type ScratchCluster } from './scratch-cluster.ts'
import { openTestLog } from './test-log.ts'

export interface OpenAppOptions {
  /** Starts a stand-in X and configures the app with it. */
  x?: XOptions | true
  /** Starts a stand-in Google and configures the app with it. */
  google?: boolean
  /** Starts a stand-in identity provider with DNS, and configures the app with its DNS. */
  sso?: boolean
  /**
   * Starts a stand-in payment provider and configures the app with it. Its webhooks call this app.
   */
  payments?: boolean
  /** Starts a stand-in model server and configures the app with it as the operator's. */
  model?: boolean
  /** Starts a mailbox and configures the app with it. */
  mailbox?: boolean
  /** Starts a PostgreSQL for this app only. It keeps committed data if it is killed. */
  ownCluster?: boolean
  /** Puts the app, its database and its stand-in X under a clock that the test advances. */
  clock?: boolean
  /** Runs background workers (sending, scrapes, emails) in this process. Off: requests only. */
  workers?: boolean
  env?: NodeJS.ProcessEnv
  /** Lifts the limit of calls per minute. */
  unlimitedCalls?: boolean
}

export interface TestApp extends Opened {
  /** URL of the API, ending in /api. */
  url: string
  /** Origin of the server. */
  origin: string
  db: Db
  services: RunningServer['services']
  databaseUrl: string
  /** URL of another database on the same server. */
  clusterUrl: string
  /** Kills and restarts the app's own PostgreSQL. */
  crashDatabase(): Promise<void>
  env: Env
  x: X
  google: Google
  sso: Sso
  payments: Payments
  model: ModelStandIn
  mailbox: Mailbox
  clock: Clock
  /** A client without a session. */
  anonymous: ReturnType<typeof createClient>
  /** Starts another server of the app on the same database. */
  startAnother(options?: { workers?: boolean; env?: NodeJS.ProcessEnv }): Promise<RunningServer>
  /**
   * Stops all servers, runs `meanwhile` on the database, and restarts the first server at its
   * address.
   */
  restart(meanwhile: () => Promise<void>): Promise<void>
  /** Expects a server fault. Any other reported fault fails the current test. */
  expectFault(matching: RegExp): void
}

/**
 * Starts the app with its own database on a free port, and closes it when the test file ends.
 * Server faults, undeclared errors and responses that violate the contract fail the test.
 */
export async function openApp(options: OpenAppOptions = {}): Promise<TestApp> {
  const { startX } = options.x ? await import('@x-automated/stand-ins/x') : { startX: null }
  const { startMailbox } = options.mailbox ? await import('@x-automated/stand-ins/mailbox') : { startMailbox: null }
  const { startGoogle } = options.google ? await import('@x-automated/stand-ins/google') : { startGoogle: null }
  const { startSso } = options.sso ? await import('@x-automated/stand-ins/sso') : { startSso: null }
  const { startPayments } = options.payments ? await import('@x-automated/stand-ins/payments') : { startPayments: null }
  const { startModel } = options.model ? await import('@x-automated/stand-ins/model') : { startModel: null }
  const cluster = options.ownCluster ? await openOwnCluster() : null
  const clusterUrl = cluster?.url ?? inject('clusterUrl')
  const database = await cloneDatabase(clusterUrl)
  const clock = options.clock ? await openClock(database.url) : undefined
  const [x, mailbox, google, sso, payments, model] = await Promise.all([
    startX?.({ ...(clock && { now: clock.now }), ...(options.x === true ? {} : options.x) }),
    startMailbox?.({}),
    startGoogle?.(),
    startSso?.(),
    startPayments?.({ webhookSecret: WEBHOOK_SECRET }),
    startModel?.(),
  ])
  const faults: unknown[] = []
  const outcomes = new Set<string>()
  const expected: RegExp[] = []
  const envOf = (more: NodeJS.ProcessEnv = {}) =>
    readEnv({
      PORT: '0',
      PUBLIC_URL: 'http://localhost:3000',
      DATABASE_URL: database.url,
      // To run the tests with few connections: DATABASE_POOL_MAX=6 npm test
      DATABASE_POOL_MAX: process.env.DATABASE_POOL_MAX,
      AUTH_SECRET: 'a secret for tests, long enough to pass',
      LOG_LEVEL: 'silent',
      SEND_INTERVAL_SECONDS: '0',
      STAND_INS: 'on',
      ...(x
        ? {
            X_API_URL: x.url,
            X_CLIENT_ID: x.clientId,
            X_CLIENT_SECRET: x.clientSecret ?? '',
            X_CONSUMER_SECRET: x.consumerSecret,
            X_BEARER_TOKEN: x.bearerToken,
          }
        : {}),
      ...(google
        ? {
            GOOGLE_ISSUER: google.url,
            GOOGLE_CLIENT_ID: google.clientId,
            GOOGLE_CLIENT_SECRET: google.clientSecret,
          }
        : {}),
      ...(sso ? { DNS_SERVER: sso.dns } : {}),
      ...(payments ? { ...paymentsEnv(payments), STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET } : {}),
      ...(model
        ? {
            AI_BASE_URL: model.url,
            AI_API_KEY: model.key,
            AI_MODEL: 'stand-in',
            AI_INPUT_CENTS_PER_MILLION: '15',
            AI_OUTPUT_CENTS_PER_MILLION: '60',
            AI_CENTS_FREE: '100',
          }
        : {}),
      ...(mailbox ? { SMTP_URL: mailbox.smtpUrl } : {}),
      ...options.env,
      ...more,
    })
  const env = envOf()
  const servers: RunningServer[] = []
  const start = async (more: { workers?: boolean; env?: NodeJS.ProcessEnv } = {}) => {
    const server = await startServer({
      env: envOf(more.env),
      databaseUrl: database.url,
      workers: more.workers ?? false,
      migrate: false,
      log: openTestLog(
        (fault) => faults.push(fault),
        (outcome) => outcomes.add(outcome),
      ),
    })
    if (options.unlimitedCalls) server.services.limits.countCall = () => {}
    servers.push(server)
    return server
  }
  const server = await start({ workers: options.workers })
  // Only now is the server's port known.
  if (payments) await registerPaymentsWebhook(payments, `${server.url}/api/billing/webhook`)

  const app: TestApp = {
    url: `${server.url}/api`,
    origin: server.url,
    db: server.services.database.db,
    services: server.services,
    databaseUrl: database.url,
    clusterUrl,
    async crashDatabase() {
      if (!cluster) throw new Error('This database is shared with other tests.')
      await cluster.crash()
    },
    env,
    x: x as X,
    google: google as Google,
    sso: sso as Sso,
    payments: payments as Payments,
    model: model as ModelStandIn,
    mailbox: mailbox as Mailbox,
    clock: clock as Clock,
    anonymous: createClient({ contract, url: `${server.url}/api` }),
    startAnother: start,
    async restart(meanwhile) {
      await Promise.all(servers.splice(0).map((server) => server.close()))
      await meanwhile()
      await clock?.bind()
      const { services } = await start({ workers: options.workers, env: { PORT: new URL(app.origin).port } })
      Object.assign(app, { services, db: services.database.db })
    },
    expectFault: (matching) => expected.push(matching),
    check() {
      const surprises = faults.splice(0).filter((fault) => !expected.some((matching) => matching.test(String(fault))))
      expected.length = 0
      expect(surprises.map(String), 'server faults').toEqual([])
    },
    async close() {
      await Promise.all(servers.splice(0).map((server) => server.close()))
      await Promise.all([
        x?.close(),
        google?.close(),
        sso?.close(),
        payments?.close(),
        model?.close(),
        mailbox?.close(),
      ])
      await clock?.close()
      await database.drop()
      await cluster?.close()
      // Read by declared-answers.spec.ts after all files have run.
      if (process.env.ANSWERS_FILE) appendFileSync(process.env.ANSWERS_FILE, [...outcomes, ''].join('\n'))
    },
  }
  watch(app)
  return app
}

async function openOwnCluster(): Promise<ScratchCluster> {
  const { makeTemplate } = await import('./template.ts')
  const settings = { synchronous_commit: 'on', full_page_writes: 'on', autovacuum: 'on' }
  const cluster = await openScratchCluster({ log: () => {}, settings, inMemory: true })
  await makeTemplate(cluster.url)
  return cluster
}

/** Secret with which the payment provider signs webhooks. */
export const WEBHOOK_SECRET = 'whsec_of_tests'

/** Registers a webhook endpoint at the payment provider, as an operator does by hand. */
export async function registerPaymentsWebhook({ url, secretKey }: Payments, address: string): Promise<void> {
  const response = await fetch(`${url}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: new URLSearchParams([
      ['url', address],
      ...EVENT_TYPES.map((type) => ['enabled_events[]', type] as [string, string]),
    ]),
  })
  expect(response.status).toBe(200)
}
