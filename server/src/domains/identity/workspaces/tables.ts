import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { createdAt, id, partOf, time } from '../../../db/columns.ts'
import { authSessions, authUsers, userId } from '../auth/tables.ts'

/** Workspaces own leads, lists, campaigns and X accounts. Every user starts with a personal one. */
export const workspaces = pgTable(
  'workspaces',
  {
    id: id(),
    name: text('name').notNull(),
    /** The user whose personal workspace it is; null if it is a team's. */
    personalOf: uuid('personal_of').references(() => authUsers.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('workspaces_personal').on(t.personalOf)],
)

/** The column of a row that belongs to a workspace. */
export const workspaceId = () => partOf('workspace_id', () => workspaces.id)

export const workspaceMembers = pgTable(
  'workspace_members',
  {
    workspaceId: workspaceId(),
    userId: userId(),
    role: text('role', { enum: ['viewer', 'member', 'admin', 'owner'] }).notNull(),
    /** Drawn from one sequence for all members whenever the role changes. Tokens with a lower version are rejected. */
    version: bigserial('version', { mode: 'number' }).notNull(),
    /** When the user last switched to this workspace. The next sign-in opens the latest one. */
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
 * Memberships that changed or ended. Tokens with a lower version are rejected. Rows are kept for an
 * hour, without foreign keys, because the workspace or user may no longer exist.
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

/** Paired extensions. Each has its own session: whatever ends sessions ends the pairing. */
export const extensionPairings = pgTable(
  'extension_pairings',
  {
    sessionId: uuid('session_id')
      .primaryKey()
      .references(() => authSessions.id, { onDelete: 'cascade' }),
    userId: userId(),
    workspaceId: workspaceId(),
    tokenHash: text('token_hash').notNull().unique(),
    version: text('version').notNull(),
    /** The X account to which that browser was signed in at the last report. */
    signedInAs: text('signed_in_as'),
    paused: boolean('paused').notNull().default(false),
    /** The part of X's page that the extension cannot find. */
    pageChanged: text('page_changed'),
    /** Whether the extension sends without an open page of the product. */
    sendsInBackground: boolean('sends_in_background').notNull().default(false),
    reportedAt: time('reported_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (t) => [index('extension_pairings_user').on(t.userId)],
)

/** One-time codes that pair an extension. They are hashed and valid once, for 10 minutes. */
export const extensionCodes = pgTable('extension_codes', {
  codeHash: text('code_hash').primaryKey(),
  userId: userId(),
  workspaceId: workspaceId(),
  /** The session that created the code. The code is deleted with it. */
  sessionId: partOf('session_id', () => authSessions.id),
  expiresAt: time('expires_at').notNull(),
})
