import type { JobKind } from '@x-automated/contract/platform/jobs'
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { isUnavailable } from '../../../db/unavailable.ts'
import type { JobQueue } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import type { Services } from '../../../services.ts'
import { ENDED, jobChanges, jobs } from './tables.ts'

// Runs jobs. Any process can continue a job from its stored position, and only one process saves each part.

export type JobRow = typeof jobs.$inferSelect

/** A part of a job: its next leads, in the order of ids. */
export interface JobPart {
  /** The id of the part's last lead. */
  place: string
  /** The number of leads in the part. */
  done: number
  /**
   * Stores the part's changes, in the transaction that stores the position. An error ends the job.
   * @param before how many leads the job has changed so far
   */
  save(tx: Db, before: number): Promise<Saved>
  /** Called instead of `save` if the part is not stored. */
  drop?(): Promise<void>
  /** When the job continues. A pause without progress counts as one of the job's failures in a row. */
  pauseUntil?: Date
}

/** The result of a part. */
export interface Saved {
  changed: number
  /** The data that the undo needs, as JSON. */
  changes?: unknown
  /** Why the job ends with this part. */
  error?: string
  /** A problem that did not end the job; null: there is none now. */
  warning?: string | null | undefined
}

type JobServices = Pick<Services, 'database' | 'jobs' | 'log' | 'isDraining' | 'events'>

/** A kind of job. */
export interface Kind<S> {
  /** The parts of the job after its stored position. Work done before `save` may be lost. */
  run(services: S, job: JobRow): AsyncIterable<JobPart>
  /** Undoes a part, in the transaction that stores the position. @returns how many leads changed */
  undo?(tx: Db, undone: JobRow, changes: unknown, services: S): Promise<number>
  /** Called once the job or its undo has ended in any way, and again if that call was interrupted. */
  ended?(services: S, job: JobRow): Promise<void>
}

export type JobKinds<S> = Partial<Record<JobKind, Kind<S>>>

/** Number of jobs that a process runs at a time. */
const CONCURRENCY = 2
/** After this time a job goes to the end of the queue, so that short ones do not wait for long ones. */
const TURN_MS = 15_000
/** A job fails after this number of failures in a row. */
const FAILURES_MAX = 5
const FAULT = 'Something went wrong on our side. What the job has done is kept. Start it again for the rest.'

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
  if (!job) return finish(services, kinds, of)
  const kind = kinds[job.kind]
  if (!kind) throw new Error(`nothing runs jobs of kind ${job.kind}`)
  const turnEnds = Date.now() + TURN_MS
  try {
    for await (const part of job.undoes ? undoParts(services, kind, job) : kind.run(services, job)) {
      job = await save(db, job, part)
      services.events.touch(of.workspaceId, 'job', of.id)
      if (job?.status !== 'running') return await finish(services, kinds, of)
      if (part.pauseUntil || services.isDraining() || Date.now() > turnEnds) {
        await scheduleJob(db, services.jobs, job, part.pauseUntil)
        return
      }
    }
    await end(db, of, { status: 'completed' })
  } catch (error) {
    // The queue tries again until the database is back.
    if (isUnavailable(error)) throw error
    // For example, the list was deleted, or the plan's limit is used up.
    if (error instanceof Refusal) {
      await end(db, of, { status: 'failed', error: error.message })
      return await finish(services, kinds, of)
    }
    services.log.error({ err: error, jobId: of.id }, 'part of a job failed')
    const counted = await db
      .update(jobs)
      .set({ failures: sql`failures + 1` })
      .where(isRow(of))
      .returning({ failures: jobs.failures })
    if ((counted[0]?.failures ?? 0) < FAILURES_MAX) throw error
    await end(db, of, { status: 'failed', error: FAULT })
  }
  await finish(services, kinds, of)
}

/** Does the remaining work after the end of a job. */
async function finish<S extends JobServices>(
  services: S,
  kinds: JobKinds<S>,
  of: { workspaceId: string; id: string },
): Promise<void> {
  services.events.touch(of.workspaceId, 'job', of.id)
  const { db } = services.database
  const [job] = await db.select().from(jobs).where(isRow(of))
  if (!job?.endedAt) return
  const [changing] = job.undoes
    ? await db
        .select()
        .from(jobs)
        .where(isRow({ ...of, id: job.undoes }))
    : [job]
  if (changing) await kinds[job.kind]?.ended?.(services, changing)
}

/**
 * Makes a job due, so that a process works on it. A job and its undo never run at the same time.
 * @param at defaults to now
 */
export async function scheduleJob(
  db: Db,
  queue: JobQueue,
  { workspaceId, id, undoes }: Pick<JobRow, 'workspaceId' | 'id' | 'undoes'>,
  at?: Date,
): Promise<void> {
  await queue.reschedule(db, 'job', { workspaceId, jobId: id }, { key: id, group: undoes ?? id, ...(at && { at }) })
}

/** Whether a job is being undone. No undo can start before the transaction ends. */
export async function isBeingUndone(tx: Db, of: Pick<JobRow, 'workspaceId' | 'id'>): Promise<boolean> {
  const [job] = await tx.select({ undoneBy: jobs.undoneBy }).from(jobs).where(isRow(of)).for('share')
  return Boolean(job?.undoneBy)
}

/** The parts of a job that undoes another one. Each part deletes the changes that it has undone. */
async function* undoParts<S extends JobServices>(services: S, kind: Kind<S>, job: JobRow): AsyncGenerator<JobPart> {
  const { db } = services.database
  const [undone] = await db
    .select()
    .from(jobs)
    .where(isRow({ ...job, id: job.undoes ?? job.id }))
  if (!undone) return
  for await (const { place: position, leads, changes } of readChanges(db, undone))
    yield {
      place: position,
      done: leads,
      async save(tx) {
        const changed = (await kind.undo?.(tx, undone, changes, services)) ?? 0
        await deleteChanges(tx, undone, position)
        return { changed }
      },
    }
}

/** The changes of a job that have not been undone, part by part. */
export async function* readChanges(db: Db, { workspaceId, id }: { workspaceId: string; id: string }) {
  const ofJob = and(eq(jobChanges.workspaceId, workspaceId), eq(jobChanges.jobId, id))
  for (let position: string | null = null; ; ) {
    const [part] = await db
      .select()
      .from(jobChanges)
      .where(and(ofJob, position ? gt(jobChanges.place, position) : undefined))
      .orderBy(asc(jobChanges.place))
      .limit(1)
    if (!part) return
    position = part.place
    yield part
  }
}

/** Deletes the changes of a part, once they have been undone or are no longer needed. */
export async function deleteChanges(
  tx: Db,
  { workspaceId, id }: Pick<JobRow, 'workspaceId' | 'id'>,
  position: string,
): Promise<void> {
  const ofJob = and(eq(jobChanges.workspaceId, workspaceId), eq(jobChanges.jobId, id))
  await tx.delete(jobChanges).where(and(ofJob, eq(jobChanges.place, position)))
}

const isRow = ({ workspaceId, id }: Pick<JobRow, 'workspaceId' | 'id'>) =>
  and(eq(jobs.workspaceId, workspaceId), eq(jobs.id, id))

/** Marks a job as running. @returns null if it has ended */
async function begin(db: Db, of: Pick<JobRow, 'workspaceId' | 'id'>): Promise<JobRow | null> {
  const [job] = await db
    .update(jobs)
    .set({ status: 'running', startedAt: sql`coalesce(started_at, now())`, updatedAt: sql`now()` })
    .where(and(isRow(of), inArray(jobs.status, ['queued', 'running'])))
    .returning()
  return job ?? null
}

/** Saves a part. @returns null if the job was canceled, or another process has saved the part */
async function save(db: Db, { place: position, ...of }: JobRow, part: JobPart): Promise<JobRow | null> {
  const saved = await transact(db, async (tx) => {
    const [job] = await tx.select().from(jobs).where(isRow(of)).for('no key update')
    if (job?.status !== 'running' || job.place !== position) return null
    const { changed, changes, error, warning } = await part.save(tx, job.changed)
    if (changes !== undefined && changed > 0)
      await tx
        .insert(jobChanges)
        .values({ workspaceId: of.workspaceId, jobId: of.id, place: part.place, leads: changed, changes })
    const failures = part.pauseUntil && part.done === 0 ? job.failures + 1 : 0
    const set = { place: part.place, done: job.done + part.done, changed: job.changed + changed, failures }
    const stored = one(
      await tx
        .update(jobs)
        .set({ ...set, ...(warning !== undefined && { error: warning }), updatedAt: sql`now()` })
        .where(isRow(of))
        .returning(),
    )
    return error === undefined ? stored : end(tx, of, { status: 'failed', error })
  })
  if (!saved) await part.drop?.()
  return saved
}

type Ending = { status: 'completed' } | { status: 'failed'; error: string }

/** Ends a job. @returns null if it has already ended */
async function end(db: Db, of: Pick<JobRow, 'workspaceId' | 'id'>, ending: Ending): Promise<JobRow | null> {
  const done = ending.status === 'completed' ? { done: sql`total` } : {}
  return transact(db, async (tx) => {
    const [job] = await tx
      .update(jobs)
      .set({ ...ending, ...done, ...ENDED, updatedAt: sql`now()` })
      .where(and(isRow(of), eq(jobs.status, 'running')))
      .returning()
    if (job?.undoes && job.status === 'failed') await allowUndo(tx, job)
    return job ?? null
  })
}

/** After an unfinished undo, allows another one for the rest of the job. */
export async function allowUndo(db: Db, { workspaceId, id }: Pick<JobRow, 'workspaceId' | 'id'>): Promise<void> {
  await db
    .update(jobs)
    .set({ undoneBy: null })
    .where(and(eq(jobs.workspaceId, workspaceId), eq(jobs.undoneBy, id)))
}
