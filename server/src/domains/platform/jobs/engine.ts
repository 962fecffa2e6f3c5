import type { JobKind } from '@x-automated/contract/platform/jobs'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { isUnavailable } from '../../../db/unavailable.ts'
import type { Services } from '../../../services.ts'
import { publishEvents } from '../events/service.ts'
import { jobs } from './tables.ts'

// Runs jobs: any process continues a job from its place, and only one of them saves each part.

export type JobRow = typeof jobs.$inferSelect

/** The next leads of a job, in the order of ids. */
export interface JobPart {
  /** The last lead. */
  place: string
  /** How many leads. */
  done: number
  /**
   * Stores what was done, in the transaction that stores the place. An error ends the job.
   * @param before how many leads the job has changed before
   */
  save(tx: Db, before: number): Promise<{ changed: number; error?: string }>
  /** Called instead of `save` if the part is not stored. */
  drop(): Promise<void>
}

type JobServices = Pick<Services, 'database' | 'jobs' | 'log' | 'isDraining' | 'onFault'>

/** What each kind of job does: parts from the job's place on. Work before `save` may be lost. */
export type JobKinds<S> = Record<JobKind, (services: S, job: JobRow) => AsyncIterable<JobPart>>

/** Jobs per process. */
const CONCURRENCY = 2
/** After this time a job goes to the end of the queue, so that short ones need not wait. */
const TURN_MS = 15_000
/** A job fails after this number of faults in succession. */
const FAILURES_MAX = 5
const FAULT = 'Something went wrong on our side. What the job had done stays. Start it again for the rest.'

/** Works on jobs in this process. */
export async function runJobs<S extends JobServices>(services: S, kinds: JobKinds<S>): Promise<void> {
  await services.jobs.work('job', CONCURRENCY, ({ workspaceId, jobId }) =>
    runJob(services, kinds, { workspaceId, id: jobId }),
  )
}

/** Continues a job until it ends, or its turn is over. */
export async function runJob<S extends JobServices>(
  services: S,
  kinds: JobKinds<S>,
  of: { workspaceId: string; id: string },
): Promise<void> {
  const { db } = services.database
  let job = await begin(db, of)
  if (!job) return
  const turnEnds = Date.now() + TURN_MS
  try {
    for await (const part of kinds[job.kind](services, job)) {
      job = await save(db, job, part)
      if (job?.status !== 'running') return
      if (services.isDraining() || Date.now() > turnEnds) {
        await services.jobs.reschedule(
          db,
          'job',
          { workspaceId: of.workspaceId, jobId: of.id },
          { key: of.id, group: of.id },
        )
        return
      }
    }
    await end(db, of, { status: 'completed' })
  } catch (error) {
    // The queue tries again while the database is down.
    if (isUnavailable(error)) throw error
    services.log.error({ err: error, jobId: of.id }, 'part of a job failed')
    services.onFault(error)
    const counted = await db
      .update(jobs)
      .set({ failures: sql`failures + 1` })
      .where(isRow(of))
      .returning({ failures: jobs.failures })
    if ((counted[0]?.failures ?? 0) < FAILURES_MAX) throw error
    await end(db, of, { status: 'failed', error: FAULT })
  }
}

const isRow = ({ workspaceId, id }: Pick<JobRow, 'workspaceId' | 'id'>) =>
  and(eq(jobs.workspaceId, workspaceId), eq(jobs.id, id))

/** Null: it has ended. */
async function begin(db: Db, of: Pick<JobRow, 'workspaceId' | 'id'>): Promise<JobRow | null> {
  const [job] = await db
    .update(jobs)
    .set({ status: 'running', startedAt: sql`coalesce(started_at, now())`, updatedAt: sql`now()` })
    .where(and(isRow(of), inArray(jobs.status, ['queued', 'running'])))
    .returning()
  return job ?? null
}

/** Null: it was canceled, or another process has saved this part. */
async function save(db: Db, { place, ...of }: JobRow, part: JobPart): Promise<JobRow | null> {
  const saved = await transact(db, async (tx) => {
    const [job] = await tx.select().from(jobs).where(isRow(of)).for('no key update')
    if (job?.status !== 'running' || job.place !== place) return null
    const { changed, error } = await part.save(tx, job.changed)
    const ended = error === undefined ? {} : { status: 'failed' as const, error, endedAt: sql`now()` }
    const set = { place: part.place, done: job.done + part.done, changed: job.changed + changed, failures: 0 }
    await publishEvents(tx, of.workspaceId, 'job', [of.id])
    return one(
      await tx
        .update(jobs)
        .set({ ...set, ...ended, updatedAt: sql`now()` })
        .where(isRow(of))
        .returning(),
    )
  })
  if (!saved) await part.drop()
  return saved
}

type Ending = { status: 'completed' } | { status: 'failed'; error: string }

async function end(db: Db, of: Pick<JobRow, 'workspaceId' | 'id'>, ending: Ending): Promise<void> {
  await transact(db, async (tx) => {
    const done = ending.status === 'completed' ? { done: sql`total` } : {}
    const set = { ...ending, ...done, endedAt: sql`now()`, updatedAt: sql`now()` }
    await tx
      .update(jobs)
      .set(set)
      .where(and(isRow(of), eq(jobs.status, 'running')))
    await publishEvents(tx, of.workspaceId, 'job', [of.id])
  })
}
