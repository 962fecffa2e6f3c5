import { eq, sql } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { workers } from '../domains/sending/tables.ts'

/**
 * Tells living processes from dead ones. Each takes an advisory lock on its own number and holds it on its session for life:
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

/** For set-based questions: `worker_id not in (${livingWorkers})`. One row an id of a living process. */
export const livingWorkers = sql`select objid::bigint from pg_locks where locktype = 'advisory' and classid = ${sql.raw(String(LOCK_CLASS))} and objsubid = 2 and granted and database = (select oid from pg_database where datname = current_database())`

/** Enters this process among the living, and forgets those that died. */
export async function openLiveness({ db, locks }: Pick<Database, 'db' | 'locks'>): Promise<Liveness> {
  await db.delete(workers).where(sql`started_at < now() - interval '1 day' and id not in (${livingWorkers})`)
  const [row] = await db.insert(workers).values({}).returning({ id: workers.id })
  if (!row) throw new Error('no worker row was made')
  const workerId = row.id
  // Nobody else knows the number yet. If the connection breaks, the lock is taken again with the next one.
  const release = await locks.tryTake([LOCK_CLASS, workerId])
  if (!release) throw new Error('a new worker was taken for a living one')

  return {
    workerId,
    async isAlive(id) {
      const { rows } = await db.execute(sql`select 1 where ${id}::bigint in (${livingWorkers})`)
      return rows.length > 0
    },
    async close() {
      await release()
      // A row that stays is removed by a later process.
      await db
        .delete(workers)
        .where(eq(workers.id, workerId))
        .catch(() => {})
    },
  }
}

/** This process among the living from its first message outside the sender on, for requests that send themselves. */
export interface Hands {
  /** Its row in `workers`. */
  workerId(): Promise<number>
  close(): Promise<void>
}

export function createHands(database: Pick<Database, 'db' | 'locks'>): Hands {
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
