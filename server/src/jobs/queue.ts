import { isDeepStrictEqual } from 'node:util'
import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { fromDrizzle, PgBoss, type Queue } from 'pg-boss'
import type { Channels } from '../db/channels.ts'
import type { Database } from '../db/open.ts'
import { isUnavailable } from '../db/unavailable.ts'
import type { JobName, JobQueue } from '../ports.ts'

const MAIL = { retryLimit: 10, retryDelay: 5, expireInSeconds: 60 }
/** The options of each queue. All retries use backoff. */
const QUEUES: Record<JobName, Omit<Queue, 'name'>> = {
  mail: MAIL,
  'account-mail': MAIL,
  'account-mail-send': MAIL,
  scrape: { retryLimit: 20, retryDelay: 5, expireInSeconds: 90 },
  'find-watches': { retryLimit: 0, expireInSeconds: 60, policy: 'short' },
  'x-funds': { retryLimit: 0, expireInSeconds: 300, policy: 'short' },
  'watch-replies': {
    retryLimit: 100_000,
    retryDelay: 5,
    retryDelayMax: 60,
    expireInSeconds: 300,
    // Short: if a process dies, the account's next run waits until its job counts as dead.
    heartbeatSeconds: 20,
    deleteAfterSeconds: 3_600,
    policy: 'short',
  },
  'read-back': { retryLimit: 10, retryDelay: 60, expireInSeconds: 300, policy: 'short' },
  'webhook-endpoint': {
    retryLimit: 100_000,
    retryDelay: 5,
    retryDelayMax: 60,
    expireInSeconds: 60,
    deleteAfterSeconds: 3_600,
    policy: 'short',
  },
  payment: { retryLimit: 20, retryDelay: 2, expireInSeconds: 120, policy: 'short' },
  'payment-end': { retryLimit: 20, retryDelay: 5, expireInSeconds: 120 },
  'payments-look': { retryLimit: 0, expireInSeconds: 300 },
  'expire-week': { retryLimit: 0, expireInSeconds: 300 },
  'waitlist-rewards': { retryLimit: 0, expireInSeconds: 300, policy: 'short' },
  'judge-tests': { retryLimit: 0, expireInSeconds: 300 },
  'launch-parts': { retryLimit: 0, expireInSeconds: 3_000, policy: 'short' },
  'first-names': { retryLimit: 0, expireInSeconds: 3_000, policy: 'short' },
  'read-handles': { retryLimit: 0, expireInSeconds: 3_000, policy: 'short' },
  'end-snoozes': { retryLimit: 0, expireInSeconds: 300 },
  'second-opinions': { retryLimit: 0, expireInSeconds: 3_000, policy: 'short' },
  job: {
    retryLimit: 100_000,
    retryDelay: 2,
    retryDelayMax: 60,
    expireInSeconds: 600,
    // Another process continues a job whose process died.
    heartbeatSeconds: 20,
    deleteAfterSeconds: 3_600,
    policy: 'short',
  },
  cleanup: { retryLimit: 2, retryDelay: 60, expireInSeconds: 300 },
}

/** When a job is enqueued automatically, in cron notation. */
const SCHEDULES: Partial<Record<JobName, string>> = {
  'find-watches': '* * * * *',
  'x-funds': '* * * * *',
  'first-names': '* * * * *',
  'judge-tests': '*/5 * * * *',
  'launch-parts': '7 * * * *',
  cleanup: '17 * * * *',
  'read-handles': '37 * * * *',
  'payments-look': '* * * * *',
  'expire-week': '* * * * *',
  'waitlist-rewards': '* * * * *',
  'end-snoozes': '* * * * *',
  'second-opinions': '* * * * *',
}

const QUIET_MS = 30_000

/** Wakes the workers of all processes when a transaction commits that enqueued a job. */
export const JOBS_CHANNEL = 'jobs'

/** Creates or updates the queue's tables and the options of its queues. Safe to call from several processes. */
export async function openJobQueue(database: Database, channels: Channels, log: FastifyBaseLogger): Promise<JobQueue> {
  const boss = new PgBoss({
    db: {
      executeSql: async (text: string, values?: unknown[]) => {
        // The side pool, because a queue's first use may happen within a transaction.
        const result = await database.sidePool.query(text, values)
        // pg-boss sends several statements together when it migrates; the last result has the rows.
        return Array.isArray(result) ? (result.at(-1) as { rows: unknown[] }) : result
      },
    },
    superviseIntervalSeconds: 30,
    maintenanceIntervalSeconds: 300,
  } as ConstructorParameters<typeof PgBoss>[0])
  let saidAt = Number.NEGATIVE_INFINITY
  boss.on('error', (error) => {
    if (!isUnavailable(error)) return log.warn({ err: error }, 'job queue failed, retrying')
    // Every worker reports the error, every two seconds.
    if (performance.now() - saidAt < QUIET_MS) return
    saidAt = performance.now()
    log.warn({ err: error }, 'job queue is waiting for the database')
  })
  try {
    await boss.start()
    await prepareQueues(boss)
    await prepareSchedules(boss)
  } catch (error) {
    await boss.stop({ graceful: false, close: false } as object).catch(() => {})
    throw error
  }
  return {
    async enqueue(db, name, data, { startAfterSeconds, key, group } = {}) {
      await boss.send(name, data, {
        db: fromDrizzle(db as never, sql as never),
        ...(startAfterSeconds ? { startAfter: startAfterSeconds } : {}),
        ...(key ? { singletonKey: key } : {}),
        ...(group ? { group: { id: group } } : {}),
      })
      if (!startAfterSeconds) await db.execute(sql`select pg_notify(${JOBS_CHANNEL}, ${name})`)
    },
    async reschedule(db, name, data, { key, group, at }) {
      await boss.upsert(name, data, {
        db: fromDrizzle(db as never, sql as never),
        singletonKey: key,
        group: { id: group },
        startAfter: at ?? 0,
      })
      if (!at) await db.execute(sql`select pg_notify(${JOBS_CHANNEL}, ${name})`)
    },
    async enqueueAll(db, name, all) {
      if (all.length === 0) return
      const inserted = all.map((data) => ({ data }))
      await boss.insert(name, inserted, { db: fromDrizzle(db as never, sql as never) })
      await db.execute(sql`select pg_notify(${JOBS_CHANNEL}, ${name})`)
    },
    async work(name, concurrency, handler) {
      const options = { pollingIntervalSeconds: 2, batchSize: 1, groupConcurrency: 1 }
      for (let i = 0; i < concurrency; i += 1) {
        let worker = ''
        worker = await boss.work<never>(name, options, async ([job]) => {
          // Jobs enqueued together wake a worker only once, so look for more.
          boss.notifyWorker(worker)
          try {
            if (job) await handler(job.data)
          } catch (error) {
            log.warn({ err: error, job: name }, 'job failed and will be retried')
            throw error
          }
        })
        channels.subscribe(JOBS_CHANNEL, (kind) => kind === name && boss.notifyWorker(worker))
      }
    },
    async close(graceSeconds) {
      await boss
        .stop({ graceful: true, timeout: graceSeconds * 1000, close: false } as object)
        .catch((error: unknown) => log.warn({ err: error }, 'job queue did not close cleanly'))
    },
  }
}

/** Creates missing queues, and updates those of earlier versions. */
export async function prepareQueues(boss: PgBoss): Promise<void> {
  const existing = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  for (const [name, { policy = 'standard', ...others }] of Object.entries(QUEUES)) {
    const queue = existing.get(name)
    const options = { ...others, retryBackoff: true }
    if (!queue) await boss.createQueue(name, { ...options, policy })
    else if (!isDeepStrictEqual({ ...queue, ...options }, queue)) await boss.updateQueue(name, options)
    // pg-boss itself never changes a policy. Jobs store their own policy, so this affects only
    // future jobs.
    if (queue && queue.policy !== policy)
      await boss.getDb().executeSql('update pgboss.queue set policy = $2 where name = $1', [name, policy])
  }
  // Earlier versions delivered webhooks with one job for all endpoints.
  if (existing.has('webhooks')) await boss.deleteQueue('webhooks')
}

async function prepareSchedules(boss: PgBoss): Promise<void> {
  const existing = new Map((await boss.getSchedules()).map(({ name, cron }) => [name, cron]))
  for (const [name, cron] of Object.entries(SCHEDULES)) if (existing.get(name) !== cron) await boss.schedule(name, cron)
}
