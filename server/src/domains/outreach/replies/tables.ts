import { integer, pgTable, uuid } from 'drizzle-orm/pg-core'
import { workspaces } from '../../identity/workspaces/tables.ts'

/** How long a workspace keeps texts. Without a row, KEEP_TEXTS_DAYS applies. */
export const conversationSettings = pgTable('conversation_settings', {
  workspaceId: uuid('workspace_id')
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  keepTextsDays: integer('keep_texts_days').notNull(),
})
