import { sql } from 'drizzle-orm'
import { bigint, bigserial, foreignKey, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../db/columns.ts'
import { authSessions, authUsers } from '../auth/tables.ts'

/** What owns leads, lists, campaigns and X accounts. Everyone starts with a personal one. */
export const workspaces = pgTable(
  'workspaces',
  {
    id: id(),
    name: text('name').notNull(),
    /** Whose personal workspace this is; null for a team's. */
    personalOf: uuid('personal_of').references(() => authUsers.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('workspaces_personal').on(t.personalOf)],
)

export const workspaceMembers = pgTable(
  'workspace_members',
  {
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => authUsers.id, { onDelete: 'cascade' }),
    role: text('role', { enum: ['viewer', 'member', 'admin', 'owner'] }).notNull(),
    /** Grows with each change of the role, over all members: access tokens carry it, and those of before a change are good no more. */
    version: bigserial('version', { mode: 'number' }).notNull(),
    /** When the person last chose to work here: where their next sign-in lands. */
    chosenAt: time('chosen_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.userId] }),
    index('workspace_members_user').on(t.userId),
    uniqueIndex('workspace_members_owner').on(t.workspaceId).where(sql`${t.role} = 'owner'`),
  ],
)

/** The workspace that a session works in. Whoever is taken out of it works in another one from then on. */
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
 * Memberships that changed or ended: access tokens of an earlier version are good no more. Every process reads these within 30 s. Kept for an hour,
 * and so without foreign keys: what they name may be gone.
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
