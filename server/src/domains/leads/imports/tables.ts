import { IMPORT_STAGES, IMPORT_STATUSES } from '@x-automated/contract/leads/imports'
import type { ImportResult } from '@x-automated/contract/leads/leads'
import { sql } from 'drizzle-orm'
import { bigint, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, updatedAt } from '../../../db/columns.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** Running imports of leads, and the results of the latest ones. */
export const imports = pgTable(
  'imports',
  {
    id: id(),
    workspaceId: workspaceId(),
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    fileName: text('file_name'),
    status: text('status', { enum: IMPORT_STATUSES }).notNull().default('running'),
    stage: text('stage', { enum: IMPORT_STAGES }).notNull().default('reading'),
    /** Bytes read or rows saved, depending on the stage. */
    done: bigint('done', { mode: 'number' }).notNull().default(0),
    /** The value of `done` at the end of the stage. */
    of: bigint('of', { mode: 'number' }).notNull(),
    imported: integer('imported').notNull().default(0),
    updated: integer('updated').notNull().default(0),
    rejected: jsonb('rejected').$type<ImportResult['rejected']>().notNull().default([]),
    rejectedCount: integer('rejected_count').notNull().default(0),
    warnings: jsonb('warnings').$type<ImportResult['warnings']>().notNull().default([]),
    warningCount: integer('warning_count').notNull().default(0),
    error: text('error'),
    /** The process that runs the import (workers.id). */
    workerId: bigint('worker_id', { mode: 'number' }),
    createdAt: createdAt(),
    /** Updated every second while the import runs. A running import that is not updated counts as dead. */
    updatedAt: updatedAt(),
  },
  (t) => [
    index('imports_newest').on(t.workspaceId, t.createdAt, t.id),
    index('imports_running').on(t.workerId).where(sql`status = 'running'`),
  ],
)
