import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { createApp } from './app.ts'
import { openChannels } from './db/channels.ts'
import { createRequestWorker } from './db/liveness.ts'
import { allowLongStatements } from './db/long-statements.ts'
import { migrateDatabase } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { isUnavailable, retryWhileUnavailable } from './db/unavailable.ts'
import { purgeExpiredLinks, workOnAccountEmails } from './domains/identity/account/service.ts'
import { checkSecret } from './domains/identity/auth/engine.ts'
import { openAuth, purgeExpired, REVOCATIONS_CHANNEL } from './domains/identity/auth/service.ts'
import { purgeExpiredStates } from './domains/identity/identities/service.ts'
import { purgeExpiredInvitations } from './domains/identity/people/service.ts'
import { purgeUnfinishedFactors } from './domains/identity/second-factors/service.ts'
import { purgeExpiredRequests } from './domains/identity/sso/service.ts'
import { MEMBERSHIPS_CHANNEL, purgeMembershipChanges } from './domains/identity/workspaces/service.ts'
import { failAbandonedImports } from './domains/leads/imports/service.ts'
import { purgeRemovals } from './domains/leads/removals/service.ts'
import { runScrapes, SCRAPES_CHANNEL } from './domains/leads/scrapes/service.ts'
import { bulkKinds } from './domains/outreach/bulk/engine.ts'
import { queueNextParts } from './domains/outreach/campaigns/service.ts'
import { purgeExpiredOffers } from './domains/outreach/conversation-offers/service.ts'
import {
  endSnoozes,
  purgeConversationUndos,
  relabelReply,
  releaseMember,
} from './domains/outreach/conversations/service-changes.ts'
import { purgeExpiredPairingCodes } from './domains/outreach/extension/service.ts'
import { writeOpeners } from './domains/outreach/openers/service-writing.ts'
import { purgeOldTexts, startReplyDetection } from './domains/outreach/replies/service.ts'
import { SENDING_CHANNEL, stopMessages } from './domains/outreach/sending/service.ts'
import { judgeTests } from './domains/outreach/sequences/service-verdicts.ts'
import { giveSecondOpinions, purgeOpinions } from './domains/outreach/writer/service.ts'
import { purgePaymentEvents, runPayments } from './domains/platform/billing/engine.ts'
import { findPeopleLimit } from './domains/platform/billing/service.ts'
import { EVENTS_CHANNEL, openEvents, purgeEventStreams, RECORDED_CHANNEL } from './domains/platform/events/service.ts'
import { runJobs } from './domains/platform/jobs/engine.ts'
import { purgeJobs } from './domains/platform/jobs/service.ts'
import {
  MEMBER_NOTIFICATIONS_CHANNEL,
  purgeOldNotifications,
  startNotificationEmails,
} from './domains/platform/notifications/service.ts'
import { purgeDeliveries, runWebhooks } from './domains/platform/webhooks/service.ts'
import { purgeExpiredAuthorizations } from './domains/platform/x-account/service.ts'
import * as waitlist from './domains/waitlist/waitlist/service.ts'
import { removeAbandonedUploads } from './edges/csv-uploads.ts'
import { openExtensionPackage } from './edges/extension-package.ts'
import type { Env } from './env.ts'
import { createOutbox, sendQueuedEmails } from './jobs/mail.ts'
import { JOBS_CHANNEL, openJobQueue } from './jobs/queue.ts'
import { startSender } from './jobs/sender.ts'
import { openLog } from './log.ts'
import { createDns } from './outside/dns.ts'
import { createGoogle } from './outside/google.ts'
import { createMailer } from './outside/mail.ts'
import { createModels } from './outside/models.ts'
import { createPayments } from './outside/payments.ts'
import { createPictureHost } from './outside/picture-host.ts'
import { createSafeFetch } from './outside/safe-fetch.ts'
import { createXApi } from './outside/x.ts'
import { createXActivity } from './outside/x-activity.ts'
import { createPictureCache } from './picture-cache.ts'
import { createPictures } from './pictures.ts'
import { createLimits } from './requests/limits.ts'
import { purgeIdempotencyKeys } from './requests/once.ts'
import { createSealer } from './sealing.ts'
import type { Services } from './services.ts'

const WEB_FOLDER = fileURLToPath(new URL('../../web/build/client', import.meta.url))
const EXTENSION_FOLDER = fileURLToPath(new URL('../../extension/.output/chrome-mv3', import.meta.url))
/** How long requests and jobs may take to finish. */
const DRAIN_SECONDS = 20
/** Browsers open connections ahead. Node.js waits for their first request, even when it closes. */
const UNUSED_SECONDS = 1
/** Limit for closing everything, if the database or another service does not respond. */
const CLOSE_SECONDS = 25

export interface RunningServer {
  /** The URL it listens on. */
  url: string
  services: Services
  /** Stops accepting work, finishes what is in progress, and closes everything. */
  close(): Promise<void>
}

export interface StartOptions {
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
  const database = openDatabase(databaseUrl, {
    max: env.databasePoolMax,
    onIdleError: (error) => log.warn({ err: error }, 'a database connection broke'),
  })
  await retryWhileUnavailable(() => checkSecret(database.db, env.authSecret)).catch(async (error) => {
    await database.close()
    throw error
  })
  const channels = openChannels(database, [
    EVENTS_CHANNEL,
    JOBS_CHANNEL,
    MEMBER_NOTIFICATIONS_CHANNEL,
    MEMBERSHIPS_CHANNEL,
    RECORDED_CHANNEL,
    REVOCATIONS_CHANNEL,
    SCRAPES_CHANNEL,
    SENDING_CHANNEL,
  ])
  await retryWhileUnavailable(() => database.session.run(async () => {}))
  const jobs = await retryWhileUnavailable(() => openJobQueue(database, channels, log))
  const outbox = createOutbox(jobs, env.authSecret)
  const origin = env.publicUrl ?? `http://localhost:${env.port}`
  const auth = await openAuth({ database, channels, origin, secret: env.authSecret })
  const limits = createLimits(database.sidePool)
  const extension = openExtensionPackage(extensionFolder, origin)
  const requestWorker = createRequestWorker(database)
  const pictureCache = createPictureCache(join(env.dataDir, 'pictures'))
  let draining = false
  const sockets = new Set<Socket>()
  const services: Services = {
    env,
    log,
    origin,
    database,
    channels,
    events: openEvents({ database, channels, requestWorker, log }),
    jobs,
    outbox,
    auth,
    waitlist,
    plans: { findPeopleLimit },
    sending: { stopMessages },
    inbox: { releaseMember },
    limits,
    x: env.x ? createXApi(env.x) : null,
    requestWorker,
    xActivity: createXActivityIfConfigured(env),
    google: env.google ? createGoogle({ ...env.google, redirectUri: `${origin}/api/auth/callback/google` }) : null,
    payments: env.payments ? createPayments(env.payments) : null,
    dns: createDns(env.dnsServer),
    models: createModels({
      timeoutSeconds: env.ai.timeoutSeconds,
      allowLoopback: env.standIns,
      allowPrivate: env.ai.allowsPrivateAddresses,
    }),
    pictures: createPictures({
      secret: env.authSecret,
      host: createPictureHost(env.x && !env.isRealX ? new URL(env.x.apiUrl).origin : null),
      cache: pictureCache,
    }),
    // Stand-ins run on this machine.
    safeFetch: createSafeFetch({ allowLoopback: env.standIns }),
    sealer: createSealer(env.authSecret, 'x-automated x tokens'),
    ssoSealer: createSealer(env.authSecret, 'x-automated single sign-on'),
    writerSealer: createSealer(env.authSecret, 'x-automated models'),
    extensionVersion: extension?.version ?? null,
    isDraining: () => draining,
  }
  const app = await createApp(services, { webFolder, extension })
  const mailer = env.smtpUrl ? createMailer(env.smtpUrl, env.mailFrom) : null
  // Listen before starting workers: if the port is taken, nothing has been claimed.
  app.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const url = await app.listen({ port: env.port, host: env.host })
  await retryWhileUnavailable(() => failAbandonedImports(database.db))
  await removeAbandonedUploads().catch((error) => log.warn({ err: error }, 'abandoned uploads were not deleted'))
  // Runs even without X: it ends the leases of extensions that never reported.
  const sender = workers ? await startSender(services) : null
  const webhooks = workers ? await runWebhooks({ ...services, db: database.db }) : null
  const notificationEmails = workers ? startNotificationEmails({ ...services, db: database.db }, log) : null
  if (workers && services.x) await startReplyDetection(services)
  const scraper = workers && services.x ? await runScrapes(services, log) : null
  if (workers) {
    await workOnAccountEmails(services)
    await runPayments(services)
    if (mailer) await sendQueuedEmails(jobs, mailer, env.authSecret)
    else log.warn('SMTP_URL is not set: emails stay in the queue')
    if (!env.hasContact && !env.standIns)
      log.warn('SUPPORT_EMAIL is not set: pages show a support address that no one reads')
    if (!services.google) log.warn('GOOGLE_CLIENT_ID is not set: Google sign-in is disabled')
    if (!services.payments) log.warn('STRIPE_SECRET_KEY is not set: plans cannot be bought')
    if (!services.x) log.warn('X_API_URL is not set: connecting X, scraping and sending are disabled')
    await jobs.work('expire-week', 1, () => waitlist.expireWeek(database.db))
    await jobs.work('judge-tests', 1, async () => void (await judgeTests(database.db)))
    await jobs.work('launch-parts', 1, () => queueNextParts(database.db, env))
    await runJobs(services, { openers: { run: writeOpeners }, ...bulkKinds })
    await jobs.work('end-snoozes', 1, () => endSnoozes(database.db))
    await jobs.work('second-opinions', 1, () => giveSecondOpinions({ ...services, db: database.db, relabelReply }))
    await jobs.work('cleanup', 1, async () => {
      await failAbandonedImports(database.db)
      const expired = [
        purgeIdempotencyKeys,
        purgeRemovals,
        purgeExpired,
        purgeMembershipChanges,
        purgeExpiredInvitations,
        purgeExpiredLinks,
        purgeExpiredPairingCodes,
        purgeConversationUndos,
        purgeExpiredStates,
        purgeUnfinishedFactors,
        purgeExpiredAuthorizations,
        purgeExpiredRequests,
        waitlist.purgeJoinData,
        purgeDeliveries,
        purgeEventStreams,
        purgeOldNotifications,
        purgePaymentEvents,
        purgeExpiredOffers,
        purgeOpinions,
        purgeJobs,
      ]
      for (const remove of expired) {
        await database.db.transaction(async (tx) => {
          await allowLongStatements(tx)
          await remove(tx)
        })
      }
      await purgeOldTexts(database.db)
      await pictureCache.purgeUnused()
      await database.pool.query('delete from rate_limits where expire < $1', [Date.now()])
      await database.pool.query('delete from call_counts where minute < $1', [Math.floor(Date.now() / 60_000) - 5])
    })
  }

  return {
    url,
    services,
    async close() {
      draining = true
      const unused = setTimeout(() => {
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      }, UNUSED_SECONDS * 1000)
      // A client that stops reading must not block shutdown.
      const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_SECONDS * 1000)
      const close = async () => {
        webhooks?.close()
        await notificationEmails?.close()
        await Promise.all([app.close(), sender?.close(), jobs.close(DRAIN_SECONDS)])
        await scraper?.close()
        await services.events.close()
        await services.requestWorker.close()
        await limits.close()
        auth.close()
        mailer?.close()
        await database.close()
      }
      const isLate = Symbol('late')
      const late = sleep(CLOSE_SECONDS * 1000, isLate, { ref: false })
      if ((await Promise.race([close(), late])) === isLate) log.warn('shutdown timed out')
      clearTimeout(unused)
      clearTimeout(deadline)
    },
  }
}

/** Runs the first step that needs the database, which may start after the server. */
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

/**
 * X signs notifications with the app's secret; registering the webhook needs the app's own token.
 */
function createXActivityIfConfigured({ x }: Env) {
  return x?.consumerSecret && x.bearerToken
    ? createXActivity({ apiUrl: x.apiUrl, consumerSecret: x.consumerSecret, bearerToken: x.bearerToken })
    : null
}
