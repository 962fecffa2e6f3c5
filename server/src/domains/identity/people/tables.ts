import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, time } from '../../../db/columns.ts'
import { authUsers } from '../auth/tables.ts'
import { workspaceId } from '../workspaces/tables.ts'

/** Pending invitations, one per workspace and address. The emailed token is stored hashed. */
export const workspaceInvitations = pgTable(
  'workspace_invitations',
  {
    id: id(),
    workspaceId: workspaceId(),
    /** Lowercase. */
    email: text('email').notNull(),
    role: text('role', { enum: ['viewer', 'member', 'admin'] }).notNull(),
    tokenHash: text('token_hash').notNull().unique(),
    /** The inviter. */
    userId: uuid('user_id').references(() => authUsers.id, { onDelete: 'set null' }),
    sentAt: time('sent_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('workspace_invitations_address').on(t.workspaceId, t.email),
    index('workspace_invitations_expiry').on(t.expiresAt),
  ],
)
