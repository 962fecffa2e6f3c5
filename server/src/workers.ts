import { attemptEach } from './attempt-each.ts'
import { queueNextParts } from './core/campaigns/parts.ts'
import { endSnoozes, purgeConversationUndos, relabelReply } from './core/conversations/changes.ts'
import { purgeAppClaims } from './core/messages/app-day.ts'
import { findFirstNames } from './core/people/first-names.ts'
import { findLostHandles } from './core/people/lost-handles.ts'
import { purgeRemovals } from './core/people/removal.ts'
import { purgeOldTexts } from './core/replies/texts.ts'
import { watchReplies } from './core/replies/watches.ts'
import { judgeTests } from './core/sequences/verdicts.ts'
import { allowLongStatements } from './db/long-statements.ts'
import { purgeExpiredLinks, workOnAccountEmails } from './domains/identity/account/recovery.ts'
import { purgeExpiredPairingCodes } from './domains/identity/auth/pairing-codes.ts'
import { purgeExpired } from './domains/identity/auth/sessions.ts'
import { purgeExpiredStates } from './domains/identity/identities/identities.ts'
import { purgeExpired as purgeExpiredInvitations } from './domains/identity/people/invitations.ts'
import { purgeUnfinishedFactors } from './domains/identity/second-factors/second-factors.ts'
import { purgeExpiredRequests } from './domains/identity/sso/sign-in.ts'
import { purgeMembershipChanges } from './domains/identity/workspaces/workspaces.ts'
import { failAbandonedImports } from './domains/leads/imports/imports.ts'
import { runScrapes } from './domains/leads/scrapes/running.ts'
import { bulkKinds } from './domains/outreach/bulk/engine.ts'
import { purgeOldDrafts } from './domains/outreach/campaign-drafts/drafts.ts'
import { purgeExpiredOffers } from './domains/outreach/conversation-offers/offers.ts'
import { writeOpeners } from './domains/outreach/openers/writing.ts'
import { giveSecondOpinions, purgeOpinions } from './domains/outreach/writer/opinions.ts'
import { purgeUnreadables } from './domains/overview/operator/unreadable.ts'
import { runPayments } from './domains/platform/billing/engine.ts'
import { purgePaymentEvents } from './domains/platform/billing/sync.ts'
import { purgeEventStreams } from './domains/platform/events/events.ts'
import { runJobs } from './domains/platform/jobs/engine.ts'
import { purgeJobs } from './domains/platform/jobs/jobs.ts'
import { purgeOldNotifications, startNotificationEmails } from './domains/platform/notifications/notifications.ts'
import { purgeDeliveries, runWebhooks } from './domains/platform/webhooks/webhooks.ts'
import { purgeExpiredAuthorizations } from './domains/platform/x-account/connecting.ts'
import { watchFunds } from './domains/platform/x-account/funds.ts'
import { readHandles } from './domains/platform/x-account/x-account.ts'
import { purgeCharges } from './domains/platform/x-costs/x-costs.ts'
import { expireWeek } from './domains/waitlist/waitlist/credits.ts'
import { checkMailServers, giveRewards } from './domains/waitlist/waitlist/rewards.ts'
import { purgeJoinData } from './domains/waitlist/waitlist/waitlist.ts'
import { sendQueuedEmails } from './jobs/mail.ts'
import { startSender } from './jobs/sender.ts'
import { createMailer } from './outside/mail.ts'
import type { PictureCache } from './picture-cache.ts'
import { purgeIdempotencyKeys } from './requests/once.ts'
import type { Services } from './services.ts'

/** Starts everything that runs outside requests. @returns `close`, which stops it and waits for running jobs */
export async function startWorkers(
  services: Services,
  pictureCache: PictureCache,
): Promise<{ close(drainSeconds: number): Promise<void> }> {
  const { env, log, jobs, database } = services
  const { db } = database
  // Runs even without X: it ends the leases of extensions that never reported.
  const sender = await startSender(services)
  const webhooks = await runWebhooks({ ...services, db })
  const notificationEmails = startNotificationEmails({ ...services, db }, log)
  const replies = services.x ? await watchReplies(services) : null
  const scraper = services.x ? await runScrapes(services, log) : null
  await workOnAccountEmails(services)
  await runPayments(services)
  const mailer = env.smtpUrl ? createMailer(env.smtpUrl, env.mailFrom, env.supportEmail) : null
  if (mailer) await sendQueuedEmails(jobs, mailer, env.authSecret)
  warnOfMissing(services)
  await startJobs(services)
  await jobs.work('cleanup', 1, () => cleanUp(services, pictureCache))
  return {
    async close(drainSeconds) {
      webhooks.close()
      await notificationEmails.close()
      await Promise.all([sender.close(), replies?.close(), jobs.close(drainSeconds)])
      await scraper?.close()
      mailer?.close()
    },
  }
}

function warnOfMissing({ env, log, google, payments, x }: Services): void {
  if (!env.smtpUrl) log.warn('SMTP_URL is not set: emails stay in the queue')
  if (!env.hasContact && !env.standIns)
    log.warn('SUPPORT_EMAIL is not set: pages show a support address that no one reads')
  if (!google) log.warn('GOOGLE_CLIENT_ID is not set: Google sign-in is disabled')
  if (!payments) log.warn('STRIPE_SECRET_KEY is not set: plans cannot be bought')
  if (!x) log.warn('X_API_URL is not set: connecting X, scraping and sending are disabled')
}

async function startJobs(services: Services): Promise<void> {
  const { env, jobs } = services
  const { db } = services.database
  await jobs.work('expire-week', 1, () => expireWeek(db))
  await jobs.work('waitlist-rewards', 1, async () => {
    await giveRewards(db)
    await checkMailServers({ ...services, db })
  })
  await jobs.work('judge-tests', 1, async () => void (await judgeTests(db)))
  await jobs.work('launch-parts', 1, () => queueNextParts(db, env))
  await jobs.work('first-names', 1, () => findFirstNames(db))
  await jobs.work('x-funds', 1, () => watchFunds(services))
  await jobs.work('read-handles', 1, async () => {
    await readHandles(services)
    await findLostHandles(services)
  })
  await runJobs(services, { openers: { run: writeOpeners }, ...bulkKinds })
  await jobs.work('end-snoozes', 1, () => endSnoozes(db))
  await jobs.work('second-opinions', 1, () => giveSecondOpinions({ ...services, db, relabelReply }))
}

const PURGES = [
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
  purgeAppClaims,
  purgeExpiredRequests,
  purgeJoinData,
  purgeDeliveries,
  purgeEventStreams,
  purgeOldNotifications,
  purgePaymentEvents,
  purgeExpiredOffers,
  purgeOldDrafts,
  purgeOpinions,
  purgeUnreadables,
  purgeJobs,
  purgeCharges,
]

async function cleanUp({ database, limits }: Services, pictureCache: PictureCache): Promise<void> {
  const { db } = database
  const purges = PURGES.map(
    (purge) => () =>
      db.transaction(async (tx) => {
        await allowLongStatements(tx)
        await purge(tx)
      }),
  )
  const others = [
    () => failAbandonedImports(db),
    () => purgeOldTexts(db),
    () => pictureCache.purgeUnused(),
    () => limits.purge(),
  ]
  // Run every purge, even if one keeps failing.
  await attemptEach<() => Promise<unknown>>([...purges, ...others], (cleanPart) => cleanPart())
}
