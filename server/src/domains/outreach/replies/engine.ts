import { CLOCK_SKEW_MS } from '@x-automated/contract/outreach/sending'
import { type SQL, sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Database, Db } from '../../../db/open.ts'
import { type XApi, type XConversationMessage, XError } from '../../../outside/x.ts'
import { CHAT_EVENT_TYPES, DM_EVENT_TYPES, type XActivity, type XHappening } from '../../../outside/x-activity.ts'
import type { JobQueue, XMeters } from '../../../ports.ts'
import type { Sealer } from '../../../sealing.ts'
import { withAccount } from '../../platform/x-account/service.ts'
import type { XApps } from '../../platform/x-apps/service.ts'
import { OPERATOR_APP_ID } from '../../platform/x-apps/tables.ts'
import { finishReading, recordMessagesFromX } from '../sending/settle.ts'
import { POLL_SECONDS } from './rules.ts'

/*
 * Replies arrive through X's webhook. Polling finds lost ones, and is frequent without a webhook.
 * Each watched account has its own job, which runs in one process at a time.
 */

export interface WatchContext {
  database: Database
  jobs: JobQueue
  x: XApi | null
  xApps: XApps
  xMeters: XMeters
  /** Of the operator's app. Null if its accounts can only be polled. */
  xActivity: XActivity | null
  sealer: Sealer
  origin: string
}
type Receive = (db: Db, happenings: readonly XHappening[]) => Promise<void>

/** The path of X's deliveries, on our origin: for the operator's app, and for others with their id. */
export const WEBHOOK_PATH = '/api/x/webhook'

const CHECK_SECONDS = 3_600
const RETRY_SECONDS = 300
/** Accounts that a process looks at in parallel. */
const ACCOUNTS_AT_A_TIME = 4
/** Messages per page. */
const PAGE_SIZE = 100
/** Pages per poll. X allows 15 calls in 15 minutes, and settling needs some of them. */
const MAX_PAGES = 3
/** Pages per poll of an unread account, which sends nothing until everything is read. */
const MAX_UNREAD_PAGES = 12
/** Delay before an account with unsettled messages is read again. */
const UNSETTLED_SECONDS = 20

const NOT_CONFIGURED = `X isn't set up to notify this server, so we check for replies every ${POLL_SECONDS.degraded} seconds.`
const NO_EVENTS = `X isn't sending us replies right now. We check every ${POLL_SECONDS.degraded} seconds.`
const NO_CHATS = "X doesn't tell us about encrypted messages, so we don't see replies there."

type Watch = {
  xUserId: string
  webhookId: string | null
  /** The apps that have subscriptions, or may have. */
  xAppIds: string[]
  /** The apps of its accounts that nobody disconnected, each with a connected one; null: all are lost. */
  connections: { xAppId: string; accountId: string | null }[]
  cursorEventId: string | null
  pageToken: string | null
  pageNewestId: string | null
  /** A connected account of that X user; null if none. */
  accountId: string | null
  /** The account's first message of the last 30 days, as far back as X lists; null if none. */
  sentSince: string | null
  /** A restore lost messages sent since then; null if none. */
  unreadSince: string | null
  /** Seconds in which a message may still be in flight. */
  unreadInSeconds: number | null
}

/** Maintains subscriptions and polls, as one of any number of processes. @param receive processes the events found */
export async function watchReplies(context: WatchContext, receive: Receive): Promise<void> {
  const { database, jobs } = context
  const webhooks = createWebhookCache(context)
  await jobs.work('watch-replies', ACCOUNTS_AT_A_TIME, async ({ xUserId }) => {
    await checkAccount(context, webhooks, receive, xUserId)
    await scheduleCheck(context, xUserId)
  })
  await jobs.work('find-watches', 1, () => findWatches(context))
  await jobs.enqueue(database.db, 'find-watches', {})
}

/** Watches every connected X account, and ends the watch of one that nobody keeps. */
export async function findWatches({ database: { db }, jobs }: WatchContext): Promise<void> {
  // One that is due may have lost its job, have a job at another time since a restore, or have got
  // its time from another part of the product.
  const { rows } = await db.execute<{ xUserId: string }>(sql`
    with added as (
      insert into reply_watches (x_user_id) select distinct x_user_id from x_accounts where status = 'connected'
      on conflict do nothing returning x_user_id
    ), ended as (
      update reply_watches w set next_check_at = now()
      where not exists (select from x_accounts a where a.x_user_id = w.x_user_id and a.status <> 'disconnected') returning x_user_id
    )
    select x_user_id as "xUserId" from added union select x_user_id from ended
    union select x_user_id from reply_watches where least(next_check_at, next_poll_at) <= now()`)
  for (const { xUserId } of rows)
    await jobs.reschedule(db, 'watch-replies', { xUserId }, { key: xUserId, group: xUserId })
}

/** Reads the workspace's accounts again that waited for X's bill, and subscribes where that failed. */
export async function resumeReading(tx: Db, jobs: JobQueue, workspaceId: string): Promise<void> {
  const { rows } = await tx.execute<{ xUserId: string }>(sql`
    update reply_watches set next_poll_at = least(next_poll_at, now()),
      next_check_at = case when problem is null then next_check_at else least(next_check_at, now()) end
    where x_user_id in (select x_user_id from x_accounts where workspace_id = ${workspaceId} and status = 'connected')
    returning x_user_id as "xUserId"`)
  for (const { xUserId } of rows)
    await jobs.reschedule(tx, 'watch-replies', { xUserId }, { key: xUserId, group: xUserId })
}

/** Checks an account, polls it, or both, whatever is due. */
export async function checkAccount(
  context: WatchContext,
  webhooks: Webhooks,
  receive: Receive,
  xUserId: string,
): Promise<void> {
  const { db } = context.database
  const due = await findWatch(db, xUserId, 'next_check_at')
  if (due) await check(context, webhooks, due)
  const unread = await findWatch(db, xUserId, 'next_poll_at')
  if (unread) await poll(context, unread, receive)
}

async function findWatch(db: Db, xUserId: string, dueAt: 'next_check_at' | 'next_poll_at'): Promise<Watch | undefined> {
  const { rows } = await db.execute<Watch>(sql`
    select ${watchColumns(sql`w`)} from reply_watches w where x_user_id = ${xUserId} and ${sql.identifier(dueAt)} <= now()`)
  return rows[0]
}

/** Schedules the account's next look. */
async function scheduleCheck({ database, jobs }: WatchContext, xUserId: string): Promise<void> {
  const { rows } = await database.db.execute<{ at: string }>(
    sql`select least(next_check_at, next_poll_at) as at from reply_watches where x_user_id = ${xUserId}`,
  )
  // Not the key of `findWatches`, whose job must not be delayed.
  const options = { key: `${xUserId} later`, group: xUserId }
  for (const { at } of rows)
    await jobs.reschedule(database.db, 'watch-replies', { xUserId }, { ...options, at: new Date(at) })
}

/** SQL: a row of reply_watches as a `Watch`. @param watch table or alias */
const watchColumns = (
  watch: SQL,
) => sql`${watch}.x_user_id as "xUserId", ${watch}.webhook_id as "webhookId", ${watch}.x_app_ids as "xAppIds",
  ${watch}.cursor_event_id as "cursorEventId", ${watch}.page_token as "pageToken", ${watch}.page_newest_id as "pageNewestId",
  (select id from x_accounts a where a.x_user_id = ${watch}.x_user_id and a.status = 'connected' order by a.last_connected_at desc limit 1) as "accountId",
  (select coalesce(json_agg(json_build_object('xAppId', c.x_app_id, 'accountId', c.id) order by c.x_app_id), '[]') from (
      select x_app_id, (array_agg(id order by last_connected_at desc) filter (where status = 'connected'))[1] as id
      from x_accounts a where a.x_user_id = ${watch}.x_user_id and a.status <> 'disconnected' group by x_app_id) c) as connections,
  (select min(d.claimed_at) from x_accounts a cross join lateral (
      select claimed_at from dms where x_account_id = a.id and claimed_at > now() - interval '30 days' order by claimed_at limit 1
    ) d where a.x_user_id = ${watch}.x_user_id) as "sentSince",
  (select min(unread_since) from x_accounts a where a.x_user_id = ${watch}.x_user_id) as "unreadSince",
  (select extract(epoch from max(unread_until) - now())::float from x_accounts a where a.x_user_id = ${watch}.x_user_id) as "unreadInSeconds"`

/** The webhook of an app at X. @throws XError; unavailable: X cannot notify us */
type Webhooks = (xAppId: string) => Promise<{ activity: XActivity; id: string }>

/** Caches the ids of our webhooks at X, so that they are not checked for every account. */
export function createWebhookCache(context: WatchContext): Webhooks {
  const cached = new Map<string, { id: Promise<string>; at: number }>()
  return async (xAppId) => {
    const activity = await activityOf(context, xAppId)
    if (!activity) throw new XError('unavailable', NOT_CONFIGURED)
    const entry = cached.get(xAppId)
    if (entry && performance.now() - entry.at < (CHECK_SECONDS / 2) * 1_000) return { activity, id: await entry.id }
    const id = activity.ensureWebhook(webhookUrl(context, xAppId))
    cached.set(xAppId, { id, at: performance.now() })
    id.catch(() => cached.delete(xAppId))
    return { activity, id: await id }
  }
}

/** Where X delivers the events of an app. */
export function webhookUrl({ origin }: Pick<WatchContext, 'origin'>, xAppId: string): string {
  return xAppId === OPERATOR_APP_ID ? `${origin}${WEBHOOK_PATH}` : `${origin}${WEBHOOK_PATH}/${xAppId}`
}

async function activityOf({ database, xApps, xActivity }: WatchContext, xAppId: string): Promise<XActivity | null> {
  if (xAppId === OPERATOR_APP_ID) return xActivity
  return (await xApps.find(database.db, xAppId))?.activity ?? null
}

/**
 * Ensures the account's subscriptions, at every app that connects it, or stores why there are none.
 * Events of a workspace's own app count for that workspace only.
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
  // Nothing can be subscribed until the account is reconnected.
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
      const subscribed = await subscribeToAll(context, webhook.activity, { xUserId, accountId, webhookId: webhook.id })
      webhookIds.push(webhook.id)
      subscriptionIds.push(...subscribed.subscriptionIds)
      problem ??= subscribed.problem
    }
    const webhookId = webhookIds.join(' ')
    const isNew = watch.webhookId !== webhookId
    await db.execute(sql`
      update reply_watches set webhook_id = ${webhookId}, subscription_ids = ${sql.param(subscriptionIds)}::text[], problem = ${problem}, confirmed_at = now(),
        next_check_at = now() + make_interval(secs => ${CHECK_SECONDS}),
        -- Find messages from before the subscription.
        next_poll_at = case when ${isNew}::boolean then now() else next_poll_at end
      where x_user_id = ${xUserId}`)
  } catch (error) {
    if (!(error instanceof XError)) throw error
    const problem = error.message === NOT_CONFIGURED ? NOT_CONFIGURED : `${NO_EVENTS} (${error.message})`
    await db.execute(sql`
      update reply_watches set webhook_id = null, problem = ${problem}, next_check_at = now() + make_interval(secs => ${RETRY_SECONDS}),
        next_poll_at = least(next_poll_at, now() + make_interval(secs => ${POLL_SECONDS.degraded}))
      where x_user_id = ${xUserId}`)
  }
}

/** Ends an account's subscriptions at an app that does not connect it any longer, best effort. */
async function unsubscribeAll(context: WatchContext, xAppId: string, xUserId: string): Promise<void> {
  const activity = await activityOf(context, xAppId)
  const existing = (await activity?.listSubscriptions().catch(() => [])) ?? []
  for (const { id, userId } of existing) if (userId === xUserId) await activity?.unsubscribe(id).catch(() => {})
}

async function postponeCheck(db: Db, xUserId: string, seconds: number): Promise<void> {
  await db.execute(
    sql`update reply_watches set next_check_at = now() + make_interval(secs => ${seconds}) where x_user_id = ${xUserId}`,
  )
}

/** Subscribes to each event type. @returns the account's subscription ids, and what X does not offer */
async function subscribeToAll(
  context: WatchContext,
  xActivity: XActivity,
  { xUserId, accountId, webhookId }: { xUserId: string; accountId: string; webhookId: string },
): Promise<{ subscriptionIds: string[]; problem: string | null }> {
  const existing = (await xActivity.listSubscriptions()).filter((one) => one.userId === xUserId)
  // Remove subscriptions of an old webhook.
  for (const one of existing) {
    const isOurs = EVENT_TYPES.some((type) => type === one.eventType)
    if (isOurs && one.webhookId !== webhookId) await xActivity.unsubscribe(one.id)
  }
  const subscriptionIds: string[] = []
  let problem: string | null = null
  for (const eventType of EVENT_TYPES) {
    const known = existing.find((one) => one.eventType === eventType && one.webhookId === webhookId)
    try {
      subscriptionIds.push(
        known?.id ??
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
/** Kinds of errors with which X permanently refuses a type of event. */
const NOT_OFFERED = new Set(['invalid', 'forbidden'])

/** Reads an account's messages since the last poll. */
async function poll(context: WatchContext, watch: Watch, receive: Receive): Promise<void> {
  const { db } = context.database
  const { xUserId, accountId } = watch
  const { rows } = await db.execute<{ now: string }>(sql`select now()::text as now`)
  try {
    const pollSeconds = watch.webhookId ? POLL_SECONDS.live : POLL_SECONDS.degraded
    const isUnread = watch.unreadSince !== null
    const since = watch.unreadSince ?? watch.sentSince
    if (!accountId || since === null) {
      await postponePoll(db, xUserId, pollSeconds)
      return
    }
    if ((watch.unreadInSeconds ?? 0) > 0) {
      await postponePoll(db, xUserId, watch.unreadInSeconds ?? 0)
      return
    }
    const earliest = new Date(since).getTime() - CLOCK_SKEW_MS
    let { cursorEventId, pageToken, pageNewestId } = watch
    // A poll that continues an earlier one has not read what came since that one began.
    const readUntil = pageToken === null ? one(rows).now : null
    for (let page = 0; page < (isUnread ? MAX_UNREAD_PAGES : MAX_PAGES); page += 1) {
      const found = await withAccount(context, accountId, (x, accessToken) =>
        x.listAllMessages(accessToken, { cursor: pageToken, size: PAGE_SIZE }),
      )
      // First, or `receive` would take them for messages that the owner wrote by hand.
      if (isUnread) await recordMessagesFromX(db, xUserId, found.messages)
      await receive(db, found.messages.map(toEvent))
      pageNewestId ??= found.messages[0]?.id ?? null
      // The first poll goes back to the first message sent by the product.
      const isKnown = ({ id, at }: XConversationMessage) =>
        cursorEventId === null || isUnread ? at.getTime() < earliest : BigInt(id) <= BigInt(cursorEventId)
      const isComplete = found.next === null || found.messages.some(isKnown)
      pageToken = isComplete ? null : found.next
      if (isComplete) {
        cursorEventId = pageNewestId ?? cursorEventId
        pageNewestId = null
      }
      await db.execute(sql`
        update reply_watches set cursor_event_id = ${cursorEventId}, page_token = ${pageToken}, page_newest_id = ${pageNewestId}, polled_at = now(),
          read_until = coalesce(${isComplete ? readUntil : null}::timestamptz, read_until)
        where x_user_id = ${xUserId}`)
      if (isComplete && isUnread && !(await finishReading(db, xUserId))) {
        await postponePoll(db, xUserId, UNSETTLED_SECONDS)
        return
      }
      if (isComplete) break
    }
    await postponePoll(db, xUserId, pageToken ? POLL_SECONDS.degraded : pollSeconds)
  } catch (error) {
    if (!(error instanceof XError)) throw error
    const until = error.kind === 'rate-limit' && error.retryAt ? (error.retryAt.getTime() - Date.now()) / 1_000 : 0
    // X may no longer accept the page token.
    if (error.kind === 'invalid')
      await db.execute(
        sql`update reply_watches set page_token = null, page_newest_id = null where x_user_id = ${xUserId}`,
      )
    await postponePoll(db, xUserId, Math.max(until, POLL_SECONDS.degraded))
  }
}

/** Schedules the next poll in `seconds`, plus up to 10% so that accounts spread out. */
async function postponePoll(db: Db, xUserId: string, seconds: number): Promise<void> {
  const delay = seconds * (1 + 0.1 * Math.random())
  await db.execute(
    sql`update reply_watches set next_poll_at = now() + make_interval(secs => ${delay}) where x_user_id = ${xUserId}`,
  )
}

function toEvent({ id, ...message }: XConversationMessage): XHappening {
  return { kind: 'message', eventId: id, isEncrypted: false, ...message }
}
