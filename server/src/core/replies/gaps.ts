import { HOUR_MS, MINUTE_MS } from '@x-automated/contract/time'
import { eq, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { livingWorkers } from '../../db/liveness.ts'
import type { Database, Db } from '../../db/open.ts'
import type { XActivity } from '../../outside/x-activity.ts'
import { XError } from '../../outside/x-errors.ts'
import { withFunds } from '../neighbors.ts'
import { replyWatches } from '../tables/replies.ts'

/*
 * X gives up delivering after a while. A replay of the app's webhook brings back the deliveries of
 * such a gap. Only one replay runs at a time, because X charges for deliveries that it repeats on
 * another day. The accounts are read, too.
 */

/** A replay starts this long before the gap. */
const OVERLAP_MS = 2 * MINUTE_MS
/** X redelivers events that are at most this old. */
const REPLAYED_MS = 24 * HOUR_MS
const REPLAY_EVERY = sql`interval '10 minutes'`

/**
 * Records that an app's deliveries may be missing since its last successful one.
 * @param since when a delivery failed, because later ones may already have been stored
 */
export async function noteGap(db: Db, appId: string, since: Date | null = null): Promise<void> {
  const begin = sql`least(delivered_at, ${since?.toISOString() ?? null}::timestamptz)`
  await db.execute(sql`
    update x_apps
    set gap_until = now(), gap_since = least(gap_since, ${begin})
    where id = ${appId} and ${begin} is not null`)
  await readAllOf(db, appId)
}

/** Requests a read of every account of an app. Earlier reads no longer count. */
export async function readAllOf(db: Db, appId: string): Promise<void> {
  const isOfApp = sql`exists (
    select from x_accounts a where a.x_user_id = ${replyWatches.xUserId} and a.x_app_id = ${appId})`
  const nextPollAt = sql`least(${replyWatches.nextPollAt}, greatest(now(), ${replyWatches.restsUntil}))`
  await db
    .update(replyWatches)
    .set({ ...DISCOUNTED, nextPollAt })
    .where(isOfApp)
}

/** Messages to the account may be missing, so for follow-ups only reads that begin later count. */
const DISCOUNTED = { missedUntil: sql`now()`, reading: null }

/** Stops counting an account's reads so far, because a message to it may be missing. */
export async function discountReads(db: Db, xUserId: string): Promise<void> {
  await db.update(replyWatches).set(DISCOUNTED).where(eq(replyWatches.xUserId, xUserId))
}

/**
 * On start, notes gaps of all apps, unless another process was already running, which would have
 * received the deliveries.
 */
export async function noteGapsOfStart({ db, session }: Pick<Database, 'db' | 'session'>): Promise<void> {
  const { rows } = await session.run((connection) => connection.query('select pg_backend_pid() as pid'))
  const isOther = sql`exists (${livingWorkers} and exists (
    select from pg_stat_activity other join pg_stat_activity own on own.pid = ${rows[0].pid}::int
    where other.pid = pg_locks.pid and (other.backend_start, other.pid) < (own.backend_start, own.pid)))`
  const { rows: apps } = await db.execute<{ id: string }>(sql`select id from x_apps where not ${isOther}`)
  for (const { id } of apps) await noteGap(db, id)
}

type Gap = { id: string; since: string; until: string }

/** Makes X redeliver what apps have missed. @param webhooks finds the webhook of an app; throws XError */
export async function replayGaps(
  { database: { db }, log }: { database: Database; log: FastifyBaseLogger },
  webhooks: (xAppId: string) => Promise<{ activity: XActivity; id: string }>,
): Promise<void> {
  // X no longer redelivers events from these gaps, and every account has been read since.
  await db.execute(
    sql`
      update x_apps
      set gap_since = null, gap_until = null
      where gap_until < now() - make_interval(secs => ${REPLAYED_MS / 1_000})`,
  )
  const { rows } = await db.execute<Gap>(sql`
    update x_apps set replayed_at = now()
    where gap_since is not null and (replayed_at is null or replayed_at < now() - ${REPLAY_EVERY})
    returning id, gap_since as since, gap_until as until`)
  for (const { id, since, until } of rows) {
    const from = Math.max(new Date(since).getTime() - OVERLAP_MS, Date.now() - REPLAYED_MS)
    try {
      const { activity, id: webhookId } = await webhooks(id)
      await withFunds(db, id, () => activity.replay({ webhookId, from: new Date(from), to: new Date(until) }))
      // The gap may have grown in the meantime.
      await db.execute(
        sql`
          update x_apps set gap_since = null, gap_until = null where id = ${id} and gap_until = ${until}::timestamptz`,
      )
    } catch (error) {
      if (!(error instanceof XError)) throw error
      log.warn({ err: error }, 'X did not deliver again what was missed; retrying in 10 minutes')
    }
  }
}
