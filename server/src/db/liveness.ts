import { eq, sql } from 'drizzle-orm'
import { one } from './one.ts'
import type { Database } from './open.ts'
import { workers } from './tables.ts'

/** Each worker holds an advisory lock for life. PostgreSQL releases it, however the worker dies. */
interface Liveness {
  /** This process's row in `workers`. It survives reconnects. */
  workerId: number
  /** Marks this process as dead. */
  close(): Promise<void>
}

/** First half of the lock key. The second is the worker's id. */
const LOCK_CLASS = 7_281_002

/** Ids of living processes, for queries such as `worker_id not in (${livingWorkers})`. */
export const livingWorkers = sql`
  select objid::bigint
  from pg_locks
  where locktype = 'advisory'
    and classid = ${sql`${LOCK_CLASS}`.inlineParams()}
    and objsubid = 2
    and granted
    and database = (select oid from pg_database where datname = current_database())`

/** Registers this process as alive, and deletes dead ones that started more than a day ago. */
export async function openLiveness({ db, locks }: Pick<Database, 'db' | 'locks'>): Promise<Liveness> {
  await db.delete(workers).where(sql`started_at < now() - interval '1 day' and id not in (${livingWorkers})`)
  const { id: workerId } = one(await db.insert(workers).values({}).returning({ id: workers.id }))
  // Nobody else knows the id yet. After a reconnect, the lock is taken again.
  const release = await locks.tryTake([LOCK_CLASS, workerId])
  if (!release) throw new Error('the lock of a new worker is already taken')

  return {
    workerId,
    async close() {
      await release()
      // A leftover row is deleted by a later process.
      await db
        .delete(workers)
        .where(eq(workers.id, workerId))
        .catch(() => {})
    },
  }
}

/** Registers this process as alive on first use, for requests that send messages themselves. */
export interface RequestWorker {
  /** The process's row in `workers`. */
  workerId(): Promise<number>
  close(): Promise<void>
}

export function createRequestWorker(database: Pick<Database, 'db' | 'locks'>): RequestWorker {
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
