import { foreignKey, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { createdAt } from '../../../db/columns.ts'
import { workspaceMembers } from '../../identity/workspaces/tables.ts'

/** Members who have hidden the first steps of a workspace. */
export const firstStepsDismissals = pgTable(
  'first_steps_dismissals',
  {
    workspaceId: uuid('workspace_id').notNull(),
    userId: uuid('user_id').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.userId] }),
    foreignKey({
      name: 'first_steps_dismissals_member',
      columns: [t.workspaceId, t.userId],
      foreignColumns: [workspaceMembers.workspaceId, workspaceMembers.userId],
    }).onDelete('cascade'),
  ],
)
