import { sql } from 'drizzle-orm'
import { pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, newId, updatedAt } from '../../../db/columns.ts'
import { workspaceId } from '../../identity/workspaces/tables.ts'

/** Texts to insert into answers. All members of a workspace share them. */
export const snippets = pgTable(
  'snippets',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull().default(newId),
    shortcut: text('shortcut').notNull(),
    text: text('text').notNull(),
    /** No foreign key: the snippet outlives the account of its author. */
    authorId: uuid('author_id').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    uniqueIndex('snippets_shortcut').on(t.workspaceId, sql`lower(shortcut)`),
  ],
)
