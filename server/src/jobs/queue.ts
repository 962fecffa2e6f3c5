import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { fromDrizzle, PgBoss } from 'pg-boss'
import type { Notices } from '../db/notices.ts'
import type { Database, Db } from '../db/open.ts'
import { isUnavailable } from '../db/unavailable.ts'

/** Every kind of queued work, and what one carries. */
export interface Jobs {
  /** A mail, sealed: it may hold a link that signs in. */
  mail: { sealed: string }
  /** Look whether an address has an account, and write the mail that was asked for; sealed, as it may hold a code. */
  'account-mail': { sealed: string }
  /** Go on with a scrape from its cursor. */
  scrape: { scrapeId: string }
  /** Look for webhooks that are due. */
  webhooks: Record<string, never>
  /** Look at a subscription at the payment provider. */
  payment: { subscriptionId: string }
  /** End one whose workspace was deleted. */
  'payment-end': { subscriptionId: string }
  /** Ask the payment provider for what nobody has told. */
  'payments-look': Record<string, never>
  /** Take credits older than 7 days out of the weekly leaderboard. */
  'expire-week': Record<string, never>
  /** Remove what is kept for a time only. */
  cleanup: Record<string, never>
}
export type JobName = keyof Jobs

export interface JobQueue {
  /**
   * Puts work into the queue, in the caller's transaction: it is there exactly if that commits.
   * @param options.startAfterSeconds not before that many seconds from now
   * @param options.key of a queue that holds one for each: another that has not begun yet stands for this one too
   */
  enqueue<N extends JobName>(
    db: Db,
    name: N,
    data: Jobs[N],
    options?: { startAfterSeconds?: number; key?: string },
  ): Promise<void>
  /** As `enqueue`, for many at once: one statement. */
  enqueueAll<N extends JobName>(db: Db, name: N, all: readonly Jobs[N][]): Promise<void>
  /** Begins to do work of a kind, `concurrency` at a time in this process. A handler that throws is tried again later. */
  work<N extends JobName>(name: N, concurrency: number, handler: (data: Jobs[N]) => Promise<void>): Promise<void>
  /** Ends when what is under way has ended, or after `graceSeconds`. */
  close(graceSeconds: number): Promise<void>
}

const QUEUES: Record<
  JobName,
  { retryLimit: number; retryDelay: number; retryBackoff: boolean; expireInSeconds: number; policy?: 'short' }
> = {
  mail: { retryLimit: 10, retryDelay: 5, retryBackoff: true, expireInSeconds: 60 },
  'account-mail': { retryLimit: 10, retryDelay: 5, retryBackoff: true, expireInSeconds: 60 },
  scrape: { retryLimit: 20, retryDelay: 5, retryBackoff: true, expireInSeconds: 90 },
  webhooks: { retryLimit: 0, retryDelay: 5, retryBackoff: true, expireInSeconds: 60 },
  payment: { retryLimit: 20, retryDelay: 2, retryBackoff: true, expireInSeconds: 120, policy: 'short' },
  'payment-end': { retryLimit: 20, retryDelay: 5, retryBackoff: true, expireInSeconds: 120 },
  'payments-look': { retryLimit: 0, retryDelay: 5, retryBackoff: true, expireInSeconds: 300 },
  'expire-week': { retryLimit: 0, retryDelay: 5, retryBackoff: true, expireInSeconds: 300 },
  cleanup: { retryLimit: 2, retryDelay: 60, retryBackoff: true, expireInSeconds: 300 },
}

const QUIET_MS = 30_000

/** Tells the workers of all processes that there is work of a kind, when the transaction commits that queued it. */
export const JOBS_CHANNEL = 'jobs'

/** Makes or updates the queue's tables; several processes may do so together. */
export async function openJobQueue(database: Database, notices: Notices, log: FastifyBaseLogger): Promise<JobQueue> {
  const boss = new PgBoss({
    db: {
      executeSql: async (text: string, values?: unknown[]) => {
        // Asked for within a transaction too, where a queue is used for the first time.
        const result = await database.besides.query(text, values)
        // pg-boss sends several statements at once when it migrates: then the rows are the last result's.
        return Array.isArray(result) ? (result.at(-1) as { rows: unknown[] }) : result
      },
    },
    superviseIntervalSeconds: 30,
    maintenanceIntervalSeconds: 300,
  } as ConstructorParameters<typeof PgBoss>[0])
  let saidAt = Number.NEGATIVE_INFINITY
  boss.on('error', (error) => {
    if (!isUnavailable(error)) return log.error({ err: error }, 'job queue')
    // Every worker of the queue finds out, every two seconds.
    if (performance.now() - saidAt < QUIET_MS) return
    saidAt = performance.now()
    log.warn({ err: error }, 'the job queue waits for the database')
  })
  try {
    await boss.start()
    for (const [name, options] of Object.entries(QUEUES)) {
      if (!(await boss.getQueue(name))) await boss.createQueue(name, options)
    }
    await boss.schedule('cleanup', '17 * * * *')
    await boss.schedule('webhooks', '* * * * *')
    await boss.schedule('payments-look', '* * * * *')
    await boss.schedule('expire-week', '* * * * *')
  } catch (error) {
    await boss.stop({ graceful: false, close: false } as object).catch(() => {})
    throw error
  }
  return {
    async enqueue(db, name, data, { startAfterSeconds, key } = {}) {
      await boss.send(name, data, {
        db: fromDrizzle(db as never, sql as never),
        ...(startAfterSeconds ? { startAfter: startAfterSeconds } : {}),
        ...(key ? { singletonKey: key } : {}),
      })
      if (!startAfterSeconds) await db.execute(sql`select pg_notify(${JOBS_CHANNEL}, ${name})`)
    },
    async enqueueAll(db, name, all) {
      if (all.length === 0) return
      const inserted = all.map((data) => ({ data }))
      await boss.insert(name, inserted, { db: fromDrizzle(db as never, sql as never) })
      await db.execute(sql`select pg_notify(${JOBS_CHANNEL}, ${name})`)
    },
    async work(name, concurrency, handler) {
      for (let i = 0; i < concurrency; i += 1) {
        let worker = ''
        worker = await boss.work<never>(name, { pollingIntervalSeconds: 2, batchSize: 1 }, async ([job]) => {
          // Where there was one there may be more: many queued together come with one notice.
          boss.notifyWorker(worker)
          try {
            if (job) await handler(job.data)
          } catch (error) {
            log.warn({ err: error, job: name }, 'a job failed and is tried again')
            throw error
          }
        })
        notices.listen(JOBS_CHANNEL, (kind) => kind === name && boss.notifyWorker(worker))
      }
    },
    async close(graceSeconds) {
      await boss
        .stop({ graceful: true, timeout: graceSeconds * 1000, close: false } as object)
        .catch((error: unknown) => log.warn({ err: error }, 'the job queue was not closed in order'))
    },
  }
}
