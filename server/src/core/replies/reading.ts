import { CLOCK_SKEW_MS } from '@x-automated/contract/outreach/sending'
import { type SQL, sql } from 'drizzle-orm'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import type { XHappening } from '../../outside/x-delivery.ts'
import type { XError } from '../../outside/x-errors.ts'
import type { XConversationMessage } from '../../outside/x-schemas.ts'
import { finishReading, recordMessagesFromX } from '../messages/restore.ts'
import { wakeFollowUps } from '../messages/schedule.ts'
import { withAccount } from '../neighbors.ts'
import type { ListReading, Reading } from '../tables/replies.ts'
import { identifyHeld, readChangedChats, readChats, readLostChats } from './chats.ts'
import {
  failureOf,
  findHandle,
  type ListPages,
  MAX_PAGES,
  naming,
  OVERLAP_MS,
  PAGE_SIZE,
  ReadFailed,
  readPages,
  UNREAD,
  type Watch,
  type WatchContext,
} from './pages.ts'
import { receive } from './receive.ts'
import { POLL_SECONDS } from './writers.ts'

/** Like MAX_PAGES, for an unread account, which sends nothing until everything is read. */
const MAX_UNREAD_PAGES = 12
/** Delay before an account with unsettled messages is read again. */
const UNSETTLED_SECONDS = 20

/** Reads an account's conversations, or continues a read, and schedules the next one. */
export async function readAccount(context: WatchContext, watch: Watch): Promise<void> {
  const { db } = context.database
  const { xUserId, accountId } = watch
  const pollSeconds = watch.isLive ? POLL_SECONDS.live : POLL_SECONDS.degraded
  if (!accountId || (watch.sentSince ?? watch.unreadSince) === null) return schedule(db, xUserId, pollSeconds)
  if (watch.inFlightUntil !== null) return scheduleAt(db, xUserId, sql`${watch.inFlightUntil}::timestamptz`)
  try {
    const isComplete = await readLists(context, { ...watch, accountId })
    if (isComplete && watch.unreadSince !== null) {
      await readLostChats(context, { ...watch, accountId })
      if (!(await finishReading(db, xUserId))) return await schedule(db, xUserId, UNSETTLED_SECONDS)
    }
    await schedule(db, xUserId, isComplete ? pollSeconds : POLL_SECONDS.degraded)
    if (!isComplete) return
    const held = await identifyHeld(context, watch).catch(failureOf)
    const chats = readChangedChats(context, { ...watch, accountId })
    const failed = (await chats.finally(() => wakeFollowUps(db, xUserId))) ?? held
    if (failed) return await storeChatFailure(db, xUserId, failed)
    await db.execute(
      sql`
        update reply_watches
        set fails_since = null, failure = null, notified_at = null
        where x_user_id = ${xUserId} and fails_since is not null`,
    )
  } catch (error) {
    if (!(error instanceof ReadFailed)) throw error
    await storeFailure(db, xUserId, error)
  }
}

/** Reads both lists for one turn. @returns whether they are complete */
async function readLists(context: WatchContext, watch: Watch & { accountId: string }) {
  const { db } = context.database
  const { xUserId } = watch
  const { rows } = await db.execute<{ now: string }>(
    sql`select date_trunc('milliseconds', clock_timestamp())::text as now`,
  )
  const reading = watch.reading ?? { since: one(rows).now, messages: UNREAD, chats: UNREAD }
  const earliest = earliestOf(watch)
  const save = (state: Reading) =>
    db.execute(sql`
      update reply_watches set reading = ${JSON.stringify(state)}::jsonb
      where x_user_id = ${xUserId} and (missed_until is null or missed_until < ${reading.since}::timestamptz)`)

  const messages = await readMessages(context, watch, earliest, reading.messages, (list) =>
    save({ ...reading, messages: list }),
  )
  if (!messages.isComplete) return false
  const chats = watch.isChatAbsent
    ? { ...UNREAD, isComplete: true }
    : await readChats(context, watch, earliest, reading, (list) => save({ ...reading, messages, chats: list }))
  if (!chats.isComplete) return false
  await db.execute(sql`
    update reply_watches set read_until = ${reading.since}::timestamptz, reading = null, rests_until = null
    where x_user_id = ${xUserId}`)
  return true
}

/**
 * How far back a read must go: to the last complete one, or to the first message that the product
 * sent. After a restore also to the backup, whose last read may be older.
 */
function earliestOf({ unreadSince, readUntil, sentSince }: Watch): Date {
  const earliest = readUntil
    ? new Date(readUntil).getTime() - OVERLAP_MS
    : new Date(sentSince ?? unreadSince ?? 0).getTime() - CLOCK_SKEW_MS
  return new Date(unreadSince ? Math.min(earliest, new Date(unreadSince).getTime() - CLOCK_SKEW_MS) : earliest)
}

async function readMessages(
  context: WatchContext,
  { xUserId, accountId, unreadSince }: Watch & { accountId: string },
  earliest: Date,
  list: ListReading,
  save: ListPages<never>['save'],
): Promise<ListReading> {
  const { db } = context.database
  const isUnread = unreadSince !== null
  return readPages(list, {
    earliest,
    size: isUnread ? PAGE_SIZE.most : await firstPageSize(db, xUserId, earliest),
    maxPages: isUnread ? MAX_UNREAD_PAGES : MAX_PAGES,
    timeOf: ({ at }) => at,
    save,
    async read(page) {
      const { messages, next } = await naming('GET /2/dm_events', () =>
        withAccount(context, accountId, (x, accessToken) => x.listAllMessages(accessToken, page)),
      )
      // Comes first, because `receive` would take these messages for ones that the account's user wrote by hand.
      if (isUnread) await recordMessagesFromX(db, xUserId, messages, (id) => findHandle(context, accountId, id))
      await receive(db, messages.map(toHappening))
      return { entries: messages, next }
    },
  })
}

/**
 * The size of the first page. Our own messages since `earliest` are at the top of the list, so a
 * page with all of them costs no more.
 */
async function firstPageSize(db: Db, xUserId: string, earliest: Date): Promise<number> {
  const { rows } = await db.execute<{ sent: number }>(sql`
    select count(*)::int as sent from (
      select
      from dms
      where x_account_id in (select id from x_accounts where x_user_id = ${xUserId})
        and claimed_at > ${earliest.toISOString()}::timestamptz
      limit ${PAGE_SIZE.most}
    ) known`)
  return Math.min(PAGE_SIZE.most, Math.max(PAGE_SIZE.least, one(rows).sent + 1))
}

function toHappening({ id, ...message }: XConversationMessage): XHappening {
  return { kind: 'message', eventId: id, isEncrypted: false, ...message }
}

// The schedule

/** Schedules the next read in `seconds`, plus up to 10%, so that accounts spread out. */
async function schedule(db: Db, xUserId: string, seconds: number): Promise<void> {
  await scheduleAt(db, xUserId, sql`now() + make_interval(secs => ${seconds * (1 + 0.1 * Math.random())})`)
}

async function scheduleAt(db: Db, xUserId: string, at: SQL): Promise<void> {
  await db.execute(sql`update reply_watches set next_poll_at = ${at} where x_user_id = ${xUserId}`)
}

/** Errors that no person can repair, or that are shown elsewhere. */
const TEMPORARY = new Set<XError['kind']>(['rate-limit', 'funds', 'unauthorized', 'account'])

async function storeFailure(db: Db, xUserId: string, failed: ReadFailed): Promise<void> {
  const { retryAt, kind } = failed.reason
  const limitSeconds = retryAt ? (retryAt.getTime() - Date.now()) / 1_000 : 0
  const seconds = Math.max(
    kind === 'funds' ? Math.min(limitSeconds, FUNDS_SECONDS) : limitSeconds,
    POLL_SECONDS.degraded,
  )
  await db.execute(sql`
    update reply_watches
    set rests_until = now() + make_interval(secs => ${seconds}),
      next_poll_at = now() + make_interval(secs => ${seconds}),
      ${failing(failed)},
      -- X may no longer accept the stored position in the lists.
      reading = case when ${kind === 'invalid'}::boolean then null else reading end
    where x_user_id = ${xUserId}`)
}
/** Longest delay without funds, because credits or a higher spending limit may arrive at any time. */
const FUNDS_SECONDS = 900

/** Stores that conversations cannot be read. Reads that follow-ups request wait for POLL_SECONDS.degraded. */
async function storeChatFailure(db: Db, xUserId: string, failed: ReadFailed): Promise<void> {
  await db.execute(sql`
    update reply_watches
    set rests_until = now() + make_interval(secs => ${POLL_SECONDS.degraded}), ${failing(failed)}
    where x_user_id = ${xUserId}`)
}

/** SQL assignments that store a failure. */
function failing({ call, reason }: ReadFailed): SQL {
  const failure = TEMPORARY.has(reason.kind) ? null : `X answers ${call} with “${reason.message.replace(/\.$/, '')}”.`
  return sql`fails_since = case when ${failure}::text is null then fails_since else coalesce(fails_since, now()) end,
    failure = coalesce(${failure}::text, failure)`
}
