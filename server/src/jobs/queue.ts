import { sql } from 'drizzle-orm'
import { fromDrizzle, PgBoss } from 'pg-boss'
import type { Database, Db } from '../db/open.ts'

/** Every kind of queued work, and what one carries. */
export interface Jobs {
  /** A mail, sealed: it may hold a link that signs in. */
  mail: { sealed: string }
  /** Go on with a scrape from its cursor. */
  scrape: { scrapeId: string }
  /** Remove what is kept for a time only. */
  cleanup: Record<string, never>
}
export type JobName = keyof Jobs

export interface JobQueue {
  /**
   * Puts work into the queue, in the caller's transaction: it is there exactly if that commits.
   * @param startAfterSeconds not before that many seconds from now
   */
  enqueue<N extends JobName>(db: Db, name: N, data: Jobs[N], options?: { startAfterSeconds?: number }): Promise<void>
  /** Begins to do work of a kind, `concurrency` at a time in this process. A handler that throws is tried again later. */
  work<N extends JobName>(name: N, concurrency: number, handler: (data: Jobs[N]) => Promise<void>): Promise<void>
  /** Ends when what is under way has ended, or after `graceSeconds`. */
  close(graceSeconds: number): Promise<void>
}

const QUEUES: Record<
  JobName,
  { retryLimit: number; retryDelay: number; retryBackoff: boolean; expireInSeconds: number }
> = {
  mail: { retryLimit: 10, retryDelay: 5, retryBackoff: true, expireInSeconds: 60 },
  scrape: { retryLimit: 20, retryDelay: 5, retryBackoff: true, expireInSeconds: 90 },
  cleanup: { retryLimit: 2, retryDelay: 60, retryBackoff: true, expireInSeconds: 300 },
}

/** Makes or updates the queue's tables; several processes may do so together. */
export async function openJobQueue(database: Database, onError: (error: Error) => void): Promise<JobQueue> {
  const boss = new PgBoss({
    db: {
      executeSql: async (text: string, values?: unknown[]) => {
        const result = await database.pool.query(text, values)
        // pg-boss sends several statements at once when it migrates: then the rows are the last result's.
        return Array.isArray(result) ? (result.at(-1) as { rows: unknown[] }) : result
      },
    },
    superviseIntervalSeconds: 30,
    maintenanceIntervalSeconds: 300,
  } as ConstructorParameters<typeof PgBoss>[0])
  boss.on('error', onError)
  await boss.start()
  for (const [name, options] of Object.entries(QUEUES)) {
    if (!(await boss.getQueue(name))) await boss.createQueue(name, options)
  }
  await boss.schedule('cleanup', '17 * * * *')
  return {
    async enqueue(db, name, data, { startAfterSeconds } = {}) {
      await boss.send(name, data, {
        db: fromDrizzle(db as never, sql as never),
        ...(startAfterSeconds ? { startAfter: startAfterSeconds } : {}),
      })
    },
    async work(name, concurrency, handler) {
      for (let i = 0; i < concurrency; i += 1) {
        await boss.work<never>(name, { pollingIntervalSeconds: 0.5, batchSize: 1 }, async ([job]) => {
          if (job) await handler(job.data)
        })
      }
    },
    async close(graceSeconds) {
      await boss.stop({ graceful: true, timeout: graceSeconds * 1000, close: false } as object)
    },
  }
}
