import { sql } from 'drizzle-orm'
import { bigint, bigserial, foreignKey, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../../db/columns.ts'
import { authSessions, authUsers, userId } from '../auth/tables.ts'

/** Workspaces own leads, lists, campaigns and X accounts. Every user starts with a personal one. */
export const workspaces = pgTable(
  'workspaces',
  {
    id: id(),
    name: text('name').notNull(),
    /** The user whose personal workspace it is; null for a team's. */
    personalOf: uuid('personal_of').references(() => authUsers.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('workspaces_personal').on(t.personalOf)],
)

/** The column of a row that belongs to a workspace. */
export const workspaceId = () =>
  uuid('workspace_id')
    .notNull()
    .references(() => workspaces.id, { onDelete: 'cascade' })

export const workspaceMembers = pgTable(
  'workspace_members',
  {
    workspaceId: workspaceId(),
    userId: userId(),
    role: text('role', { enum: ['viewer', 'member', 'admin', 'owner'] }).notNull(),
    /**
     * Grows with each role change, across all members. Access tokens contain it; earlier versions
     * are rejected.
     */
    version: bigserial('version', { mode: 'number' }).notNull(),
    /** When the user last switched to this workspace; the next sign-in opens it. */
    chosenAt: time('chosen_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.userId] }),
    index('workspace_members_user').on(t.userId),
    uniqueIndex('workspace_members_owner').on(t.workspaceId).where(sql`${t.role} = 'owner'`),
  ],
)

/** The workspace of each session. Removed members fall back to another one. */
export const workspaceChoices = pgTable(
  'workspace_choices',
  {
    sessionId: uuid('session_id')
      .primaryKey()
      .references(() => authSessions.id, { onDelete: 'cascade' }),
    workspaceId: uuid('workspace_id').notNull(),
    userId: uuid('user_id').notNull(),
  },
  (t) => [
    foreignKey({
      name: 'workspace_choices_member',
      columns: [t.workspaceId, t.userId],
      foreignColumns: [workspaceMembers.workspaceId, workspaceMembers.userId],
    }).onDelete('cascade'),
    index('workspace_choices_member').on(t.workspaceId, t.userId),
  ],
)

/**
 * Memberships that changed or ended; tokens with an earlier version are rejected. Kept for an hour,
 * without foreign keys, because the workspace or user may be gone.
 */
export const membershipChanges = pgTable(
  'membership_changes',
  {
    workspaceId: uuid('workspace_id').notNull(),
    userId: uuid('user_id').notNull(),
    version: bigint('version', { mode: 'number' }).notNull(),
    changedAt: time('changed_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.userId] }), index('membership_changes_at').on(t.changedAt)],
)
