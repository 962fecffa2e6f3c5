import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { createApp } from './app.ts'
import { releaseMember } from './core/conversations/changes.ts'
import { requeueRestored } from './core/messages/release.ts'
import { resumeSending, SENDING_CHANNEL } from './core/messages/schedule.ts'
import { stopMessages } from './core/messages/stop.ts'
import { DELIVERIES_CHANNEL } from './core/replies/deliveries.ts'
import { noteGapsOfStart } from './core/replies/gaps.ts'
import { resumeReading } from './core/replies/watches.ts'
import { openChannels } from './db/channels.ts'
import { createRequestWorker } from './db/liveness.ts'
import { migrateDatabase } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { isUnavailable, retryWhileUnavailable } from './db/unavailable.ts'
import { checkSecret } from './domains/identity/auth/engine.ts'
import { openAuth, REVOCATIONS_CHANNEL } from './domains/identity/auth/tokens.ts'
import { MEMBERSHIPS_CHANNEL } from './domains/identity/workspaces/workspaces.ts'
import { failAbandonedImports } from './domains/leads/imports/imports.ts'
import { resumeScrapes, SCRAPES_CHANNEL } from './domains/leads/scrapes/changes.ts'
import { createUnreadables } from './domains/overview/operator/unreadable.ts'
import { removeOf, suspendOf } from './domains/platform/api-keys/api-keys.ts'
import { findPeopleLimit } from './domains/platform/billing/plan.ts'
import { openEvents } from './domains/platform/events/events.ts'
import { EVENTS_CHANNEL, RECORDED_CHANNEL } from './domains/platform/events/recording.ts'
import { MEMBER_NOTIFICATIONS_CHANNEL } from './domains/platform/notifications/notifications.ts'
import { createXApps } from './domains/platform/x-apps/engine.ts'
import { createXMeters } from './domains/platform/x-costs/meter.ts'
import * as waitlist from './domains/waitlist/waitlist/waitlist.ts'
import { removeAbandonedUploads } from './edges/csv-uploads.ts'
import { openExtensionPackage, openExtensionPages } from './edges/extension-package.ts'
import type { Env } from './env.ts'
import { createOutbox } from './jobs/mail.ts'
import { JOBS_CHANNEL, openJobQueue } from './jobs/queue.ts'
import { openLog } from './log.ts'
import { createDns } from './outside/dns.ts'
import { createGoogle } from './outside/google.ts'
import { createModels } from './outside/models.ts'
import { createPayments } from './outside/payments.ts'
import { createPictureHost } from './outside/picture-host.ts'
import { createSafeFetch } from './outside/safe-fetch.ts'
import { createXApi } from './outside/x.ts'
import type { XReport } from './outside/x-report.ts'
import { createPictureCache, type PictureCache } from './picture-cache.ts'
import { createPictures } from './pictures.ts'
import { createLimits } from './requests/limits.ts'
import { createSealer } from './sealing.ts'
import type { Services } from './services.ts'
import { startWorkers } from './workers.ts'
import './connect-core.ts'

const WEB_FOLDER = fileURLToPath(new URL('../../web/build/client', import.meta.url))
const EXTENSION_FOLDER = fileURLToPath(new URL('../../extension/.output/chrome-mv3', import.meta.url))
const EXTENSION_PAGES = fileURLToPath(new URL('../../extension/pages.json', import.meta.url))
/** How long requests and jobs may take to finish. */
const DRAIN_SECONDS = 20
/** How long shutdown keeps unused connections. Browsers open them in advance, and Node.js would wait for a request. */
const UNUSED_SECONDS = 1
/** How often shutdown closes connections whose last request has been answered: clients keep them open. */
const IDLE_MS = 100
/** Connections that wait to be accepted. The system drops more, and clients try again only after seconds. */
const BACKLOG = 4_096
/** Limit for closing everything, if the database or another service does not respond. */
const CLOSE_SECONDS = 25

/** The channels on which processes notify each other. */
const CHANNELS = [
  DELIVERIES_CHANNEL,
  EVENTS_CHANNEL,
  JOBS_CHANNEL,
  MEMBER_NOTIFICATIONS_CHANNEL,
  MEMBERSHIPS_CHANNEL,
  RECORDED_CHANNEL,
  REVOCATIONS_CHANNEL,
  SCRAPES_CHANNEL,
  SENDING_CHANNEL,
]

export interface RunningServer {
  /** The URL it listens on. */
  url: string
  services: Services
  /** Stops accepting work, finishes what is in progress, and closes everything. */
  close(): Promise<void>
}

interface StartOptions {
  env: Env
  databaseUrl: string
  /** Off in tests of single requests. */
  workers?: boolean
  migrate?: boolean
  webFolder?: string
  extensionFolder?: string
  log?: FastifyBaseLogger
}

/** Opens everything in dependency order, and listens. */
export async function startServer({
  env,
  databaseUrl,
  workers = true,
  migrate = true,
  webFolder = WEB_FOLDER,
  extensionFolder = EXTENSION_FOLDER,
  log = openLog(env.logLevel),
}: StartOptions): Promise<RunningServer> {
  if (migrate) await reachDatabase(() => migrateDatabase(databaseUrl), log)
  const origin = env.publicUrl ?? `http://localhost:${env.port}`
  const extension = openExtensionPackage(extensionFolder, origin)
  const pictureCache = createPictureCache(join(env.dataDir, 'pictures'))
  let draining = false
  const services = await openServices(
    {
      ...{ env, log, origin, isDraining: () => draining },
      extensionVersion: extension?.version ?? null,
      extensionPages: openExtensionPages(EXTENSION_PAGES, log),
    },
    databaseUrl,
    pictureCache,
  )
  const app = await createApp(services, { webFolder, extension })
  const closeUnused = trackUnused(app.server)
  // Comes first, because extensions claim follow-ups as soon as the server listens.
  if (workers && services.x) await retryWhileUnavailable(() => noteGapsOfStart(services.database))
  // Listen before starting workers: if the port is taken, nothing has been claimed.
  const url = await app.listen({ port: env.port, host: env.host, backlog: BACKLOG })
  await retryWhileUnavailable(() => failAbandonedImports(services.database.db))
  await removeAbandonedUploads().catch((error) => log.warn({ err: error }, 'abandoned uploads were not deleted'))
  const running = workers ? await startWorkers(services, pictureCache) : services.jobs
  return {
    url,
    services,
    async close() {
      draining = true
      const unused = setTimeout(closeUnused, UNUSED_SECONDS * 1000)
      const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_MS)
      // A client that stops reading must not block shutdown.
      const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_SECONDS * 1000)
      const close = async () => {
        await Promise.all([app.close(), running.close(DRAIN_SECONDS)])
        await closeServices(services)
      }
      const isLate = Symbol('late')
      const late = sleep(CLOSE_SECONDS * 1000, isLate, { ref: false })
      if ((await Promise.race([close(), late])) === isLate) log.warn('shutdown timed out')
      clearTimeout(unused)
      clearInterval(idle)
      clearTimeout(deadline)
    },
  }
}

type BaseServices = Pick<Services, 'env' | 'log' | 'origin' | 'extensionVersion' | 'extensionPages' | 'isDraining'>

/** Opens the database and what needs it, and creates the clients of outside services. */
async function openServices(base: BaseServices, databaseUrl: string, pictureCache: PictureCache): Promise<Services> {
  const { env, log, origin } = base
  const database = openDatabase(databaseUrl, {
    max: env.databasePoolMax,
    onIdleError: (error) => log.warn({ err: error }, 'a database connection broke'),
  })
  await retryWhileUnavailable(() => checkSecret(database.db, env.authSecret)).catch(async (error) => {
    await database.close()
    throw error
  })
  const channels = openChannels(database, CHANNELS)
  await retryWhileUnavailable(() => database.session.run(async () => {}))
  const jobs = await retryWhileUnavailable(() => openJobQueue(database, channels, log))
  const requestWorker = createRequestWorker(database)
  const unreadables = createUnreadables(database.db, log)
  return {
    ...base,
    ...createClients(env, origin, unreadables.report),
    unreadables,
    database,
    channels,
    events: openEvents({ database, channels, requestWorker, log }),
    jobs,
    outbox: createOutbox(jobs, env.authSecret),
    auth: await openAuth({ database, channels, origin, secret: env.authSecret }),
    waitlist,
    plans: { findPeopleLimit },
    sending: { requeueRestored, stopMessages },
    inbox: { releaseMember },
    apiKeys: { removeOf, suspendOf },
    xMeters: createXMeters({ database, isPriced: env.isXPriced, log }),
    xWork: {
      async resume(db, workspaceId) {
        await resumeScrapes(db, jobs, workspaceId)
        await resumeSending(db, workspaceId)
        await resumeReading(db, jobs, workspaceId)
      },
    },
    limits: createLimits(database.sidePool),
    requestWorker,
    pictures: createPictures({
      secret: env.authSecret,
      host: createPictureHost(env.x && !env.isRealX ? new URL(env.x.apiUrl).origin : null),
      cache: pictureCache,
    }),
    sealer: createSealer(env.authSecret, 'x-automated x tokens'),
    ssoSealer: createSealer(env.authSecret, 'x-automated single sign-on'),
    writerSealer: createSealer(env.authSecret, 'x-automated models'),
  }
}

/** The clients of outside services; null: not configured. */
function createClients(env: Env, origin: string, report: XReport) {
  const xApps = createXApps(env, report)
  return {
    x: env.x && (xApps.operator?.x ?? createXApi({ ...env.x, report })),
    xApps,
    xActivity: xApps.operator?.activity ?? null,
    google: env.google ? createGoogle({ ...env.google, redirectUri: `${origin}/api/auth/callback/google` }) : null,
    payments: env.payments ? createPayments(env.payments) : null,
    dns: createDns(env.dnsServer),
    models: createModels({
      timeoutSeconds: env.ai.timeoutSeconds,
      allowLoopback: env.standIns,
      allowPrivate: env.ai.allowsPrivateAddresses,
    }),
    // Stand-ins run on this machine.
    safeFetch: createSafeFetch({ allowLoopback: env.standIns }),
  }
}

async function closeServices(services: Services): Promise<void> {
  const { events, requestWorker, limits, auth, xMeters, unreadables, database } = services
  await xMeters.close()
  await unreadables.flush()
  await events.close()
  await requestWorker.close()
  await limits.close()
  auth.close()
  await database.close()
}

/** Tracks connections. @returns a function that closes those on which nothing has arrived */
function trackUnused(server: Server): () => void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

/** Runs the first step that needs the database. Waits for a database that starts after the server. */
async function reachDatabase(step: () => Promise<void>, log: FastifyBaseLogger): Promise<void> {
  try {
    await retryWhileUnavailable(step, (error) => log.warn({ err: error }, 'waiting for the database'))
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const [first = error] = error instanceof AggregateError ? error.errors : []
    throw new Error(`The database cannot be reached: ${(first as Error).message}. Check DATABASE_URL.`, {
      cause: error,
    })
  }
}
