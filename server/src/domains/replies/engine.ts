import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Database, Db } from '../../db/open.ts'
import { type XApi, type XConversationMessage, XError } from '../../outside/x.ts'
import { DM_EVENT_TYPES, type XActivity, type XHappening } from '../../outside/x-activity.ts'
import type { Sealer } from '../../sealing.ts'
import { endReading, keepSent } from '../sending/service.ts'
import { withAccount } from '../x-account/service.ts'
import { POLL_SECONDS } from './rules.ts'

/*
 * How we learn what is said to the connected accounts. X tells our webhook, by subscriptions that stand as long as an account is connected and are looked after
 * here; and X is asked for the messages of an account, often where it does not tell, else now and then, to find what got lost on the way.
 * Any number of processes may do so: a check is taken under a lease, and whoever asks about an account holds its lock.
 */

export interface WatchContext {
  database: Database
  x: XApi | null
  /** Null: we can only ask. */
  xActivity: XActivity | null
  sealer: Sealer
  origin: string
}
type Receive = (db: Db, happenings: readonly XHappening[]) => Promise<void>

/** Where X delivers, on our own origin. */
export const WEBHOOK_PATH = '/api/x/webhook'

const TICK_MS = 2_000
const CHECK_AGAIN_SECONDS = 3_600
const AFTER_PROBLEM_SECONDS = 300
const LEASE_SECONDS = 120
const AT_A_TIME = 10
/** Calls in one asking: X allows 15 in 15 minutes, of which settling messages may need some. */
const PAGES_MAX = 3
/** As `PAGES_MAX`, where nothing is sent until all is read. */
const UNREAD_PAGES_MAX = 12
/** Until an account is read again of which some message is not settled. */
const UNSETTLED_SECONDS = 20
/** Differences between X's clock and ours that are allowed for. */
const CLOCK_SKEW_MS = 30_000

const NOT_CONFIGURED = 'This server is not set up to be told by X, so replies are looked for every few minutes.'
const NOT_TOLD = 'X does not tell us of replies at present, so they are looked for every few minutes.'

type Watch = {
  xUserId: string
  webhookId: string | null
  subscriptionIds: string[]
  cursorEventId: string | null
  pageToken: string | null
  pageNewestId: string | null
  /** A connected account of that user; null: none is. */
  accountId: string | null
  /** Some workspace has not let go of it. */
  isKept: boolean
  /** Since when something was sent from it that an answer may still come to, as X goes back so far; null: nothing was. */
  sentSince: string | null
  /** A restore lost what was sent since then; null: nothing is lost. */
  unreadSince: string | null
  /** Until then something may still be on its way. */
  unreadInSeconds: number | null
}

/** Looks after subscriptions and asks, until it is closed. @param receive takes in what is found */
export function watchReplies(
  context: WatchContext,
  log: FastifyBaseLogger,
  receive: Receive,
  { tickMs = TICK_MS }: { tickMs?: number } = {},
): { close(): Promise<void> } {
  const { db } = context.database
  let closed = false
  let wake = () => {}
  const webhook = createWebhookKeeper(context)

  const loop = async () => {
    while (!closed) {
      try {
        await followAccounts(db)
        for (const watch of await takeChecks(db)) {
          if (closed) return
          await check(context, webhook, watch)
        }
        await pollAccounts(context, receive, () => closed)
      } catch (error) {
        log.warn({ err: error }, 'watching for replies is interrupted')
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, tickMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  const running = loop()
  return {
    async close() {
      closed = true
      wake()
      await running
    },
  }
}

/** Every account of X that is connected is watched; one that nobody has any more is looked at soon, and let go of. */
async function followAccounts(db: Db): Promise<void> {
  await db.execute(sql`
    insert into reply_watches (x_user_id)
    select distinct x_user_id from x_accounts a
    where status = 'connected' and not exists (select from reply_watches w where w.x_user_id = a.x_user_id) on conflict do nothing`)
  await db.execute(sql`
    update reply_watches w set next_check_at = now()
    where next_check_at > now() + make_interval(secs => ${LEASE_SECONDS})
      and not exists (select from x_accounts a where a.x_user_id = w.x_user_id and a.status <> 'disconnected')`)
}

const watchColumns = sql`w.x_user_id as "xUserId", w.webhook_id as "webhookId", w.subscription_ids as "subscriptionIds",
  w.cursor_event_id as "cursorEventId", w.page_token as "pageToken", w.page_newest_id as "pageNewestId",
  (select id from x_accounts a where a.x_user_id = w.x_user_id and a.status = 'connected' order by a.last_connected_at desc limit 1) as "accountId",
  exists (select from x_accounts a where a.x_user_id = w.x_user_id and a.status <> 'disconnected') as "isKept",
  (select min(d.claimed_at) from x_accounts a cross join lateral (
      select claimed_at from dms where x_account_id = a.id and claimed_at > now() - interval '30 days' order by claimed_at limit 1
    ) d where a.x_user_id = w.x_user_id) as "sentSince",
  (select min(unread_since) from x_accounts a where a.x_user_id = w.x_user_id) as "unreadSince",
  (select extract(epoch from max(unread_until) - now())::float from x_accounts a where a.x_user_id = w.x_user_id) as "unreadInSeconds"`

async function takeChecks(db: Db): Promise<Watch[]> {
  const { rows } = await db.execute<Watch>(sql`
    update reply_watches w set next_check_at = now() + make_interval(secs => ${LEASE_SECONDS})
    where x_user_id in (
      select x_user_id from reply_watches where next_check_at <= now() order by next_check_at limit ${AT_A_TIME} for update skip locked
    ) returning ${watchColumns}`)
  return rows
}

/** Asks about every account that is due. */
export async function pollAccounts(context: WatchContext, receive: Receive, isClosed = () => false): Promise<void> {
  for (const watch of await findPolls(context.database.db)) {
    if (isClosed()) return
    await poll(context, watch, receive)
  }
}

async function findPolls(db: Db): Promise<Watch[]> {
  const { rows } = await db.execute<Watch>(
    sql`select ${watchColumns} from reply_watches w where next_poll_at <= now() order by next_poll_at limit ${AT_A_TIME}`,
  )
  return rows
}

/** Our webhook at X, looked at now and then and not for every account. */
function createWebhookKeeper({ xActivity, origin }: WatchContext) {
  let known: { id: Promise<string>; at: number } | null = null
  return (): Promise<string> => {
    if (!xActivity) throw new XError('unavailable', NOT_CONFIGURED)
    if (!known || performance.now() - known.at > (CHECK_AGAIN_SECONDS / 2) * 1_000) {
      known = { id: xActivity.ensureWebhook(`${origin}${WEBHOOK_PATH}`), at: performance.now() }
      known.id.catch(() => {
        known = null
      })
    }
    return known.id
  }
}

/** Sees to it that X tells us of an account, or writes down why it does not. */
async function check(context: WatchContext, webhook: () => Promise<string>, watch: Watch): Promise<void> {
  const { xActivity, database } = context
  const { db } = database
  const { xUserId } = watch
  if (!watch.isKept) {
    for (const id of watch.subscriptionIds) await xActivity?.unsubscribe(id).catch(() => {})
    await db.execute(sql`delete from reply_watches where x_user_id = ${xUserId}
      and not exists (select from x_accounts a where a.x_user_id = ${xUserId} and a.status <> 'disconnected')`)
    return
  }
  // Shut out by X: nothing can be arranged until it is connected again, and then this is looked at.
  if (!watch.accountId) {
    await later(db, xUserId, AFTER_PROBLEM_SECONDS)
    return
  }
  try {
    if (!xActivity) throw new XError('unavailable', NOT_CONFIGURED)
    const webhookId = await webhook()
    const subscriptionIds = await subscribeToAll(context, xActivity, { xUserId, accountId: watch.accountId, webhookId })
    const isNew = watch.webhookId !== webhookId
    await db.execute(sql`
      update reply_watches set webhook_id = ${webhookId}, subscription_ids = ${sql.param(subscriptionIds)}::text[], problem = null,
        next_check_at = now() + make_interval(secs => ${CHECK_AGAIN_SECONDS}),
        -- What was said before X began to tell.
        next_poll_at = case when ${isNew}::boolean then now() else next_poll_at end
      where x_user_id = ${xUserId}`)
  } catch (error) {
    if (!(error instanceof XError)) throw error
    const problem = xActivity ? `${NOT_TOLD} (${error.message})` : NOT_CONFIGURED
    await db.execute(sql`
      update reply_watches set webhook_id = null, problem = ${problem}, next_check_at = now() + make_interval(secs => ${AFTER_PROBLEM_SECONDS}),
        next_poll_at = least(next_poll_at, now() + make_interval(secs => ${POLL_SECONDS.degraded}))
      where x_user_id = ${xUserId}`)
  }
}

async function later(db: Db, xUserId: string, seconds: number): Promise<void> {
  await db.execute(
    sql`update reply_watches set next_check_at = now() + make_interval(secs => ${seconds}) where x_user_id = ${xUserId}`,
  )
}

/** @returns the ids of the account's subscriptions, one of each kind */
async function subscribeToAll(
  context: WatchContext,
  xActivity: XActivity,
  { xUserId, accountId, webhookId }: { xUserId: string; accountId: string; webhookId: string },
): Promise<string[]> {
  const standing = (await xActivity.listSubscriptions()).filter((one) => one.userId === xUserId)
  // Those of a webhook that we have no more.
  for (const one of standing) {
    const isOurs = (DM_EVENT_TYPES as readonly string[]).includes(one.eventType)
    if (isOurs && one.webhookId !== webhookId) await xActivity.unsubscribe(one.id)
  }
  const ids: string[] = []
  for (const eventType of DM_EVENT_TYPES) {
    const known = standing.find((one) => one.eventType === eventType && one.webhookId === webhookId)
    ids.push(
      known?.id ??
        (await withAccount(context, accountId, (_, accessToken) =>
          xActivity.subscribe(accessToken, { eventType, userId: xUserId, webhookId }),
        )),
    )
  }
  return ids
}

/** Asks X for the messages of an account since the last time. One process at a time asks about it. */
export async function poll(context: WatchContext, watch: Watch, receive: Receive): Promise<void> {
  const { db, locks } = context.database
  const { xUserId, accountId } = watch
  const { rows } = await db.execute<{ lock: string }>(
    sql`select hashtextextended('replies of x user:' || ${xUserId}::text, 0)::text as lock`,
  )
  const letGo = await locks.tryTake(rows[0]?.lock ?? '0')
  if (!letGo) return
  try {
    const restSeconds = watch.webhookId ? POLL_SECONDS.live : POLL_SECONDS.degraded
    const isUnread = watch.unreadSince !== null
    const since = watch.unreadSince ?? watch.sentSince
    if (!accountId || since === null) {
      await rest(db, xUserId, restSeconds)
      return
    }
    if ((watch.unreadInSeconds ?? 0) > 0) {
      await rest(db, xUserId, watch.unreadInSeconds ?? 0)
      return
    }
    const earliest = new Date(since).getTime() - CLOCK_SKEW_MS
    let { cursorEventId, pageToken, pageNewestId } = watch
    for (let page = 0; page < (isUnread ? UNREAD_PAGES_MAX : PAGES_MAX); page += 1) {
      const found = await withAccount(context, accountId, (x, accessToken) => x.listAllMessages(accessToken, pageToken))
      // Before the rest, to which these would be messages that the account's owner wrote.
      if (isUnread) await keepSent(db, xUserId, found.messages)
      await receive(db, found.messages.map(happeningOf))
      pageNewestId ??= found.messages[0]?.id ?? null
      // The first time it goes back to the first message that was sent from here.
      const isKnown = ({ id, at }: XConversationMessage) =>
        cursorEventId === null || isUnread ? at.getTime() < earliest : BigInt(id) <= BigInt(cursorEventId)
      const isThrough = found.next === null || found.messages.some(isKnown)
      pageToken = isThrough ? null : found.next
      if (isThrough) {
        cursorEventId = pageNewestId ?? cursorEventId
        pageNewestId = null
      }
      await db.execute(sql`
        update reply_watches set cursor_event_id = ${cursorEventId}, page_token = ${pageToken}, page_newest_id = ${pageNewestId}, polled_at = now()
        where x_user_id = ${xUserId}`)
      if (isThrough && isUnread && !(await endReading(db, xUserId))) {
        await rest(db, xUserId, UNSETTLED_SECONDS)
        return
      }
      if (isThrough) break
    }
    await rest(db, xUserId, pageToken ? POLL_SECONDS.degraded : restSeconds)
  } catch (error) {
    if (!(error instanceof XError)) throw error
    const until = error.kind === 'rate-limit' && error.retryAt ? (error.retryAt.getTime() - Date.now()) / 1_000 : 0
    // X may not know our place in the pages any more.
    if (error.kind === 'invalid')
      await db.execute(
        sql`update reply_watches set page_token = null, page_newest_id = null where x_user_id = ${xUserId}`,
      )
    await rest(db, xUserId, Math.max(until, POLL_SECONDS.degraded))
  } finally {
    await letGo()
  }
}

/** Seconds, and a little more, so that not all accounts are asked about at one moment. */
async function rest(db: Db, xUserId: string, seconds: number): Promise<void> {
  const some = seconds * (1 + 0.1 * Math.random())
  await db.execute(
    sql`update reply_watches set next_poll_at = now() + make_interval(secs => ${some}) where x_user_id = ${xUserId}`,
  )
}

function happeningOf({ id, ...message }: XConversationMessage): XHappening {
  return { kind: 'message', eventId: id, ...message }
}
