import { EVENT_KINDS } from '@x-automated/contract/platform/events'
import { bigint, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, newId, time } from '../../../db/columns.ts'
import { userId } from '../../identity/auth/tables.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** The number of a workspace's latest event. */
export const eventCounters = pgTable('event_counters', {
  workspaceId: workspaceId().primaryKey(),
  lastId: bigint('last_id', { mode: 'number' }).notNull(),
})

/** Events of the last EVENT_MINUTES, numbered without gaps in each workspace. */
export const workspaceEvents = pgTable(
  'workspace_events',
  {
    workspaceId: workspaceId(),
    id: bigint('id', { mode: 'number' }).notNull(),
    kind: text('kind', { enum: EVENT_KINDS }).notNull(),
    ids: text('ids').array().notNull(),
    /** The only person who gets the event; null: every member. */
    recipientId: uuid('recipient_id'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.id] }), index('workspace_events_old').on(t.createdAt)],
)

/** Open event streams, to count them per person. Those of dead processes do not count. */
export const eventStreams = pgTable(
  'event_streams',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    userId: userId(),
    /** The process that serves the stream (workers.id). */
    workerId: bigint('worker_id', { mode: 'number' }).notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.id] }), index('event_streams_user').on(t.userId)],
)
