import { eq, sql } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { workers } from '../domains/sending/tables.ts'

/**
 * Tells living processes from dead ones. Each takes an advisory lock on its own number and holds it on a connection of its own for life:
 * when it dies, even by SIGKILL, PostgreSQL lets go of the lock at once.
 */
export interface Liveness {
  /** This process's row in `workers`. Kept when its connection breaks and is made again. */
  workerId: number
  isAlive(workerId: number): Promise<boolean>
  /** From here on this process counts as dead. */
  close(): Promise<void>
}

/** First half of the lock's key; the second is the worker's id. */
const LOCK_CLASS = 7_281_002
const RECONNECT_MS = 1_000

/** For set-based questions: `worker_id not in (${livingWorkers})`. One row an id of a living process. */
export const livingWorkers = sql`select objid::bigint from pg_locks where locktype = 'advisory' and classid = ${sql.raw(String(LOCK_CLASS))} and objsubid = 2 and granted and database = (select oid from pg_database where datname = current_database())`

/** Enters this process among the living, and forgets those that died. */
export async function openLiveness(database: Database): Promise<Liveness> {
  const { db } = database
  await db.delete(workers).where(sql`started_at < now() - interval '1 day' and id not in (${livingWorkers})`)
  const [row] = await db.insert(workers).values({}).returning({ id: workers.id })
  if (!row) throw new Error('no worker row was made')
  const workerId = row.id
  let client: Awaited<ReturnType<Database['connect']>> | null = null
  let closed = false

  const connect = async () => {
    const next = await database.connect()
    next.on('error', () => {})
    next.on('end', () => {
      if (!closed) setTimeout(reconnect, RECONNECT_MS).unref()
    })
    // A machine that vanished is given up within half a minute.
    await next.query('set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4')
    // Waits where PostgreSQL has not yet noticed that our connection before is gone.
    await next.query('select pg_advisory_lock($1, $2)', [LOCK_CLASS, workerId])
    if (closed) await next.end()
    else client = next
  }
  const reconnect = () =>
    void connect().catch(() => {
      if (!closed) setTimeout(reconnect, RECONNECT_MS).unref()
    })
  await connect()

  return {
    workerId,
    async isAlive(id) {
      const { rows } = await db.execute(sql`select 1 where ${id}::bigint in (${livingWorkers})`)
      return rows.length > 0
    },
    async close() {
      closed = true
      await client?.end()
      await db.delete(workers).where(eq(workers.id, workerId))
    },
  }
}

/** This process among the living from its first message outside the sender on, for requests that send themselves. */
export interface Hands {
  /** Its row in `workers`. */
  workerId(): Promise<number>
  close(): Promise<void>
}

export function createHands(database: Database): Hands {
  let opening: Promise<Liveness> | null = null
  return {
    async workerId() {
      opening ??= openLiveness(database)
      try {
        return (await opening).workerId
      } catch (error) {
        opening = null
        throw error
      }
    },
    async close() {
      await (await opening?.catch(() => null))?.close()
    },
  }
}
