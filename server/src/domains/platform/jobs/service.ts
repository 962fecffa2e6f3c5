import type { InputOf } from '@x-automated/contract/contract'
import { JOB_DAYS, type JobKind } from '@x-automated/contract/platform/jobs'
import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { JobQueue } from '../../../ports.ts'
import { Refusal } from '../../../refusal.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { publishEvents } from '../events/service.ts'
import { secondsLeft } from './rules.ts'
import { jobs } from './tables.ts'

export type { JobPart, JobRow } from './engine.ts'

const columns = {
  id: jobs.id,
  kind: jobs.kind,
  status: jobs.status,
  done: jobs.done,
  total: jobs.total,
  changed: jobs.changed,
  error: jobs.error,
  createdAt: jobs.createdAt,
  createdBy: { id: authUsers.id, name: authUsers.name },
  elapsedSeconds: sql<number | null>`extract(epoch from clock_timestamp() - ${jobs.startedAt})::float`,
}

const select = (db: Db) => db.select(columns).from(jobs).leftJoin(authUsers, eq(authUsers.id, jobs.createdBy))
type Row = Awaited<ReturnType<typeof select>>[number]

function answerOf({ elapsedSeconds, ...row }: Row) {
  const left = row.status === 'running' ? secondsLeft(row.done, row.total, elapsedSeconds) : null
  return { ...row, secondsLeft: left, undoUntil: null, undoes: null, undoneBy: null }
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
export async function cancel(db: Db, actor: Actor, id: string) {
  const { rowCount } = await db
    .update(jobs)
    .set({ status: 'canceled', endedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(own(actor, id), inArray(jobs.status, ['queued', 'running'])))
  const found = await find(db, actor, id)
  if (rowCount === 0) throw new Refusal('JOB_STATE')
  await publishEvents(db, actor.workspaceId, 'job', [id])
  return found
}

/** No kind can be undone yet. @throws Refusal JOB_NOT_FOUND, JOB_STATE */
export async function undo(db: Db, actor: Actor, id: string): Promise<never> {
  await find(db, actor, id)
  throw new Refusal('JOB_STATE', 'This job cannot be undone.')
}

interface NewJob {
  kind: JobKind
  input: unknown
  total: number
}

/** Creates a job, which starts once the transaction commits. */
export async function create(tx: Db, queue: JobQueue, actor: Actor, job: NewJob) {
  const row = { ...job, workspaceId: actor.workspaceId, createdBy: actor.userId }
  const { id } = one(await tx.insert(jobs).values(row).returning({ id: jobs.id }))
  await queue.reschedule(tx, 'job', { workspaceId: actor.workspaceId, jobId: id }, { key: id, group: id })
  await publishEvents(tx, actor.workspaceId, 'job', [id])
  return find(tx, actor, id)
}

/** A job that still does the same work; null: there is none. */
export async function findUnfinished(tx: Db, actor: Actor, { kind, input }: Pick<NewJob, 'kind' | 'input'>) {
  const [row] = await select(tx)
    .where(
      and(
        eq(jobs.workspaceId, actor.workspaceId),
        inArray(jobs.status, ['queued', 'running']),
        eq(jobs.kind, kind),
        eq(jobs.input, input),
      ),
    )
    .limit(1)
  return row ? answerOf(row) : null
}

/** Deletes old jobs. */
export async function purgeJobs(db: Db): Promise<void> {
  await db.delete(jobs).where(lt(jobs.createdAt, sql`now() - make_interval(days => ${JOB_DAYS})`))
}
