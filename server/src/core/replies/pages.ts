import { MINUTE_MS } from '@x-automated/contract/time'
import { sql } from 'drizzle-orm'
import type { Database } from '../../db/open.ts'
import type { XApi } from '../../outside/x.ts'
import type { XActivity } from '../../outside/x-activity.ts'
import { XError } from '../../outside/x-errors.ts'
import type { JobQueue, XApps, XMeters } from '../../ports.ts'
import type { Sealer } from '../../sealing.ts'
import { withAccount } from '../neighbors.ts'
import type { ListReading, Reading } from '../tables/replies.ts'

/*
 * Webhooks are fast, but only reading is certain. A read is complete once it has seen X's list of
 * messages and the list of X Chat's conversations, down to the last complete read. A follow-up
 * needs a recent complete read (tables/replies.ts), requests one (messages/account-lock.ts) and
 * waits for it, even while X cannot be read.
 */

/** The services that reading needs. `origin`: the address to which X delivers. */
export interface WatchContext {
  database: Database
  jobs: JobQueue
  x: XApi | null
  xApps: XApps
  xMeters: XMeters
  /** The operator app's activity API. Null if X cannot notify us, so its accounts are only polled. */
  xActivity: XActivity | null
  sealer: Sealer
  origin: string
}

export type Watch = {
  xUserId: string
  webhookId: string | null
  /** Apps that have subscriptions, or may have them. */
  xAppIds: string[]
  /**
   * The apps that still connect the account, in any workspace, each with one connected account.
   * `accountId` is null if all connections through the app are lost.
   */
  connections: { xAppId: string; accountId: string | null }[]
  /** X reports everything. */
  isLive: boolean
  /** X did not report everything when it was last asked. */
  hasProblem: boolean
  readUntil: string | null
  reading: Reading | null
  isChatAbsent: boolean
  hasMessageRequests: boolean
  /** A connected account of that X user; null if there is none. */
  accountId: string | null
  /** When the account's first message was sent; null: it has sent none. */
  sentSince: string | null
  /** After a restore, messages sent since this time may be missing; else null. */
  unreadSince: string | null
  /** Until this time, a message sent before a restore may still be in flight; else null. */
  inFlightUntil: string | null
}

/** SQL over `reply_watches w`: the columns of a `Watch`. */
export const watchColumns = sql`w.x_user_id as "xUserId", w.webhook_id as "webhookId",
  w.x_app_ids as "xAppIds", w.webhook_id is not null
  and w.problem is null as "isLive", w.problem is not null as "hasProblem",
  w.read_until as "readUntil", w.reading,
  coalesce(w.chat_absent_until > now(), false) as "isChatAbsent",
  w.has_message_requests as "hasMessageRequests",
  (
    select id
    from x_accounts a
    where a.x_user_id = w.x_user_id and a.status = 'connected'
    order by a.last_connected_at desc
    limit 1
  ) as "accountId",
  (select coalesce(json_agg(json_build_object('xAppId', c.x_app_id, 'accountId', c.id) order by c.x_app_id), '[]') from (
      select x_app_id, (array_agg(id order by last_connected_at desc) filter (where status = 'connected'))[1] as id
      from x_accounts a
      where a.x_user_id = w.x_user_id and a.status <> 'disconnected'
      group by x_app_id) c) as connections,
  (select min(d.claimed_at) from x_accounts a cross join lateral (
      select claimed_at from dms where x_account_id = a.id and claimed_at is not null order by claimed_at limit 1
    ) d where a.x_user_id = w.x_user_id) as "sentSince",
  (select min(unread_since) from x_accounts a where a.x_user_id = w.x_user_id) as "unreadSince",
  (
    select max(unread_until) from x_accounts a where a.x_user_id = w.x_user_id and unread_until > now()
  ) as "inFlightUntil"`

/** How far a read goes back beyond the last complete one, which may have missed entries that X listed late. */
export const OVERLAP_MS = 10 * MINUTE_MS
/**
 * Entries per page. X charges for each, so a read starts with few, and each page is twice as large
 * as the one before.
 */
export const PAGE_SIZE = { least: 5, most: 100 }
/** Pages per list before other accounts get a turn. X allows 15 calls in 15 minutes. */
export const MAX_PAGES = 6

/** A failed read, with the call to X that failed. */
export class ReadFailed extends Error {
  readonly call: string
  readonly reason: XError
  constructor(call: string, reason: XError) {
    super(reason.message)
    this.call = call
    this.reason = reason
  }
}

/** Runs `work`. @throws ReadFailed, which names the call, if X fails */
export async function naming<T>(call: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof XError ? new ReadFailed(call, error) : error
  }
}

/** Returns an error if it is a failed read, and throws any other. */
export function failureOf(error: unknown): ReadFailed {
  if (error instanceof ReadFailed) return error
  throw error
}

export const UNREAD: ListReading = { next: null, isComplete: false, oldest: null, isOrdered: true }

export interface ListPages<Entry> {
  earliest: Date
  size: number
  maxPages: number
  read(page: { cursor: string | null; size: number }): Promise<{ entries: readonly Entry[]; next: string | null }>
  /** The time of an entry; null: unknown. */
  timeOf(entry: Entry): Date | null
  save(list: ListReading): Promise<unknown>
}

/**
 * Reads pages of a list, newest first, until an entry is older than `earliest`. A list in another
 * order is read to its end.
 */
export async function readPages<Entry>(
  list: ListReading,
  { earliest, size, maxPages, read, timeOf, save }: ListPages<Entry>,
): Promise<ListReading> {
  let state = list
  let pageSize = size
  for (let page = 0; page < maxPages && !state.isComplete; page += 1) {
    const { entries, next } = await read({ cursor: state.next, size: pageSize })
    let { isOrdered, oldest } = state
    for (const entry of entries) {
      const at = timeOf(entry)?.toISOString() ?? null
      if (at === null || (oldest !== null && at > oldest)) isOrdered = false
      oldest = at
    }
    const isEnd = next === null || (isOrdered && oldest !== null && oldest < earliest.toISOString())
    state = { next, oldest, isOrdered, isComplete: isEnd }
    pageSize = Math.min(PAGE_SIZE.most, pageSize * 2)
    await save(state)
  }
  return state
}

/** Asks X for the handle of an X id, for $0.01; null: X has no such user. */
export async function findHandle(context: WatchContext, accountId: string, id: string): Promise<string | null> {
  const find = () => withAccount(context, accountId, (x, accessToken) => x.findUserById(accessToken, id))
  return (await naming('GET /2/users/:id', find))?.handle ?? null
}
