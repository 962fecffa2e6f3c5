import { JOB_KINDS, JOB_STATUSES, UNDO_MINUTES } from '@x-automated/contract/platform/jobs'
import { type SQL, sql } from 'drizzle-orm'
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, newId, time, updatedAt } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** Bulk work on leads, in parts. The queue only says that a process should continue a job. */
export const jobs = pgTable(
  'jobs',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    kind: text('kind', { enum: JOB_KINDS }).notNull(),
    status: text('status', { enum: JOB_STATUSES }).notNull().default('queued'),
    /** The input that the job's kind needs. */
    input: jsonb('input').notNull(),
    /** The last lead that the job has looked at, in the order of ids; null: none yet. */
    place: uuid('place'),
    done: integer('done').notNull().default(0),
    total: integer('total').notNull(),
    changed: integer('changed').notNull().default(0),
    error: text('error'),
    /** The number of failures in a row: bugs, and pauses without progress. */
    failures: integer('failures').notNull().default(0),
    /** No foreign key: the job outlives the account. */
    createdBy: uuid('created_by').notNull(),
    startedAt: time('started_at'),
    endedAt: time('ended_at'),
    /** The time until which the job can be undone; null: it has not ended, or it changed nothing that can be undone. */
    undoUntil: time('undo_until'),
    /** The job that this one undoes. */
    undoes: uuid('undoes'),
    /** The job that undoes this one. */
    undoneBy: uuid('undone_by'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    index('jobs_newest').on(t.workspaceId, t.createdAt, t.id),
    // Serves the deletion of old jobs, over all workspaces.
    index('jobs_created').on(t.createdAt),
    index('jobs_unfinished').on(t.workspaceId).where(sql`status in ('queued', 'running')`),
  ],
)

/** The changes of one part of a job. Kept until they are undone, or no longer can be. */
export const jobChanges = pgTable(
  'job_changes',
  {
    workspaceId: uuid('workspace_id').notNull(),
    jobId: uuid('job_id').notNull(),
    /** The job's position after the part. */
    place: uuid('place').notNull(),
    /** The number of leads in the part. */
    leads: integer('leads').notNull(),
    /** In the form that the job's kind needs. */
    changes: jsonb('changes').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.jobId, t.place] }),
    foreignKey({ columns: [t.workspaceId, t.jobId], foreignColumns: [jobs.workspaceId, jobs.id] }).onDelete('cascade'),
    // Serves the deletion of old changes, over all workspaces.
    index('job_changes_created').on(t.createdAt),
  ],
)

/** SQL over `jobs`: the assignments that end a job now. Messages can be undone until they are due. */
export const ENDED = {
  endedAt: sql`now()`,
  undoUntil: sql`case when changed = 0 or undoes is not null or kind = 'openers' then null
    when kind = 'queue' then now() + make_interval(secs => (input ->> 'holdSeconds')::int)
    else now() + make_interval(mins => ${sql`${UNDO_MINUTES}`.inlineParams()}) end`,
}

/** SQL: whether the changes of a job may still be undone. @param id SQL expression */
export function isUndoable(workspaceId: SQL, id: SQL): SQL {
  return sql`exists (select from jobs j where j.workspace_id = ${workspaceId} and j.id = ${id}
    and (j.ended_at is null or j.undo_until > now() or exists (
      select from jobs u where u.workspace_id = j.workspace_id and u.id = j.undone_by and u.ended_at is null)))`
}
