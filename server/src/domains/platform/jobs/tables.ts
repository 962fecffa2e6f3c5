import { JOB_KINDS, JOB_STATUSES } from '@x-automated/contract/platform/jobs'
import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, newId, time, updatedAt } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** Bulk work on leads, in parts. The queue only says that a process should continue with it. */
export const jobs = pgTable(
  'jobs',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    kind: text('kind', { enum: JOB_KINDS }).notNull(),
    status: text('status', { enum: JOB_STATUSES }).notNull().default('queued'),
    /** What its kind needs to know. */
    input: jsonb('input').notNull(),
    /** The last lead that it has looked at, in the order of ids; null: none. */
    place: uuid('place'),
    done: integer('done').notNull().default(0),
    total: integer('total').notNull(),
    changed: integer('changed').notNull().default(0),
    error: text('error'),
    /** Parts that failed in succession, by a fault of ours. */
    failures: integer('failures').notNull().default(0),
    /** No foreign key: the job outlives the account. */
    createdBy: uuid('created_by').notNull(),
    startedAt: time('started_at'),
    endedAt: time('ended_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    index('jobs_newest').on(t.workspaceId, t.createdAt, t.id),
    // For the deletion of old jobs, over all workspaces.
    index('jobs_created').on(t.createdAt),
  ],
)
