import type { EventKind } from '@x-automated/contract/platform/events'
import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Channels } from '../../../db/channels.ts'
import type { RequestWorker } from '../../../db/liveness.ts'
import type { Database, Db } from '../../../db/open.ts'
import { EVENTS_CHANNEL, startRecording } from './recording.ts'
import { type Follower, openStreams } from './streams.ts'
import { eventStreams } from './tables.ts'

/** Maximum number of ids in an event. With more, it is published without ids, which means any object. */
const IDS_MAX = 100

/**
 * Publishes that objects of a workspace have changed, once the transaction commits. @param ids
 * empty: any object @param userId the only person who gets the event
 */
export async function publishEvents(
  db: Db,
  workspaceId: string,
  kind: EventKind,
  ids: readonly string[],
  userId: string | null = null,
): Promise<void> {
  const named = ids.length === 0 || ids.length > IDS_MAX ? ['*'] : [...ids]
  await db.execute(sql`
    select pg_notify(${EVENTS_CHANNEL}, concat_ws(' ', ${workspaceId}::text, ${kind}::text, id, ${userId}::text))
    from unnest(${sql.param(named)}::text[]) id`)
}

/** Live events of this process. */
export interface Events {
  /**
   * Publishes within a second that an object has changed or, without an id, any number of them. A
   * thousand changes cost one statement. Call it after the commit.
   */
  touch(workspaceId: string, kind: EventKind, id?: string): void
  /** Adds an event stream. @returns a function that ends it @throws Refusal RATE_LIMITED: too many streams */
  follow(follower: Follower): Promise<() => void>
  close(): Promise<void>
}

const TOUCH_MS = 1_000

interface EventsOptions {
  database: Database
  channels: Channels
  requestWorker: RequestWorker
  log: FastifyBaseLogger
}

/** Opens live events: numbers and stores published changes, and serves them to streams. */
export function openEvents({ database, channels, requestWorker, log }: EventsOptions): Events {
  const { db } = database
  const recording = startRecording({ database, channels, log })
  const streams = openStreams({ db, channels, requestWorker, log })
  const touched = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let sentAt = 0
  const send = async () => {
    timer = null
    sentAt = Date.now()
    const payloads = [...touched]
    touched.clear()
    if (payloads.length === 0) return
    await db.execute(
      sql`select pg_notify(${EVENTS_CHANNEL}, payload) from unnest(${sql.param(payloads)}::text[]) payload`,
    )
  }
  const sendOrLog = () => send().catch((error) => log.warn({ err: error }, 'changes were not published'))

  return {
    touch(workspaceId, kind, id = '*') {
      touched.add(`${workspaceId} ${kind} ${id}`)
      timer ??= setTimeout(() => void sendOrLog(), Math.max(0, sentAt + TOUCH_MS - Date.now()))
    },
    follow: streams.follow,
    async close() {
      if (timer) clearTimeout(timer)
      streams.close()
      await sendOrLog()
      await recording.close()
    },
  }
}

/** Deletes streams whose token has expired. A stream that ends properly deletes its own row. */
export async function purgeEventStreams(db: Db): Promise<void> {
  await db.delete(eventStreams).where(sql`${eventStreams.expiresAt} < now()`)
}
