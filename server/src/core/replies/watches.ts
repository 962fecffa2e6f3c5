import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { OPERATOR_APP_ID } from '../../domains/platform/x-apps/tables.ts'
import type { XActivity } from '../../outside/x-activity.ts'
import { CHAT_EVENT_TYPES, DM_EVENT_TYPES } from '../../outside/x-delivery.ts'
import { XError } from '../../outside/x-errors.ts'
import type { JobQueue } from '../../ports.ts'
import { ensureWebhook, notifyOwners, webhookUrl, withAccount, withFunds } from '../neighbors.ts'
import { type DeliveryContext, startDeliveries } from './deliveries.ts'
import { noteGap, replayGaps } from './gaps.ts'
import { readBack } from './missing-texts.ts'
import { type Watch, type WatchContext, watchColumns } from './pages.ts'
import { readAccount } from './reading.ts'
import { POLL_SECONDS } from './writers.ts'

/*
 * Replies arrive through X's webhook. Reads find lost ones: before each follow-up, otherwise every
 * few hours, or every POLL_SECONDS.degraded without a webhook. Each watched account has its own job,
 * which runs in one process at a time.
 */

const CHECK_SECONDS = 3_600
const RETRY_SECONDS = 300
/** How many accounts a process checks in parallel. */
const ACCOUNTS_AT_A_TIME = 4

const NOT_CONFIGURED = `X isn't set up to notify this server, so we check for replies every ${POLL_SECONDS.degraded} seconds.`
const NO_EVENTS = `X isn't sending us replies right now. We check every ${POLL_SECONDS.degraded} seconds.`
const NO_CHATS = `X doesn't tell us about X Chat, so we check for replies there every ${POLL_SECONDS.degraded} seconds.`

/**
 * Detects replies: maintains subscriptions, processes deliveries and reads accounts. Any number of
 * processes may run this.
 */
export async function watchReplies(context: WatchContext & DeliveryContext): Promise<{ close(): Promise<void> }> {
  const { database, jobs } = context
  const webhooks = createWebhookCache(context)
  await jobs.work('watch-replies', ACCOUNTS_AT_A_TIME, async ({ xUserId }) => {
    await checkAccount(context, webhooks, xUserId)
    await scheduleCheck(context, xUserId)
  })
  await jobs.work('find-watches', 1, async () => {
    await findWatches(context)
    await notifyOfFailures(database.db)
    await replayGaps(context, webhooks)
  })
  await jobs.work('read-back', 1, (data) => readBack(context, data))
  await jobs.enqueue(database.db, 'find-watches', {})
  return startDeliveries(context)
}

/** Requests a new read of an account, which starts with its newest message. */
export async function restartReading(db: Db, xUserId: string): Promise<void> {
  await db.execute(sql`update reply_watches set reading = null, next_poll_at = now() where x_user_id = ${xUserId}`)
}

/** Owners are notified about an account that could not be read for this long. */
const FAILURE = sql`interval '24 hours'`

/** Notifies owners of accounts that X does not let us read, once per failure. */
export async function notifyOfFailures(db: Db): Promise<void> {
  const { rows } = await db.execute<{ workspaceId: string; handle: string; failure: string }>(sql`
    with failing as (
      update reply_watches
      set notified_at = now()
      where fails_since < now() - ${FAILURE} and failure is not null and notified_at is null
      returning x_user_id, failure
    )
    select a.workspace_id as "workspaceId", a.handle, f.failure
    from failing f
    join x_accounts a on a.x_user_id = f.x_user_id and a.status = 'connected'`)
  for (const { workspaceId, handle, failure } of rows)
    await transact(db, (tx) => notifyOwners(tx, workspaceId, 'detection_failing', { handle, reason: failure }))
}

/** Watches every connected X account, and stops watching those that no workspace connects any longer. */
export async function findWatches({ database: { db }, jobs }: WatchContext): Promise<void> {
  // A due watch may have lost its job, may have a job at another time since a restore, or may have
  // been made due by another part of the product.
  const { rows } = await db.execute<{ xUserId: string }>(sql`
    with added as (
      insert into reply_watches (x_user_id) select distinct x_user_id from x_accounts where status = 'connected'
      on conflict do nothing returning x_user_id
    ), ended as (
      update reply_watches w set next_check_at = now()
      where not exists (select from x_accounts a where a.x_user_id = w.x_user_id and a.status <> 'disconnected')
      returning x_user_id
    )
    select x_user_id as "xUserId" from added union select x_user_id from ended
    union select x_user_id from reply_watches where least(next_check_at, next_poll_at) <= now()`)
  for (const { xUserId } of rows)
    await jobs.reschedule(db, 'watch-replies', { xUserId }, { key: xUserId, group: xUserId })
}

/**
 * Requests reads of the workspace's accounts that waited because of X's bill, and retries
 * subscriptions that failed.
 */
export async function resumeReading(tx: Db, jobs: JobQueue, workspaceId: string): Promise<void> {
  const { rows } = await tx.execute<{ xUserId: string }>(sql`
    update reply_watches set next_poll_at = least(next_poll_at, now()), rests_until = null,
      next_check_at = case when problem is null then next_check_at else least(next_check_at, now()) end
    where x_user_id in (select x_user_id from x_accounts where workspace_id = ${workspaceId} and status = 'connected')
    returning x_user_id as "xUserId"`)
  for (const { xUserId } of rows)
    await jobs.reschedule(tx, 'watch-replies', { xUserId }, { key: xUserId, group: xUserId })
}

/** Checks an account's subscriptions, reads the account, or both, depending on what is due. */
export async function checkAccount(context: WatchContext, webhooks: Webhooks, xUserId: string): Promise<void> {
  const { db } = context.database
  const due = await findWatch(db, xUserId, 'next_check_at')
  if (due) await check(context, webhooks, due)
  const unread = await findWatch(db, xUserId, 'next_poll_at')
  if (unread) await readAccount(context, unread)
}

async function findWatch(db: Db, xUserId: string, dueAt: 'next_check_at' | 'next_poll_at'): Promise<Watch | undefined> {
  const { rows } = await db.execute<Watch>(sql`
    select ${watchColumns}
    from reply_watches w
    where x_user_id = ${xUserId} and ${sql.identifier(dueAt)} <= now()`)
  return rows[0]
}

/** Schedules the account's next check. */
async function scheduleCheck({ database, jobs }: WatchContext, xUserId: string): Promise<void> {
  const { rows } = await database.db.execute<{ at: string }>(
    sql`select least(next_check_at, next_poll_at) as at from reply_watches where x_user_id = ${xUserId}`,
  )
  // Differs from the key of `findWatches`, whose job must not be delayed.
  const options = { key: `${xUserId} later`, group: xUserId }
  for (const { at } of rows)
    await jobs.reschedule(database.db, 'watch-replies', { xUserId }, { ...options, at: new Date(at) })
}

/** Finds the webhook of an app at X. @throws XError; kind `unavailable` if X cannot notify us */
type Webhooks = (xAppId: string) => Promise<{ activity: XActivity; id: string }>

/** Caches the ids of our webhooks at X, so that they are not looked up for every account. */
export function createWebhookCache(context: WatchContext): Webhooks {
  const cached = new Map<string, { id: Promise<string>; at: number }>()
  return async (xAppId) => {
    const activity = await activityOf(context, xAppId)
    if (!activity) throw new XError('unavailable', NOT_CONFIGURED)
    const entry = cached.get(xAppId)
    if (entry && performance.now() - entry.at < (CHECK_SECONDS / 2) * 1_000) return { activity, id: await entry.id }
    const { db } = context.database
    const url = webhookUrl(context, xAppId)
    const id = withFunds(db, xAppId, () => ensureWebhook(db, { id: xAppId, activity }, url))
    cached.set(xAppId, { id, at: performance.now() })
    id.catch(() => cached.delete(xAppId))
    return { activity, id: await id }
  }
}

async function activityOf({ database, xApps, xActivity }: WatchContext, xAppId: string): Promise<XActivity | null> {
  if (xAppId === OPERATOR_APP_ID) return xActivity
  return (await xApps.find(database.db, xAppId))?.activity ?? null
}

/**
 * Ensures the account's subscriptions at every app that connects it, or stores why there are none.
 * Events from a workspace's own app count for that workspace only.
 */
async function check(context: WatchContext, webhooks: Webhooks, watch: Watch): Promise<void> {
  const { db } = context.database
  const { xUserId, connections } = watch
  for (const xAppId of watch.xAppIds)
    if (!connections.some((connection) => connection.xAppId === xAppId)) await unsubscribeAll(context, xAppId, xUserId)
  if (connections.length === 0) {
    await db.execute(sql`delete from reply_watches where x_user_id = ${xUserId}
      and not exists (select from x_accounts a where a.x_user_id = ${xUserId} and a.status <> 'disconnected')`)
    return
  }
  const connected = connections.flatMap(({ xAppId, accountId }) => (accountId ? [{ xAppId, accountId }] : []))
  // Nothing can be subscribed to until the account is reconnected.
  if (connected.length === 0) {
    await postponeCheck(db, xUserId, RETRY_SECONDS)
    return
  }
  const xAppIds = connections.map(({ xAppId }) => xAppId)
  await db.execute(sql`update reply_watches set x_app_ids = ${sql.param(xAppIds)}::uuid[] where x_user_id = ${xUserId}`)
  try {
    const webhookIds: string[] = []
    const subscriptionIds: string[] = []
    let problem: string | null = null
    for (const { xAppId, accountId } of connected) {
      const webhook = await webhooks(xAppId)
      const subscribed = await subscribeToAll(context, webhook.activity, {
        xUserId,
        accountId,
        xAppId,
        webhookId: webhook.id,
      })
      webhookIds.push(webhook.id)
      subscriptionIds.push(...subscribed.subscriptionIds)
      problem ??= subscribed.problem
    }
    const webhookId = webhookIds.join(' ')
    const isNew = watch.webhookId !== webhookId
    // X reported nothing while it refused the webhook or the subscriptions.
    if (isNew && watch.hasProblem) for (const { xAppId } of connected) await noteGap(db, xAppId)
    await db.execute(sql`
      update reply_watches
      set webhook_id = ${webhookId}, subscription_ids = ${sql.param(subscriptionIds)}::text[], problem = ${problem},
        next_check_at = now() + make_interval(secs => ${CHECK_SECONDS}),
        -- A read finds messages from before the subscription.
        next_poll_at = case when ${isNew}::boolean then now() else next_poll_at end
      where x_user_id = ${xUserId}`)
  } catch (error) {
    if (!(error instanceof XError)) throw error
    const problem = error.message === NOT_CONFIGURED ? NOT_CONFIGURED : `${NO_EVENTS} (${error.message})`
    await db.execute(sql`
      update reply_watches
      set webhook_id = null, problem = ${problem}, next_check_at = now() + make_interval(secs => ${RETRY_SECONDS}),
        next_poll_at = least(next_poll_at, now() + make_interval(secs => ${POLL_SECONDS.degraded}))
      where x_user_id = ${xUserId}`)
  }
}

/** Ends an account's subscriptions at an app that no longer connects it, on a best-effort basis. */
async function unsubscribeAll(context: WatchContext, xAppId: string, xUserId: string): Promise<void> {
  const activity = await activityOf(context, xAppId)
  const existing = (await activity?.listSubscriptions().catch(() => [])) ?? []
  for (const { id, userId } of existing) if (userId === xUserId) await activity?.unsubscribe(id).catch(() => {})
}

async function postponeCheck(db: Db, xUserId: string, seconds: number): Promise<void> {
  await db.execute(
    sql`
      update reply_watches set next_check_at = now() + make_interval(secs => ${seconds}) where x_user_id = ${xUserId}`,
  )
}

/**
 * Subscribes to each event type. @returns the account's subscription ids, and the problem if X does
 * not offer X Chat's events
 */
async function subscribeToAll(
  context: WatchContext,
  xActivity: XActivity,
  { xUserId, accountId, xAppId, webhookId }: { xUserId: string; accountId: string; xAppId: string; webhookId: string },
): Promise<{ subscriptionIds: string[]; problem: string | null }> {
  const all = await withFunds(context.database.db, xAppId, () => xActivity.listSubscriptions())
  const existing = all.filter((subscription) => subscription.userId === xUserId)
  // X does not always say to which webhook a subscription belongs.
  const isAtOurs = (entry: (typeof all)[number]) => (entry.webhookId ?? webhookId) === webhookId
  // Remove subscriptions of an old webhook.
  for (const entry of existing) {
    const isOurs = EVENT_TYPES.some((type) => type === entry.eventType)
    if (isOurs && !isAtOurs(entry)) await xActivity.unsubscribe(entry.id)
  }
  const subscriptionIds: string[] = []
  let problem: string | null = null
  for (const eventType of EVENT_TYPES) {
    const match = existing.find((entry) => entry.eventType === eventType && isAtOurs(entry))
    try {
      subscriptionIds.push(
        match?.id ??
          (await withAccount(context, accountId, (_, accessToken) =>
            xActivity.subscribe(accessToken, { eventType, userId: xUserId, webhookId }),
          )),
      )
    } catch (error) {
      const isRefused = error instanceof XError && NOT_OFFERED.has(error.kind)
      if (!isRefused || !CHAT_EVENT_TYPES.some((type) => type === eventType)) throw error
      problem = NO_CHATS
    }
  }
  return { subscriptionIds, problem }
}

const EVENT_TYPES = [...DM_EVENT_TYPES, ...CHAT_EVENT_TYPES]
/** Errors with which X permanently refuses an event type. */
const NOT_OFFERED = new Set(['invalid', 'forbidden'])
