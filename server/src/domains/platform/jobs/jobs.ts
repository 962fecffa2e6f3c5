import type { InputOf } from '@x-automated/contract/contract'
import {
  JOB_DAYS,
  JOB_SCOPES,
  type JobKind,
  UNDO_MINUTES,
  UNFINISHED_JOBS_MAX,
} from '@x-automated/contract/platform/jobs'
import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { type Actor, requireScope } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import type { JobQueue } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { publishEvents } from '../events/events.ts'
import { allowUndo, scheduleJob } from './engine.ts'
import { ENDED, isUndoable, jobChanges, jobs } from './tables.ts'

/** The minimum time for which changes are kept. */
const KEPT = sql`make_interval(mins => ${UNDO_MINUTES})`

const columns = {
  id: jobs.id,
  kind: jobs.kind,
  status: jobs.status,
  done: jobs.done,
  total: jobs.total,
  changed: jobs.changed,
  error: jobs.error,
  undoUntil: jobs.undoUntil,
  undoes: jobs.undoes,
  undoneBy: jobs.undoneBy,
  createdAt: jobs.createdAt,
  createdBy: { id: authUsers.id, name: authUsers.name },
  elapsedSeconds: sql<number | null>`extract(epoch from clock_timestamp() - ${jobs.startedAt})::float`,
}

const select = (db: Db) => db.select(columns).from(jobs).leftJoin(authUsers, eq(authUsers.id, jobs.createdBy))
type Row = Awaited<ReturnType<typeof select>>[number]

function answerOf({ elapsedSeconds, ...row }: Row) {
  const left = row.status === 'running' ? secondsLeft(row.done, row.total, elapsedSeconds) : null
  return { ...row, secondsLeft: left, undoUntil: row.undoneBy ? null : row.undoUntil }
}

const own = (actor: Actor, id: string) => and(eq(jobs.workspaceId, actor.workspaceId), eq(jobs.id, id))

export async function list(db: Db, actor: Actor, { status, page, pageSize }: InputOf<'jobs', 'list'>) {
  const matches = and(eq(jobs.workspaceId, actor.workspaceId), status && eq(jobs.status, status))
  const rows = await select(db)
    .where(matches)
    .orderBy(desc(jobs.createdAt), desc(jobs.id))
    .limit(pageSize)
    .offset((page - 1) * pageSize)
  return { jobs: rows.map(answerOf), total: await db.$count(jobs, matches), page, pageSize }
}

/** @throws Refusal JOB_NOT_FOUND */
export async function find(db: Db, actor: Actor, id: string) {
  const [row] = await select(db).where(own(actor, id))
  if (!row) throw new Refusal('JOB_NOT_FOUND')
  return answerOf(row)
}

/** Ends a job before its next part. @throws Refusal JOB_NOT_FOUND, JOB_STATE */
export async function cancel(db: Db, queue: JobQueue, actor: Actor, id: string) {
  return transact(db, async (tx) => {
    const { rowCount } = await tx
      .update(jobs)
      .set({ status: 'canceled', ...ENDED, updatedAt: sql`now()` })
      .where(and(own(actor, id), isUnfinished))
    const job = await find(tx, actor, id)
    requireScope(actor, JOB_SCOPES[job.kind])
    if (rowCount === 0) throw new Refusal('JOB_STATE')
    if (job.undoes) await allowUndo(tx, { workspaceId: actor.workspaceId, id })
    await enqueue(tx, queue, actor, job)
    return job
  })
}

/** @throws Refusal JOB_NOT_FOUND, JOB_STATE */
export async function undo(db: Db, queue: JobQueue, actor: Actor, id: string) {
  return transact(db, async (tx) => {
    const [job] = await tx.select().from(jobs).where(own(actor, id)).for('update')
    if (!job) throw new Refusal('JOB_NOT_FOUND')
    if (!job.endedAt) throw new Refusal('JOB_STATE', 'This job is still running. Cancel it first.')
    if (job.undoneBy) throw new Refusal('JOB_STATE', 'This job has already been undone.')
    if (!job.undoUntil) throw new Refusal('JOB_STATE', 'There is nothing to undo.')
    if (job.undoUntil < new Date()) throw new Refusal('JOB_STATE', 'It is too late to undo this job.')
    const undoing = await create(tx, queue, actor, { kind: job.kind, input: {}, total: job.changed, undoes: id })
    await tx.update(jobs).set({ undoneBy: undoing.id }).where(own(actor, id))
    return undoing
  })
}

const isUnfinished = inArray(jobs.status, ['queued', 'running'])

/**
 * Checks the limit of a workspace's unfinished jobs, and keeps others from creating jobs until the
 * transaction ends. @throws Refusal TOO_MANY
 */
export async function requireRoom(tx: Db, { workspaceId }: Actor): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('jobs of ' || ${workspaceId}, 0))`)
  const count = await tx.$count(jobs, and(eq(jobs.workspaceId, workspaceId), isUnfinished))
  if (count >= UNFINISHED_JOBS_MAX)
    throw new Refusal('TOO_MANY', `${UNFINISHED_JOBS_MAX} jobs are running. Wait for one to end, or cancel one.`)
}

interface NewJob {
  kind: JobKind
  input: unknown
  total: number
  undoes?: string
}

/**
 * Creates a job, which starts once the transaction commits. @throws Refusal FORBIDDEN: the API key
 * lacks the scope
 */
export async function create(tx: Db, queue: JobQueue, actor: Actor, job: NewJob) {
  requireScope(actor, JOB_SCOPES[job.kind])
  const row = { ...job, workspaceId: actor.workspaceId, createdBy: actor.userId }
  const { id } = one(await tx.insert(jobs).values(row).returning({ id: jobs.id }))
  await enqueue(tx, queue, actor, { id, ...job })
  return find(tx, actor, id)
}

/** An unfinished job that does the same work; null: there is none. */
export async function findUnfinished(tx: Db, actor: Actor, { kind, input }: Pick<NewJob, 'kind' | 'input'>) {
  const [row] = await select(tx)
    .where(and(eq(jobs.workspaceId, actor.workspaceId), isUnfinished, eq(jobs.kind, kind), eq(jobs.input, input)))
    .limit(1)
  return row ? answerOf(row) : null
}

/** The latest job of a kind whose input has these values; null: there is none. */
export async function findLatest(db: Db, actor: Actor, { kind, input }: Pick<NewJob, 'kind' | 'input'>) {
  const [row] = await select(db)
    .where(
      and(
        eq(jobs.workspaceId, actor.workspaceId),
        eq(jobs.kind, kind),
        sql`${jobs.input} @> ${JSON.stringify(input)}::jsonb`,
      ),
    )
    .orderBy(desc(jobs.createdAt), desc(jobs.id))
    .limit(1)
  return row ? answerOf(row) : null
}

async function enqueue(
  tx: Db,
  queue: JobQueue,
  { workspaceId }: Actor,
  { id, undoes = null }: { id: string; undoes?: string | null },
): Promise<void> {
  await scheduleJob(tx, queue, { workspaceId, id, undoes })
  await publishEvents(tx, workspaceId, 'job', [id])
}

/**
 * Deletes old jobs, and changes that can no longer be undone. Changes of queued messages are
 * deleted when the messages are released instead.
 */
export async function purgeJobs(db: Db): Promise<void> {
  await db.delete(jobs).where(lt(jobs.createdAt, sql`now() - make_interval(days => ${JOB_DAYS})`))
  await db.delete(jobChanges).where(
    and(
      lt(jobChanges.createdAt, sql`now() - ${KEPT}`),
      sql`not ${isUndoable(sql`${jobChanges.workspaceId}`, sql`${jobChanges.jobId}`)}`,
      sql`
          not exists (
            select
            from jobs j
            where j.workspace_id = ${jobChanges.workspaceId} and j.id = ${jobChanges.jobId} and j.kind = 'queue'
          )`,
    ),
  )
}

/** The remaining seconds at the pace so far; null while unknown. @param elapsedSeconds since the job started */
export function secondsLeft(done: number, total: number, elapsedSeconds: number | null): number | null {
  if (elapsedSeconds === null || done === 0) return null
  return Math.ceil((elapsedSeconds / done) * Math.max(0, total - done))
}
